"""Rectangles of a range of text contain that text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest

from indexer.config import Limits
from indexer.extract.pdf.geometry import read_placed
from indexer.extract.pdf.reader import open_source
from tests.unit.extract.pdfs import PROSE, box, save, text_at, together

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def turned(page: pymupdf.Page) -> None:
    two_columns(page)
    page.set_rotation(90)


def cropped(page: pymupdf.Page) -> None:
    two_columns(page)
    page.set_cropbox(pymupdf.Rect(40, 60, 560, 700))


def two_columns(page: pymupdf.Page) -> None:
    together(box(320, 100, 540, 500, PROSE), box(72, 100, 290, 500, PROSE))(page)


@pytest.mark.parametrize("draw", [two_columns, turned, cropped])
@pytest.mark.parametrize("wanted", ["keeper", "lit the lamp", "nobody else has ever read"])
def test_rectangles_contain_the_text_of_their_range(
    tmp_path: Path, draw: Callable[[pymupdf.Page], None], wanted: str
) -> None:
    path = save(tmp_path / "a.pdf", text_at((72, 72, "first page")), draw)
    *_, page = open_source(path, None, Limits()).pages()
    start = " ".join(page.text.split("\n")).rindex(wanted)
    shown = pymupdf.open(path)[1]
    rectangles = read_placed(shown).rectangles(start, start + len(wanted))
    boxes = [pymupdf.Rect(r.x0, r.y0, r.x1, r.y1) * shown.derotation_matrix for r in rectangles]
    found = [shown.get_textbox(box + pymupdf.Rect(-0.5, 2, 0.5, -2)) for box in boxes]
    assert " ".join(" ".join(found).split()) == wanted
    assert len(rectangles) == page.text[start : start + len(wanted)].count("\n") + 1


def test_an_empty_range_has_no_rectangles(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", two_columns)
    assert read_placed(pymupdf.open(path)[0]).rectangles(5, 5) == []
