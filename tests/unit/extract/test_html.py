"""HTML: what a browser shows, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.errors import WorldError
from indexer.extract.base import Limits, Metadata, RawPage
from indexer.extract.html import open_source

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, markup: str | bytes) -> tuple[RawPage, Metadata]:
    path = tmp_path / "a.html"
    path.write_bytes(markup if isinstance(markup, bytes) else markup.encode())
    source = open_source(path, None, Limits())
    (page,) = source.pages()
    return page, source.metadata


def blocks_of(page: RawPage) -> list[tuple[str, str]]:
    return [(b.kind.value, page.text[b.start : b.end]) for b in page.blocks]


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
        ("furniture", "Home About"),
        ("heading", "On oil"),
        ("paragraph", "It burns all night.\nAlways."),
        ("list_item", "wick"),
        ("list_item", "glass"),
        ("code", "a  b\n  c"),
        ("table", "Year\tOil\n1890\t12"),
        ("furniture", "(c)"),
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


def test_too_large_a_page_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>" + "x" * 100)
    with pytest.raises(WorldError) as caught:
        open_source(path, None, Limits(markup_bytes=50))
    assert caught.value.code == "too_large"
