"""Glyphs that belong together: accents, letters set apart, columns of vertical text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest

from indexer.extract.pdf.geometry import read_placed
from tests.unit.extract.pdfs import raw_pdf, save, stream, text_at
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = (
    "いつもお世話になっております。",
    "本日は契約更新の件でご連絡いたします。",
    "敷金は三か月分とし解約時に返還する。",
)


def _drawn(path: Path, content: str) -> Path:
    """Write a PDF whose page has this content, with F1 in WinAnsi."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        page + b"/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(f"BT /F1 12 Tf 72 700 Td {content} ET".encode("cp1252")),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    path.write_bytes(raw_pdf(objects))
    return path


@pytest.mark.parametrize(
    ("content", "text"),
    [
        # An accent, and back to the letter below it.
        ("[(The paper of G)(¨)333(odel was read)]TJ", "The paper of Gödel was read"),
        ("[(by Poincar)(´)333(e)]TJ", "by Poincaré"),
        # Raised for a capital, in steps of their own.
        ("(An ) Tj 18 2.5 Td (´) Tj 0 -2.5 Td (Etude) Tj", "An Étude"),
        # The letter, and back for its accent, after which the text seems to have a gap.
        ("[(Paul Erdo)560(¨)-220(s wrote)]TJ", "Paul Erdös wrote"),
        ("[(le fran)(¸)333(cais)]TJ", "le français"),
        # Signs that stand beside letters stay what they are.
        ("(run `make` if x ^ y ~ z ¨ a)Tj", "run `make` if x ^ y ~ z ¨ a"),
    ],
)
def test_accents_are_composed_with_the_letters_they_are_drawn_over(
    tmp_path: Path, content: str, text: str
) -> None:
    assert read(_drawn(tmp_path / "tex.pdf", content)).text == text


@pytest.mark.parametrize("spacing", [1, 2.5, 4, 7])
def test_letters_that_are_set_apart_are_words(tmp_path: Path, spacing: float) -> None:
    content = f"{spacing} Tc (WILDLIFE SANCTUARY CHARTER) Tj"
    assert read(_drawn(tmp_path / "a.pdf", content)).text == "WILDLIFE SANCTUARY CHARTER"


def test_letters_typed_apart_and_single_words_set_apart_are_words(tmp_path: Path) -> None:
    typed = _drawn(tmp_path / "a.pdf", "(C H A R T E R   O F   T H E   B A Y) Tj")
    assert read(typed).text == "CHARTER OF THE BAY"
    inside = _drawn(tmp_path / "b.pdf", "(this is ) Tj 4 Tc (important) Tj 0 Tc ( to all) Tj")
    assert read(inside).text == "this is important to all"


def test_short_words_beside_others_that_are_set_apart_are_words(tmp_path: Path) -> None:
    places, x = [], 72.0
    for word in ("REPORT", "OF", "THE", "CLUB"):
        for letter in word:
            places.append((x, 90, letter))
            x += pymupdf.get_text_length(letter, fontsize=20) + 8
        x += 14
    path = save(tmp_path / "a.pdf", text_at(*places, size=20))
    assert read(path).text == "REPORT OF THE CLUB"
    ticks = [(72 + 40 * at, 90, figure) for at, figure in enumerate("12345")]
    path = save(tmp_path / "b.pdf", text_at(*ticks, (300, 90, "Rows A B C D E of it")))
    assert read(path).text == "1\t2\t3\t4\t5\tRows A B C D E of it"


@pytest.mark.parametrize("listed", ["Rows A B C D E F of it", "ticks X X X X X X", "x y z"])
def test_lists_of_letters_stay_lists(tmp_path: Path, listed: str) -> None:
    assert read(_drawn(tmp_path / "a.pdf", f"({listed}) Tj")).text == listed


def test_joined_glyphs_keep_their_boxes(tmp_path: Path) -> None:
    path = _drawn(tmp_path / "a.pdf", "4 Tc (CHARTER OF THE G) Tj 0 Tc [(¨)333(O)]TJ")
    with pymupdf.open(path) as document:
        placed = read_placed(document[0])
    boxes = placed.letters()
    assert placed.text == "CHARTER OF THE GÖ"
    assert len(boxes) == len(placed.text)
    (outline,) = placed.rectangles(0, len("CHARTER"))
    assert boxes[6]
    assert (round(outline.x0), outline.x1) == (72, boxes[6][2])


@pytest.mark.parametrize(("step", "gap"), [(14, 26), (17, 15), (24, 30), (30, 40)])
@pytest.mark.parametrize("across", [False, True])
def test_vertical_text_is_read_by_its_columns(
    tmp_path: Path, step: int, gap: int, across: bool
) -> None:
    if across and gap < step:
        pytest.skip("it is horizontal text")
    glyphs = [
        (500 - gap * column, 90 + step * row, glyph)
        for column, text in enumerate(_COLUMNS)
        for row, glyph in enumerate(text)
    ]
    if across:
        glyphs.sort(key=lambda glyph: (glyph[1], -glyph[0]))
    font = pymupdf.Font("japan")

    def draw(page: pymupdf.Page) -> None:
        page.insert_font("F0", fontbuffer=font.buffer)
        for x, y, glyph in (*glyphs, (300, 800, "12")):
            page.insert_text((x, y), glyph, fontname="F0", fontsize=14)

    path = save(tmp_path / "vertical.pdf", draw)
    assert read(path).text.splitlines() == [*_COLUMNS, "12"]
    with pymupdf.open(path) as document:
        outlined = read_placed(document[0]).rectangles(0, len(_COLUMNS[0]))
    assert {round(each.x0) for each in outlined} == {500}
    assert outlined[-1].y1 - outlined[0].y0 > 14 * step
