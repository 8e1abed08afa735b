"""The marks on a page and the letters of its text, in points of the page.

A passage and its best sentences are tinted and outlined; letters have boxes, for selections.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QRegion, QTransform

if TYPE_CHECKING:
    from indexer.api.pages import MarkBox

# The largest gap between lines of one group, in heights of a line.
_GAP = 1.6
# The distance of an outline from the ink, in points.
PADDING = 2.0
# The box of a line has the font's full height, which reaches into its neighbours. These shares of
# it are left out above and below, where most letters have no ink.
_ABOVE, _BELOW = 0.16, 0.05
# The largest gaps between pieces of a line, in its heights: between words, and between cells.
_WORD_GAP, _CELL_GAP = 3.0, 60.0
_GRID = 0.25  # points; corners of outlines are multiples of it
_SHORTEST = 3.0  # the least length of an isolated piece, in heights


class LinePiece(NamedTuple):
    """A piece of a line: its box in points, and the quarter turns clockwise of its text."""

    box: QRectF
    turn: int = 0


# The pieces of each page.
LinePieces = dict[int, list[LinePiece]]


class Marks(Struct, frozen=True):
    """The boxes of a passage and of its best sentences, best first."""

    passage: LinePieces
    sentences: tuple[LinePieces, ...] = ()

    def pages(self) -> list[int]:
        return sorted(self.passage)

    def first(self) -> tuple[int, QRectF] | None:
        """Return the page and box of the best sentence, else of the passage, to bring into view."""
        for pieces in (*self.sentences[:1], self.passage):
            for page in sorted(pieces):
                return page, bounds(pieces[page])
        return None


NO_MARKS = Marks({})


def bounds(pieces: Iterable[LinePiece]) -> QRectF:
    """Return the box around some pieces."""
    around = QRectF()
    for piece in pieces:
        around = around.united(piece.box)
    return around


def pieces_of(boxes: Iterable[MarkBox]) -> LinePieces:
    """Group the boxes of a range by their pages."""
    found: LinePieces = {}
    for box in boxes:
        around = QRectF(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0)
        found.setdefault(box.page, []).append(LinePiece(around, box.turn % 4))
    return found


def outline(pieces: Sequence[LinePiece], padding: float = PADDING) -> QPainterPath:
    """Return the path around lines of text: one shape for each run of lines in one column.

    The first line may begin late and the last one end early; the lines between are as wide as the
    widest, so that a ragged margin gives a straight edge.
    """
    covered = QRegion()
    for turn, boxes in _turns(pieces):
        to_grid = _upright(turn).inverted()[0] * QTransform.fromScale(1 / _GRID, 1 / _GRID)
        for group in _prominent(_groups(boxes)):
            for shape in _around([inked(line) for line in group], padding):
                covered += to_grid.mapRect(shape).toAlignedRect()
    # Qt drops parts of a path when it unites shapes that overlap or nearly touch. The shapes of a
    # region are disjoint, with corners on a grid.
    path = QPainterPath()
    path.addRegion(covered)
    return QTransform.fromScale(_GRID, _GRID).map(path.simplified())


def ink_of(pieces: Sequence[LinePiece]) -> list[QRectF]:
    """Return the rectangles to tint for pieces of text: their lines, without the gaps between."""
    return [
        _upright(turn).inverted()[0].mapRect(inked(line))
        for turn, boxes in _turns(pieces)
        for line in lines_of(boxes)
    ]


def inked(line: QRectF) -> QRectF:
    """Return the part of an upright line's box that letters usually fill."""
    high = line.height()
    return line.adjusted(0, _ABOVE * high, 0, -_BELOW * high)


def boxed(line: QRectF) -> QRectF:
    """Return the full box of a line, the inverse of ``inked``."""
    high = line.height() / (1 - _ABOVE - _BELOW)
    return line.adjusted(0, -_ABOVE * high, 0, _BELOW * high)


