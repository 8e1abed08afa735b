"""Where a range of a PDF page's text stands on the page, for outlines around it.

Owns the way back from offsets to rectangles. Nothing of it is stored: the page is read again with
the positions of its characters, and laid out as it was for the canonical text. Runs in children
only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.errors import WorldError
from indexer.extract.pdf import open_document, read_page
from indexer.extract.pdf_layout import placements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.extract.pdf_lines import Line


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box on the page as it is shown, rotation and cropping applied.

    In points from the upper left corner of what is visible.
    """

    x0: float
    y0: float
    x1: float
    y1: float


def page_geometry(
    path: Path, page: int, start: int, end: int, password: str | None = None
) -> list[Rectangle]:
    """Return the rectangles around a range of a page's text, one a line, in reading order.

    Args:
        path: The document.
        page: Number of the page, from 1.
        start: First code point of the range, counted in the page's own text.
        end: The one after its last.
        password: To open the document with.

    Raises:
        WorldError: ``needs_password``, or ``unreadable`` if there is no such page.
    """
    document = open_document(path, password)
    try:
        if not 1 <= page <= document.page_count:
            raise WorldError("unreadable", reason=f"there is no page {page}")
        return text_rectangles(document.load_page(page - 1), [(start, end)])[0]
    finally:
        document.close()


def text_rectangles(page: Any, ranges: Sequence[tuple[int, int]]) -> list[list[Rectangle]]:
    """Return the rectangles around each of several ranges of an open page's text."""
    lines, _, text_page = read_page(page)
    characters = _characters(text_page.extractRAWDICT())
    placed = placements(lines)
    return [_around(placed, characters, start, end) for start, end in ranges]


def _characters(content: dict[str, Any]) -> list[list[tuple[float, float, float, float]]]:
    """Return the boxes of the characters of each line, in the order of the lines."""
    return [
        [character["bbox"] for span in line["spans"] for character in span["chars"]]
        for block in content["blocks"]
        for line in block.get("lines", ())
    ]


def _around(
    placed: list[tuple[int, Line]],
    characters: list[list[tuple[float, float, float, float]]],
    start: int,
    end: int,
) -> list[Rectangle]:
    found = []
    for begin, line in placed:
        first, last = max(start - begin, 0), min(end - begin, len(line.text))
        if first < last:
            boxes = characters[line.place][line.skipped + first : line.skipped + last]
            found.append(_union(boxes))
    return found


def _union(boxes: list[tuple[float, float, float, float]]) -> Rectangle:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Rectangle(min(lefts), min(tops), max(rights), max(bottoms))
