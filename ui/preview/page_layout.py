"""The layout of a document's pages below each other, in logical pixels. Pure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.pages import Size

GAP = 12.0  # between two pages
MARGIN = 12.0  # around all of them
SMALLEST, LARGEST = 0.25, 4.0
STEPS = (0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)


class Fit(Enum):
    """The modes of zoom."""

    WIDTH = "width"
    PAGE = "page"
    SCALE = "scale"  # by the person


@dataclass(frozen=True, slots=True)
class Zoom:
    """The chosen zoom: a fit, or a scale of which 1 is the size on paper."""

    fit: Fit = Fit.WIDTH
    scale: float = 1.0


def scale_for(zoom: Zoom, page: Size, viewport: Size, natural: float) -> float:
    """Return the scale in logical pixels per point.

    Args:
        zoom: The chosen zoom.
        page: Width and height of the current page in points.
        viewport: Width and height of the viewport in logical pixels.
        natural: Logical pixels per point at the size on paper.
    """
    wide = max(viewport[0] - 2 * MARGIN, 40.0) / page[0]
    high = max(viewport[1] - 2 * MARGIN, 40.0) / page[1]
    match zoom.fit:
        case Fit.WIDTH:
            wanted = wide
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


class PageLayout:
    """Pages below each other, each in the middle of the widest.

    Args:
        sizes: Width and height of each page in points.
        scale: Logical pixels per point.
        room: Width of the viewport; narrower pages are centred.
    """

    def __init__(self, sizes: Sequence[Size], scale: float, room: float) -> None:
        self.scale = scale
        self._sizes = sizes
        widest = max((width for width, _ in sizes), default=0.0)
        self.width = max(widest * scale + 2 * MARGIN, room)
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
        return max(1, min(bisect_right(self._tops, y + GAP / 2), len(self._sizes)))

    def between(self, top: float, bottom: float) -> range:
        """Return the pages that overlap a range of heights."""
        if not self._sizes:
            return range(0)
        return range(self.page_at(top), self.page_at(bottom) + 1)

    def to_page(self, page: int, point: QPointF) -> QPointF:
        """Convert a point of the layout to points of a page."""
        rect = self.rect(page)
        return QPointF((point.x() - rect.x()) / self.scale, (point.y() - rect.y()) / self.scale)

    def from_page(self, page: int, box: QRectF) -> QRectF:
        """Convert a box in points of a page to the layout."""
        rect, scale = self.rect(page), self.scale
        return QRectF(
            rect.x() + box.x() * scale,
            rect.y() + box.y() * scale,
            box.width() * scale,
            box.height() * scale,
        )
