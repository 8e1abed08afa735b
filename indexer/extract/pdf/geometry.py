"""The boxes of a range of a PDF page's text, for outlines around it.

Owns the way back from offsets to rectangles. Nothing of it is stored: the page is read again with
the positions of its characters, and laid out as it was for the canonical text. Runs in children
only.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.extract.pdf.layout import lay_out, placements
from indexer.extract.pdf.reader import read_page
from indexer.ocr.layer import transformed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.extract.pdf.lines import Line
    from indexer.ocr.hocr import RecognisedLine


# Left, top, right and bottom, as in ``Rectangle``.
Box = tuple[float, float, float, float]
# A matrix as PDF writes it: x' = a x + c y + e, y' = b x + d y + f.
Matrix = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box on the page as it is shown, rotation and cropping applied.

    In points from the upper left corner of what is visible. ``turn`` is how many quarter turns
    clockwise the text in it is turned.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    turn: int = 0


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """The boxes of a line's characters, and the direction in which it runs; y grows downwards."""

    boxes: list[Box]
    direction: tuple[float, float]


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The extracted text of a page, and the box of each of its characters.

    The library reads text as if no page were rotated; ``_matrix`` leads from there to the page as
    it is shown.
    """

    text: str
    _lines: list[tuple[int, Line]]
    _drawn: list[DrawnLine]
    _matrix: Matrix

    def rectangles(self, start: int, end: int) -> list[Rectangle]:
        """Return the rectangles around a range of the text, one per piece of a line."""
        found = []
        for begin, line in self._lines:
            first, last = max(start - begin, 0), min(end - begin, len(line.text))
            boxes = self._boxes(line)[first:last] if first < last else []
            if boxes:
                box = transformed(_union(boxes), self._matrix)
                turn = _quarters(self._drawn[line.place].direction, self._matrix)
                found.append(Rectangle(*box, turn))
        return found

    def turn(self) -> int:
        """Return how most of the text is turned, as ``Rectangle.turn``."""
        turns = Counter[int]()
        for _, line in self._lines:
            drawn = self._drawn[line.place]
            turns[_quarters(drawn.direction, self._matrix)] += len(drawn.boxes)
        return max(turns, key=lambda turn: turns[turn], default=0)

    def letters(self) -> list[Box | None]:
        """Return the box of each character; what only joins pieces of text has none."""
        boxes: list[Box | None] = [None] * len(self.text)
        for begin, line in self._lines:
            own = [transformed(box, self._matrix) for box in self._boxes(line)]
            boxes[begin : begin + len(own)] = own
        return boxes

    def _boxes(self, line: Line) -> list[Box]:
        return self._drawn[line.place].boxes[line.skipped : line.skipped + len(line.text)]


def read_placed(page: Any, recognised: Sequence[RecognisedLine] = ()) -> PlacedText:
    """Read an open page's text, or what was recognised on it, with the places of its characters."""
    lines, height, text_page = read_page(page, recognised)
    drawn = _drawn_lines(text_page.extractRAWDICT()) if lines else []
    matrix = tuple(page.rotation_matrix)
    return PlacedText(lay_out(lines, height)[0], placements(lines), drawn, matrix)


def _drawn_lines(content: dict[str, Any]) -> list[DrawnLine]:
    """Return the lines of a page dictionary, in their order."""
    return [
        DrawnLine(
            [character["bbox"] for span in line["spans"] for character in span["chars"]],
            line["dir"],
        )
        for block in content["blocks"]
        for line in block.get("lines", ())
    ]


def _union(boxes: list[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _quarters(direction: tuple[float, float], matrix: Matrix) -> int:
    """Return how many quarter turns clockwise a direction is from the usual one, once shown."""
    across, down = direction
    a, b, c, d, _, _ = matrix
    x, y = a * across + c * down, b * across + d * down
    if abs(x) >= abs(y):
        return 0 if x >= 0 else 2
    return 1 if y > 0 else 3
