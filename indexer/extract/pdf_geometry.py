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
from indexer.extract.pdf_layout import lay_out, placements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.extract.pdf_lines import Line


# Left, top, right and bottom, as in ``Rectangle``.
Box = tuple[float, float, float, float]
# A matrix as PDF writes it: x' = a x + c y + e, y' = b x + d y + f.
Turn = tuple[float, ...]
_NO_TURN: Turn = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


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
    placed = read_placed(page)
    return [placed.rectangles(start, end) for start, end in ranges]


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The text of a page, as extraction reads it, and where each of its characters stands.

    The library reads text as if no page were rotated; ``_turn`` leads from there to the page as it
    is shown.
    """

    text: str
    _lines: list[tuple[int, Line]]
    _boxes: list[list[Box]]
    _turn: Turn

    def rectangles(self, start: int, end: int) -> list[Rectangle]:
        """Return the rectangles around a range of the text, one a piece of a line."""
        found = []
        for begin, line in self._lines:
            first, last = max(start - begin, 0), min(end - begin, len(line.text))
            boxes = self._of(line)[first:last] if first < last else []
            if boxes:
                found.append(Rectangle(*_turned(_union(boxes), self._turn)))
        return found

    def letters(self) -> list[Box | None]:
        """Return the box of each character; what only joins pieces of text has none."""
        boxes: list[Box | None] = [None] * len(self.text)
        for begin, line in self._lines:
            own = [_turned(box, self._turn) for box in self._of(line)]
            boxes[begin : begin + len(own)] = own
        return boxes

    def _of(self, line: Line) -> list[Box]:
        return self._boxes[line.place][line.skipped : line.skipped + len(line.text)]


def read_placed(page: Any) -> PlacedText:
    """Read an open page's text with the places of its characters."""
    lines, height, text_page = read_page(page)
    boxes = _characters(text_page.extractRAWDICT()) if lines else []
    turn = tuple(page.rotation_matrix)
    return PlacedText(lay_out(lines, height)[0], placements(lines), boxes, turn)


def _characters(content: dict[str, Any]) -> list[list[Box]]:
    """Return the boxes of the characters of each line, in the order of the lines."""
    return [
        [character["bbox"] for span in line["spans"] for character in span["chars"]]
        for block in content["blocks"]
        for line in block.get("lines", ())
    ]


def _union(boxes: list[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _turned(box: Box, turn: Turn) -> Box:
    """Apply the rotation of a page, a matrix of quarter turns, to a box on it."""
    if turn == _NO_TURN:
        return box
    a, b, c, d, e, f = turn
    xs = [a * x + c * y + e for x, y in (box[:2], box[2:])]
    ys = [b * x + d * y + f for x, y in (box[:2], box[2:])]
    return min(xs), min(ys), max(xs), max(ys)