def lines_of(boxes: Sequence[QRectF], gap: float = _WORD_GAP) -> list[QRectF]:
    """Join neighbouring pieces of one upright line.

    ``boxes`` are the pieces, in the order of the text; ``gap`` is the largest gap between two of
    them, in their heights.
    """
    lines: list[QRectF] = []
    for box in boxes:
        if lines and _same_line(lines[-1], box, gap):
            lines[-1] = lines[-1].united(box)
        else:
            lines.append(QRectF(box))
    return lines


def _turns(pieces: Sequence[LinePiece]) -> list[tuple[int, list[QRectF]]]:
    """Split pieces where the direction of their text changes, and turn each part upright."""
    return [
        (turn, [_upright(turn).mapRect(piece.box) for piece in run])
        for turn, run in groupby(pieces, key=lambda piece: piece.turn)
    ]


def _upright(turn: int) -> QTransform:
    return QTransform().rotate(-90 * turn % 360)  # exact for these angles


def _same_line(one: QRectF, other: QRectF, gap: float) -> bool:
    shared = min(one.bottom(), other.bottom()) - max(one.top(), other.top())
    apart = max(other.left() - one.right(), one.left() - other.right())
    height = min(one.height(), other.height())
    return shared > 0.6 * height and apart < gap * height


def _groups(boxes: Sequence[QRectF]) -> list[list[QRectF]]:
    """Join pieces to lines, and split these where the text jumps past a picture or to a column."""
    groups: list[list[QRectF]] = []
    for line in lines_of(boxes, _CELL_GAP):
        if groups and _follows(groups[-1][-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _prominent(groups: list[list[QRectF]]) -> list[list[QRectF]]:
    """Remove scattered small pieces, such as the numbers along an axis, if there is other text."""
    large = [
        group
        for group in groups
        if len(group) > 1 or group[0].width() > _SHORTEST * group[0].height()
    ]
    return large or groups


def _follows(before: QRectF, line: QRectF) -> bool:
    gap = line.top() - before.bottom()
    height = max(before.height(), line.height())
    over = min(before.right(), line.right()) - max(before.left(), line.left())
    return -0.6 * height < gap < _GAP * height and over > 0


def _around(lines: list[QRectF], padding: float) -> list[QRectF]:
    """Return rectangles whose union is the outline of some lines."""
    left = min(line.left() for line in lines)
    right = max(line.right() for line in lines)
    shapes = []
    for i, line in enumerate(lines):
        # Only the first line may begin late, and only the last one end early.
        shape = QRectF(line)
        if i > 0:
            shape.setLeft(left)
            shape.setTop((lines[i - 1].bottom() + line.top()) / 2)
        if i < len(lines) - 1:
            shape.setRight(right)
            shape.setBottom((line.bottom() + lines[i + 1].top()) / 2)
        shapes.append(shape.adjusted(-padding, -padding, padding, padding))
    return shapes


_SIDES = struct.Struct("<4f")
_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad\u2010]\n(?=[^\W\d_A-Z])")
_LINE_END = re.compile(r"[ \t]*\n")
_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")


class Letters(Struct, frozen=True):
    """A page's text and the box of each character; blanks between characters have None."""

    text: str
    boxes: list[QRectF | None]
    turn: int = 0  # by how many quarters clockwise most of the text is turned

    @classmethod
    def from_bytes(cls, text: str, data: bytes, turn: int = 0) -> Letters:
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
        upright = _upright(self.turn)
        back = upright.inverted()[0]
        boxes = [upright.mapRect(box) for box in self.boxes[max(0, start) : end] if box is not None]
        return [back.mapRect(line) for line in lines_of(boxes)]


def flowing(text: str) -> str:
    """Join the lines of a text: hyphenated words become whole, and line ends become blanks."""
    joined = _HYPHENATED.sub("", text.strip())
    return _LINE_END.sub(" ", joined)
