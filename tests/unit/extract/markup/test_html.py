"""HTML: the displayed text, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.markup.html import open_source

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.extract.base import Metadata, RawPage


def read(tmp_path: Path, markup: str | bytes) -> tuple[RawPage, Metadata]:
    path = tmp_path / "a.html"
    path.write_bytes(markup if isinstance(markup, bytes) else markup.encode())
    source = open_source(path, None, Limits())
    (page,) = source.pages()
    return page, source.metadata


def blocks_of(page: RawPage) -> list[tuple[str, str]]:
    return [(b.kind.value, page.text[b.start : b.end]) for b in page.blocks]


def test_all_of_navigation_is_apart(tmp_path: Path) -> None:
    page, _ = read(
        tmp_path,
        "<nav><h2>Menu</h2><ul><li>Home</ul><table><td>a<td>b</table></nav><p>Text</p>"
        "<noscript>Without scripts</noscript>",
    )
    assert blocks_of(page) == [
        ("boilerplate", "Menu"), ("boilerplate", "Home"), ("boilerplate", "a\tb"),
        ("paragraph", "Text"), ("boilerplate", "Without scripts"),
    ]  # fmt: skip


def test_elements_become_blocks(tmp_path: Path) -> None:
    page, metadata = read(
        tmp_path,
        """<html><head><title> The  Lamp </title><meta name=author content="K."><style>p{}</style>
        <body><nav>Home <a href=x>About</a></nav><h2>On <em>oil</em></h2><p>It burns
        all night.<br>Always.<script>hidden()</script></p><ul><li>wick<li>glass</ul>
        <pre>a  b
  c</pre><table><tr><th>Year<th>Oil<tr><td>1890<td>12</table><!-- no -->
        <footer>(c)</footer>tail""",
    )
    assert blocks_of(page) == [
        ("boilerplate", "Home About"),
        ("heading", "On oil"),
        ("paragraph", "It burns all night.\nAlways."),
        ("list_item", "wick"),
        ("list_item", "glass"),
        ("code", "a  b\n  c"),
        ("table", "Year\tOil\n1890\t12"),
        ("boilerplate", "(c)"),
        ("paragraph", "tail"),
    ]
    assert page.blocks[1].level == 2
    assert (metadata.title, metadata.author) == ("The Lamp", "K.")


def test_text_is_joined_by_line_feeds_alone(tmp_path: Path) -> None:
    page, _ = read(tmp_path, "<p>one<p>two<div>three<div>four</div></div>")
    assert page.text == "one\ntwo\nthree\nfour"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<meta charset=iso-8859-1><p>caf\xe9 \x93q\x94".encode("latin-1"), "café “q”"),
        ("<meta http-equiv=x content='x; charset=windows-1251'><p>Лампа".encode("cp1251"), "Лампа"),
        ("<p>Größe".encode("utf-16"), "Größe"),
        ("<meta charset=utf-8><p>not really: \xe9\xe8".encode("latin-1"), "not really: éè"),
        ("<meta charset=no-such><p>Größe".encode(), "Größe"),
        (b"<p>&lt;b&gt; &amp; &nbsp;x &#8212; &#xD800;", "<b> & \xa0x — \ufffd"),
    ],
)  # fmt: skip
def test_encodings(tmp_path: Path, markup: bytes, expected: str) -> None:
    assert read(tmp_path, markup)[0].text == expected


def test_nesting_without_end_is_read(tmp_path: Path) -> None:
    page, _ = read(tmp_path, "<div>" * 20_000 + "deep" + "</p></b>" * 10)
    assert page.text == "deep"


@pytest.mark.parametrize("markup", ["<html>", "<body></body>", "<script>1</script>", "   "])
def test_a_page_without_text_is_empty_text(tmp_path: Path, markup: str) -> None:
    assert read(tmp_path, markup)[0].text == ""


def test_a_too_large_page_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>" + "x" * 100)
    with pytest.raises(WorldError) as caught:
        open_source(path, None, Limits(markup_bytes=50))
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>Of <img src=x alt='a  lamp'> and oil<img alt=''><img>", "Of a lamp and oil"),
        ("<h3><button>How is it lit?</button></h3>With oil.", "How is it lit?\nWith oil."),
        ("<label>Name <input value=Mina></label>", "Name Mina"),
        ("<input type=search placeholder='Search the log'>", "Search the log"),
        ("<input value=Oil placeholder=Fuel> <input type=submit value=Send>", "Oil Send"),
        ("a<input type=hidden value=x><input type=password value=x>", "a"),
        ("a<input type=radio value=x><input type=file value=x>", "a"),
        ("<select><option>Oil<option selected>Gas</select>", "Gas"),
        ("<select><option label=Oil>x<option>Gas</select>", "Oil"),
        ("<select multiple><option>Oil<option>Gas</select>", "Oil, Gas"),
        ("<textarea>one\ntwo</textarea>", "one two"),
        ("<iframe srcdoc='<h2>Log</h2><p>of &amp;lt;May'></iframe>after", "Log\nof <May\nafter"),
        ("<table><td>a<td><iframe srcdoc='<p>b'></iframe></table>", "a\tb"),
        ("<svg><title>no</title><text>Oil</text><g><text>in <tspan>tons</tspan></g></svg>.",
         "Oil in tons."),
        ("<p><math><mi>x</mi><mo>=</mo><mn>2</mn><annotation>\\x</annotation></math>", "x=2"),
        ("<p>See section 14<sup>3</sup>, 10<sup><a href=x>6</a></sup>, CO<sub>2</sub>",
         "See section 14³, 10⁶, CO₂"),
        ("<p>1<sup>st</sup> of<sup>[3]</sup>", "1st of[3]"),
        ("<math><mfrac><mn>3</mn><mn>40</mn></mfrac></math>", "3/40"),
        ("<math><msup><mi>e</mi><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></msup></math>",
         "e^(a+b)"),
        ("<math><msqrt><mi>x</mi></msqrt><msub><mi>a</mi><mn>1</mn></msub></math>", "√xa₁"),
        ("a<my-card><template shadowrootmode=open><p>In the root</p></template></my-card>b",
         "a\nIn the root\nb"),
        ("a<template><p>no</p></template>b", "ab"),
        ("<noscript><p>Of oil</p></noscript>", "Of oil"),
        ("<p>a<video>b</video><audio>c</audio><canvas>d</canvas>e", "a\nb\nc\nd\ne"),
        ("<details><summary>Oil</summary>burns</details>", "Oil\nburns"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢"),
    ],
)  # fmt: skip
def test_displayed_text_is_read(tmp_path: Path, markup: str, expected: str) -> None:
    assert read(tmp_path, markup)[0].text == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='color:red; DISPLAY : None!important'>{}</p>",
        "<p hidden>{}</p>",
        "<div style='visibility:hidden'><p>{}</p></div>",
        "<dialog>{}</dialog>",
        "<table><tr hidden><td>{}</table>",
        "<svg style='display:none'><text>{}</text></svg>",
    ],
)
def test_hidden_text_is_not_read(tmp_path: Path, hidden: str) -> None:
    assert read(tmp_path, hidden.format("secret") + "<p>seen")[0].text == "seen"


@pytest.mark.parametrize(
    "shown",
    [
        "<p hidden=until-found>seen", "<p aria-hidden=true>seen", "<dialog open>seen</dialog>",
        "<p style='display:block;border:none;overflow:hidden'>seen",
        "<body style='display:none'><p>seen", "<div style='display:none'><p>seen</div>",
    ],
)  # fmt: skip
def test_a_page_that_hides_its_body_is_read(tmp_path: Path, shown: str) -> None:
    """A script would display it."""
    assert read(tmp_path, shown)[0].text == "seen"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<ol><li>one<li><p>two</p><p>more</p></ol>", "1. one\n2. two\nmore"),
        ("<ol start=5 type=A><li>a<li value=28>b</ol>", "E. a\nBB. b"),
        ("<ol type=i><li>a<li>b<li>c<li>d</ol>", "i. a\nii. b\niii. c\niv. d"),
        ("<ol><li>a<ul><li>b</ul><li>c</ol><li>d", "1. a\nb\n2. c\nd"),
        ("<ol style='list-style-type: none'><li>a</ol>", "a"),
        ("<ol><li><ol type=a><li>x</ol></ol>", "1. a. x"),
        ("<table><td><ol><li>x<li>y</ol></table>", "1. x 2. y"),
        ("<ol start=x><li value=x>a<li><li>c</ol>", "1. a\n3. c"),
    ],
)
def test_numbers_of_lists_are_read(tmp_path: Path, markup: str, expected: str) -> None:
    assert read(tmp_path, markup)[0].text == expected
