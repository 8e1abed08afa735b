"""Computes the layout of a document's pages below each other, in logical pixels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTransform

from ui.theme import L

if TYPE_CHECKING:
    from indexer.api.pages import Size

GAP = float(L)  # between two pages
MARGIN = float(L)  # around all of them
SMALLEST, LARGEST = 0.25, 4.0
_LARGEST_FIT = 1.5  # in a wider window the margins are visible, too
STEPS = (0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)


class Fit(Enum):
    """The modes of zoom."""

    WIDTH = "width"  # the width of the text, without the margins of the page
    PAGE = "page"
    SCALE = "scale"  # chosen by the person


class Zoom(Struct, frozen=True):
    """The chosen zoom: a fit, or a scale of which 1 is the size on paper."""

    fit: Fit = Fit.WIDTH
    scale: float = 1.0


def scale_for(zoom: Zoom, page: Size, viewport: Size, natural: float) -> float:
    """Return the scale in logical pixels per point.

    Args:
        page: Width and height to fit into the viewport, of the page or its text, in points.
        viewport: Width and height of the viewport in logical pixels.
        natural: Logical pixels per point at the size on paper.
    """
    wide = max(viewport[0] - 2 * MARGIN, 40.0) / page[0]
    high = max(viewport[1] - 2 * MARGIN, 40.0) / page[1]
    match zoom.fit:
        case Fit.WIDTH:
            wanted = min(wide, _LARGEST_FIT * natural)
        case Fit.PAGE:
            wanted = min(wide, high)
        case Fit.SCALE:
            wanted = zoom.scale * natural
    return max(SMALLEST / 4 * natural, min(LARGEST * natural, wanted))


def next_step(scale: float, direction: int) -> float:
    """Return the next larger (or, for -1, smaller) of the usual scales."""
    if direction > 0:
        return next((step for step in STEPS if step > scale * 1.01), LARGEST)
    return next((step for step in reversed(STEPS) if step < scale * 0.99), SMALLEST)


def turned(turn: int, size: Size) -> QTransform:
    """Return the transformation that turns a page of a size by quarters clockwise."""
    turning = QTransform().rotate(90 * (turn % 4))  # exact for these angles
    corner = turning.mapRect(QRectF(0, 0, *size)).topLeft()
    return turning * QTransform.fromTranslate(-corner.x(), -corner.y())


def turned_size(turn: int, size: Size) -> Size:
    """Return the width and height of a page after quarter turns."""
    return (size[1], size[0]) if turn % 2 else size


class PageLayout:
    """Pages below each other, centred on one line.

    Args:
        sizes: Width and height of each page in points.
        scale: Logical pixels per point.
        room: Width of the viewport; narrower pages are centred.
        turn: By how many quarters clockwise every page is turned.
    """

    def __init__(self, sizes: Sequence[Size], scale: float, room: float, turn: int = 0) -> None:
        self.scale = scale
        self.turn = turn % 4
        self._pages = sizes
        sizes = [turned_size(turn, size) for size in sizes] if turn % 2 else sizes
        self._sizes = sizes
        widest = max((width for width, _ in sizes), default=0.0) * scale
        self.width = max(widest + 2 * MARGIN, room)
        heights = [height * scale + GAP for _, height in sizes]
        self._tops = list(accumulate(heights, initial=MARGIN))
        self.height = self._tops[-1] - GAP + MARGIN if sizes else 0.0

    def __len__(self) -> int:
        return len(self._sizes)

    def rect(self, page: int) -> QRectF:
        """Return the rectangle of a page."""
        width, height = (side * self.scale for side in self._sizes[page - 1])
        return QRectF((self.width - width) / 2, self._tops[page - 1], width, height)

    def page_at(self, y: float) -> int:
        """Return the page at a height, or the nearest one."""
        return max(1, min(bisect_right(self._tops, y + GAP / 2), len(self)))

    def between(self, top: float, bottom: float) -> range:
        """Return the pages that overlap a range of heights."""
        return range(self.page_at(top), self.page_at(bottom) + 1) if self._sizes else range(0)

    def pixel_size(self, page: int) -> Size:
        """Return the width and height of a page before it is turned, in logical pixels."""
        width, height = self._pages[page - 1]
        return width * self.scale, height * self.scale

    def transform(self, page: int) -> QTransform:
        """Return the transformation from points of a page to the layout."""
        rect = self.rect(page)
        turning = turned(self.turn, self._pages[page - 1])
        scaling = QTransform.fromScale(self.scale, self.scale)
        return turning * scaling * QTransform.fromTranslate(rect.x(), rect.y())

    def to_page(self, page: int, place: QPointF) -> QPointF:
        """Convert a point of the layout to points of a page."""
        return self.transform(page).inverted()[0].map(place)

    def part_of(self, page: int, area: QRectF) -> tuple[float, float]:
        """Return the part of a page within an area, as shares of its height."""
        box = self.transform(page).inverted()[0].mapRect(area)
        height = self._pages[page - 1][1]
        return box.top() / height, box.bottom() / height

    def from_page(self, page: int, box: QRectF) -> QRectF:
        """Convert a box in points of a page to the layout."""
        return self.transform(page).mapRect(box)
