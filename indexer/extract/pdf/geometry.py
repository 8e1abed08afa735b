"""Finds the boxes of a range of a PDF page's text, to outline it.

Positions are not stored: the page is read again with the boxes of its characters, and laid out as
it was for the canonical text. Runs in child processes only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.extract.pdf.glyphs import characters_of, lines_of
from indexer.extract.pdf.layout import lay_out, placements
from indexer.extract.pdf.reader import RecognisedUse, read_page
from indexer.ocr.layer import Box, Matrix, transformed, union

if TYPE_CHECKING:
    from indexer.extract.pdf.lines import Line
    from indexer.ocr.layer import RecognisedLine


class Rectangle(Struct, frozen=True):
    """A box on the displayed page, with rotation and cropping applied.

    It is in points from the upper left corner. ``turn`` is the rotation of its text, in quarter
    turns clockwise.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    turn: int = 0


class DrawnLine(Struct, frozen=True):
    """The boxes of a line's characters, and its direction as a vector. y grows downwards."""

    boxes: list[Box]
    direction: tuple[float, float]


class PlacedText(Struct, frozen=True):
    """The extracted text of a page, and the box of each of its characters.

    MuPDF returns the boxes of the unrotated page; ``_matrix`` transforms them to the displayed one.
    """

    text: str
    _lines: list[tuple[int, Line]]
    _drawn: list[DrawnLine]
    _matrix: Matrix

    def rectangles(self, start: int, end: int) -> list[Rectangle]:
        """Return the rectangles of a range of the text, one for each part of a line."""
        found = []
        for begin, line in self._lines:
            first, last = max(start - begin, 0), min(end - begin, len(line.text))
            boxes = self._boxes(line)[first:last] if first < last else []
            if boxes:
                box = transformed(union(boxes), self._matrix)
                turn = _quarters(self._drawn[line.place].direction, self._matrix)
                found.append(Rectangle(*box, turn))
        return found

    def turn(self) -> int:
        """Return the rotation of most of the text, as ``Rectangle.turn``."""
        turns = Counter[int]()
        for _, line in self._lines:
            drawn = self._drawn[line.place]
            turns[_quarters(drawn.direction, self._matrix)] += len(drawn.boxes)
        return max(turns, key=lambda turn: turns[turn], default=0)

    def letters(self) -> list[Box | None]:
        """Return the box of each character, ``None`` for separators between lines and cells."""
        boxes: list[Box | None] = [None] * len(self.text)
        for begin, line in self._lines:
            own = [transformed(box, self._matrix) for box in self._boxes(line)]
            boxes[begin : begin + len(own)] = own
        return boxes

    def _boxes(self, line: Line) -> list[Box]:
        return self._drawn[line.place].boxes[line.skipped : line.skipped + len(line.text)]


def read_placed(
    page: Any,
    recognised: Sequence[RecognisedLine] = (),
    use: RecognisedUse = RecognisedUse.REPLACE,
) -> PlacedText:
    """Read the text of an open page, or its recognised text, with the boxes of its characters."""
    lines, height, characters = read_page(page, recognised, use)
    drawn = [
        DrawnLine([each["bbox"] for each in characters_of(line)], line["dir"])
        for line in (lines_of(characters()) if lines else ())
    ]
    matrix = tuple(page.rotation_matrix)
    return PlacedText(lay_out(lines, height)[0], placements(lines), drawn, matrix)


def _quarters(direction: tuple[float, float], matrix: Matrix) -> int:
    """Return the angle of a direction on the displayed page, in quarter turns clockwise."""
    across, down = direction
    a, b, c, d, _, _ = matrix
    x, y = a * across + c * down, b * across + d * down
    if abs(x) >= abs(y):
        return 0 if x >= 0 else 2
    return 1 if y > 0 else 3
