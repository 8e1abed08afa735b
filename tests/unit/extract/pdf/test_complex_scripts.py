"""Lines of Arabic, Hebrew and Indic scripts, as programs draw them: from left to right, in pieces.

Each glyph of a test is drawn 10 points wide at its place, and its text is what the font's map says.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from indexer.extract.pdf.complex_scripts import order_letters
from indexer.extract.pdf.geometry import read_placed
from tests.unit.extract.pdfs import raw_pdf, stream
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_WIDE = 10
_LIGATURES = ("لا", "لإ")


def _hex(text: str) -> str:
    return text.encode("utf-16-be").hex()


def _glyphs(text: str) -> list[str]:
    """Split what is seen from left to right; a ligature is one glyph."""
    found: list[str] = []
    for letter in text:
        if found and found[-1] + letter in _LIGATURES:
            found[-1] += letter
        else:
            found.append(letter)
    return found


def _drawn(path: Path, *pieces: tuple[float, float, Sequence[str] | str]) -> Path:
    """Write a PDF with pieces of glyphs at (x, y), each drawn by itself, in this order."""
    codes: dict[str, int] = {}
    shown = []
    for x, y, glyphs in pieces:
        own = _glyphs(glyphs) if isinstance(glyphs, str) else glyphs
        at = "".join(f"{codes.setdefault(glyph, 33 + len(codes)):02x}" for glyph in own)
        shown.append(f"BT /F1 10 Tf {x} {y} Td <{at}> Tj ET")
    return _write(path, "\n".join(shown), {code: glyph for glyph, code in codes.items()})


def _write(path: Path, content: str, texts: dict[int, str]) -> Path:
    rows = "\n".join(f"<{code:02x}> <{_hex(text)}>" for code, text in texts.items())
    texts_of_codes = (
        "/CIDInit /ProcSet findresource begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(texts)} beginbfchar\n{rows}\nendbfchar endcmap end"
    )
    widths = " ".join(
        "0" if unicodedata.combining(texts.get(code, " ")[0]) else "1000" for code in range(33, 256)
    )
    font = "<</Type/Font/Subtype/Type1/BaseFont/Courier/FirstChar 33/LastChar 255"
    font += f"/Widths[{widths}]/ToUnicode 6 0 R>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
    path.write_bytes(
        raw_pdf(
            [
                b"<</Type/Catalog/Pages 2 0 R>>",
                b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
                page + b"/Resources<</Font<</F1 5 0 R>>>>>>",
                stream(content.encode()),
                font.encode(),
                stream(texts_of_codes.encode()),
            ]
        )
    )
    return path


def _seen(words: str) -> str:
    """A text to the left as it is seen, from left to right."""
    return words[::-1]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        # A number in a sentence is a piece by itself.
        (
            [(300, 700, _seen("נחתם ביום ")), (280, 700, "15"), (170, 700, _seen(" במרץ בעיר."))],
            "נחתם ביום 15 במרץ בעיר.",
        ),
        # A date stays as it is, and so do words of another script.
        (
            [(300, 700, _seen("הוגש ")), (200, 700, "15/03/2024"), (100, 700, _seen(" לבית דין"))],
            "הוגש 15/03/2024 לבית דין",
        ),
        (
            [(300, 700, _seen("כתב ")), (220, 700, "Jane Doe"), (140, 700, _seen(" אל משרד"))],
            "כתב Jane Doe אל משרד",
        ),
        # The letters of a ligature are written in the order in which they are read.
        ([(100, 700, [*_seen("يجار"), "لإ", "ا", " ", "لا"])], "لا الإيجار"),
        # MuPDF drops a letter that a ligature has at the same place.
        ([(100, 700, [*_seen("تفاق"), "لا", "ا"])], "الاتفاق"),
        # Cells of a narrow table stay apart.
        ([(170, 700, _seen("שכר")), (201.5, 700, _seen("חוזה"))], "חוזה שכר"),
        # Brackets that are what is seen, and brackets that are what was written.
        ([(100, 700, "(" + _seen("נספח") + ") " + _seen("חוזה"))], "חוזה (נספח)"),
        ([(100, 700, ")" + _seen("נספח") + "( " + _seen("חוזה"))], "חוזה (נספח)"),
        # Word sets the blank behind words of another script to their right.
        (
            [(300, 700, _seen("בשפת ")), (230, 700, "Python "), (100, 700, _seen("וספריות רבות"))],
            "בשפת Python וספריות רבות",
        ),
        # Cells of a table are read from the right.
        (
            [(100, 700, _seen("מאה")), (400, 700, _seen("דמי שכירות"))],
            "דמי שכירות\tמאה",
        ),
    ],
)  # fmt: skip
def test_a_line_to_the_left_is_read_as_it_was_written(
    pieces: list[tuple[float, float, str]], text: str, tmp_path: Path
) -> None:
    assert read(_drawn(tmp_path / "page.pdf", *pieces)).text == text


def test_words_to_the_left_in_a_line_to_the_right(tmp_path: Path) -> None:
    """The page is English, so the line begins with its English words, at the left."""
    made = _drawn(
        tmp_path / "page.pdf",
        (50, 720, "The word for a contract of lease in the law"),
        (50, 700, "is "),
        (80, 700, _seen("חוזה שכירות")),
        (190, 700, " in Hebrew, with vowels or without"),
    )
    assert read(made).text.splitlines()[1] == "is חוזה שכירות in Hebrew, with vowels or without"


def test_a_mark_stays_with_its_letter(tmp_path: Path) -> None:
    letters = {33: "ف", 34: "ر", 35: "ص", 36: "ً", 37: "ا"}
    content = "BT /F1 10 Tf 100 700 Td [<25> <24> <23> <22> <21>] TJ ET"
    assert read(_write(tmp_path / "page.pdf", content, letters)).text == "فرصًا"


def _cluster(between: str) -> tuple[str, dict[int, str]]:
    """A word of which a program says two letters for two glyphs, and something 20 points on."""
    letters = {33: "स", 34: "थ", 35: "त", 36: "र"}
    actual = f"/Span<</ActualText<feff{_hex('स्थि')}> >> BDC <21{between}> Tj EMC"
    return f"BT /F1 10 Tf 100 700 Td {actual} 1 0 0 1 130 700 Tm <2324> Tj ET", letters


def test_a_cluster_is_as_wide_as_its_glyphs(tmp_path: Path) -> None:
    whole = read(_write(tmp_path / "whole.pdf", *_cluster("2222"))).text
    apart = read(_write(tmp_path / "apart.pdf", *_cluster(""))).text
    assert whole == "स्थितर"
    assert apart.split() == ["स्थि", "तर"]


def test_the_outline_of_a_word_is_where_it_is_drawn(tmp_path: Path) -> None:
    made = _drawn(tmp_path / "page.pdf", (300, 700, _seen("ביום ")), (280, 700, "15"))
    with pymupdf.open(made) as document:
        placed = read_placed(document[0])
        (number,) = placed.rectangles(placed.text.index("15"), placed.text.index("15") + 2)
    assert (round(number.x0), round(number.x1)) == (280, 300)


def test_a_span_whose_blanks_went_to_the_next_is_no_fault() -> None:
    """As ``join_glyphs`` leaves one that has blanks alone."""
    drawn = [
        {"c": letter, "bbox": (x, 0.0, x + 9, 10.0), "origin": (x, 8.0)}
        for letter, x in (("ב", 20.0), ("א", 30.0))
    ]
    spans = [{"chars": [], "size": 10.0}, {"chars": drawn, "size": 10.0}]
    line: dict[str, Any] = {"dir": (1.0, 0.0), "bbox": (20.0, 0.0, 39.0, 10.0), "spans": spans}
    content = {"blocks": [{"lines": [line]}]}
    order_letters(content, list)
    assert [span["text"] for span in line["spans"]] == ["אב"]
