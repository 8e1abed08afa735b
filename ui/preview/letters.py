"""The characters of a page and their boxes, for selections. It must not know widgets."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from ui.preview.marks import turned_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIDES = struct.Struct("<4f")
_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad\u2010]\n(?=[^\W\d_A-Z])")
_LINE_END = re.compile(r"[ \t]*\n")
_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")


@dataclass(frozen=True, slots=True)
class Letters:
    """A page's text, and the box of each character, None for a blank between others."""

    text: str
    boxes: list[QRectF | None]
    turn: int = 0  # quarter turns clockwise of most of the text

    @classmethod
    def read(cls, text: str, data: bytes, turn: int = 0) -> Letters:
        """Decode the boxes that the render child sends: four floats for each character."""
        boxes: list[QRectF | None] = []
        for x0, y0, x1, y1 in _SIDES.iter_unpack(data[: len(text) * _SIDES.size]):
            boxes.append(QRectF(x0, y0, x1 - x0, y1 - y0) if x1 > x0 else None)
        boxes += [None] * (len(text) - len(boxes))
        return cls(text, boxes, turn)

    def place(self, point: QPointF) -> int:
        """Return the offset of the border between characters that is nearest to a point."""
        best, nearest = 0, float("inf")
        x, y = point.x(), point.y()
        for i, box in enumerate(self.boxes):
            if box is None:
                continue
            down = max(box.top() - y, 0.0, y - box.bottom())
            across = max(box.left() - x, 0.0, x - box.right())
            # A distance across lines counts more than one along a line.
            distance = 4 * down + across
            if distance < nearest:
                nearest = distance
                best = i + (x > box.center().x())
        return best

    def word(self, place: int) -> tuple[int, int]:
        """Return the range of the word at an offset."""
        for found in _WORD.finditer(self.text, max(0, place - 100), place + 100):
            if found.start() <= place <= found.end():
                return found.span()
        return place, min(place + 1, len(self.text))

    def lines(self, start: int, end: int) -> list[QRectF]:
        """Return the rectangles around a range, one per piece of a line."""
        return turned_lines(list(self._boxes(start, end)), self.turn)

    def _boxes(self, start: int, end: int) -> Iterator[QRectF]:
        for box in self.boxes[max(0, start) : end]:
            if box is not None:
                yield box


def flowing(text: str) -> str:
    """Join the lines of a text: hyphenated words become whole, line ends blanks."""
    joined = _HYPHENATED.sub("", text.strip())
    return _LINE_END.sub(" ", joined)
