"""Rich text: the displayed text and its structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.office.rtf import RtfSource
from tests.fuzz.samples import RTF, SENTENCE
from tests.unit.extract.reading import check, read

if TYPE_CHECKING:
    from pathlib import Path


def text_of(body: bytes) -> str:
    return "\n".join(
        page.text for page in RtfSource(rb"{\rtf1\ansi " + body + b"}", Limits()).pages()
    )


def test_structure(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(RTF)
    found = read(tmp_path / "a.rtf")
    assert found.blocks() == [
        ("heading1", "Of Lamps"),
        ("heading2", "Oil"),
        ("paragraph", f"Café – {SENTENCE}"),
        ("paragraph", "A note below."),
        ("table", "Year\tOil\n1890\t12"),
        ("paragraph", "Лампа"),
    ]
    about = found.metadata
    assert (about.title, about.author, about.created) == ("Of Lamps", "Mina Harker", "2019-03-04")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb"a\~b\_c\-d", "a\xa0b\u2011c\xadd"),
        (rb"\{x\} \\y", "{x} \\y"),
        (rb"\uc2\u8364??x", "€x"),
        (rb"\uc0\u8364 x", "€x"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"\u-10179?x", "x"),
        (rb"{\uc1\u228\'e4}", "ä"),
        (rb"\ldblquote x\rdblquote\emdash y", "“x”—y"),
        (rb"{\field{\*\fldinst PAGE}{\fldrslt 7}}", "7"),
        (rb"{\field{\*\fldinst MACROBUTTON None Your name}}", "Your name"),
        # A word with its reading above it.
        (
            rb"a{\field{\*\fldinst{EQ \\* jc3 \\o\\al(\\s\\up 11(\u12392?),\u26481?)}}{\fldrslt }}",
            "a東",
        ),
        (
            rb"{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv Sale}}{\sp{\sn x}{\sv Arial}}}}\par",
            "Sale",
        ),
        (rb"{\listtext\pard 4.2\tab}\ls1 Rent{\par}{\listtext\f3\'b7\tab}due", "4.2 Rent\ndue"),
        (rb"{\listtext\f2 o\tab}due", "due"),
        (rb"a{\bin3 }}}b", "ab"),
        (rb"a{\bin99999999 b", "a"),
        (rb"{\*\unknown x}y", "y"),
        (rb"{\header h}{\footer f}y", "y\nh\nf"),
        (rb"a\line b\par c", "a\nb\nc"),
        (b"a\\\nb", "a\nb"),
        (b"one\r\n two", "one two"),
        (rb"\ansicpg1251 \'cb\'e0", "Ла"),
        (rb"\ansicpg99999 \'e9", "é"),
        (rb"}}}}a", "a"),
        (rb"{{{{a", "a"),
        (rb"\'zz a", "zz a"),
    ],
)
def test_characters(body: bytes, expected: str) -> None:
    assert text_of(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb"\trowd\pard\intbl a\cell b\cell", "a\tb"),
        (rb"\trowd\pard\intbl a\cell b", "a\tb"),
        (rb"\trowd\pard\intbl a\cell b\par", "a\tb"),
        (rb"\trowd\pard\intbl a\cell b\cell\pard after\par", "a\tb\nafter"),
        (rb"\trowd\pard\intbl a\cell b\par\pard after\par", "a\tb\nafter"),
        (rb"\trowd\pard\intbl a\par\pard after\par", "a\nafter"),
        (rb"\trowd\intbl a\cell b\cell\trowd\intbl c\cell d\cell\row", "a\tb\nc\td"),
        (rb"\trowd\intbl a\cell b\cell\trowd\row\pard after", "a\tb\nafter"),
        (rb"\pard\intbl a\cell\pard\intbl b\cell\row", "a\tb"),
        (rb"\pard\intbl a\par b\cell c\cell\row", "a b\tc"),
        (rb"\pard\intbl{a\cell b\nestcell{\nonesttables\par}}", "a\tb"),
        (rb"x{\footnote\pard\intbl a\cell b\cell\row c}\par", "x\na\tb\t\nc"),
    ],
)
def test_cells_of_an_unclosed_row_are_read(body: bytes, expected: str) -> None:
    assert text_of(body) == expected


@given(st.binary(max_size=300))
def test_any_bytes_are_read(body: bytes) -> None:
    check(list(RtfSource(rb"{\rtf1 " + body, Limits()).pages()), 1)


@given(st.lists(st.sampled_from([b"{", b"}", b"\\par ", b"\\cell", b"\\row", b"\\u8364?", b"x "])))
def test_any_order_of_control_words_is_read(parts: list[bytes]) -> None:
    check(list(RtfSource(b"{\\rtf1 " + b"".join(parts), Limits()).pages()), 1)


def test_nesting_without_end_is_read() -> None:
    assert text_of(b"{" * 200_000 + b"deep" + b"}" * 10) == "deep"


def test_a_file_that_is_not_rtf_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.rtf").write_bytes(b"plain words")
    with pytest.raises(WorldError) as caught:
        read(tmp_path / "a.rtf")
    assert caught.value.code == "unreadable"
