"""The cache of rendered pages, and the cutting of large pages into bands.

It must not know who renders or shows them.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage, QPixmap

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.pages import PageImage

CACHE_BYTES = 192 << 20
# A page of more pixels is rendered in bands, each in a few dozen milliseconds.
BAND_PIXELS = 5_000_000
MAX_WIDTH = 16_000
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class ImageKey:
    """A band of a page of a state of a file, at a width in device pixels.

    Zoom and the screen's ratio are in the width.
    """

    path: Path
    stamp: str
    page: int
    width: int
    band: int = 0


@dataclass(frozen=True, slots=True)
class Band:
    """Rows of a rendered page: the pixmap, its first row, and the height of the whole page."""

    pixmap: QPixmap
    top: int
    height: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A page of a size in pixels, cut into bands of ``rows`` rows."""

    width: int
    height: int
    rows: int

    @property
    def bands(self) -> int:
        return max(1, math.ceil(self.height / self.rows))

    def between(self, top: float, bottom: float) -> range:
        """Return the bands that overlap a range of heights, given as shares."""
        first = int(max(0.0, top) * self.height) // self.rows
        last = int(min(1.0, bottom) * self.height - 1e-6) // self.rows
        return range(min(first, self.bands - 1), min(max(last, first), self.bands - 1) + 1)


def cut(width: int, points: tuple[float, float]) -> Cut:
    """Cut a page, given its width in device pixels and its size in points."""
    height = max(1, round(width * points[1] / points[0]))
    if width * height <= BAND_PIXELS:
        return Cut(width, height, height)
    return Cut(width, height, max(64, BAND_PIXELS // (2 * width)))


def band_of(found: PageImage, data: bytes) -> Band | None:
    """Make a band of an answer of the render child; None if the answer is invalid."""
    columns, rows, stride = found.columns, found.rows, found.stride
    if columns <= 0 or rows <= 0 or len(data) < rows * stride or stride < 3 * columns:
        return None
    image = QImage(data, columns, rows, stride, QImage.Format.Format_RGB888)
    return Band(QPixmap.fromImage(image), found.top, found.height)


class ImageCache:
    """The bands used last, up to ``room`` bytes."""

    def __init__(self, room: int = CACHE_BYTES) -> None:
        self._room = room
        self._used = 0
        self._bands: OrderedDict[ImageKey, Band] = OrderedDict()

    def __len__(self) -> int:
        return len(self._bands)

    def __contains__(self, key: ImageKey) -> bool:
        return key in self._bands

    def get(self, key: ImageKey) -> Band | None:
        band = self._bands.get(key)
        if band is not None:
            self._bands.move_to_end(key)
        return band

    def put(self, key: ImageKey, band: Band) -> None:
        self.drop(key)
        self._bands[key] = band
        self._used += _bytes(band)
        while self._used > self._room and len(self._bands) > 1:
            _, oldest = self._bands.popitem(last=False)
            self._used -= _bytes(oldest)

    def drop(self, key: ImageKey) -> None:
        if (band := self._bands.pop(key, None)) is not None:
            self._used -= _bytes(band)


def _bytes(band: Band) -> int:
    return band.pixmap.width() * band.pixmap.height() * _DEPTH
