"""An open document with pages: it fetches sizes, labels, images and letters when needed.

It cancels requests that are no longer needed, and has large pages rendered in bands.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPixmap

from indexer.api.lru_cache import LruCache
from indexer.api.pages import GetImage, GetLetters, GetSizes, GetText, Open
from ui.preview.client import RenderClient, Urgency
from ui.preview.marks import Letters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from indexer.api.errors import LecternError
    from indexer.api.pages import (
        DocumentSource,
        Opened,
        OpenedPages,
        PageImage,
        PageLetters,
        PageSizes,
        Size,
        TextPart,
    )

CACHE_BYTES = 192 << 20
# A page of more pixels is rendered in bands, each in a few dozen milliseconds.
BAND_PIXELS = 5_000_000
MAX_WIDTH = 16_000
_DEPTH = 4


class ImageKey(Struct, frozen=True):
    """A band of a page of a state of a file, at a width in device pixels.

    Zoom and the screen's ratio are in the width.
    """

    path: Path
    stamp: str
    page: int
    width: int
    band: int = 0


class Band(Struct, frozen=True):
    """Rows of a rendered page: the pixmap, its first row, and the height of the whole page."""

    pixmap: QPixmap
    top: int
    height: int


class Cut(Struct, frozen=True):
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


def image_of(found: PageImage, data: bytes) -> QImage | None:
    """Make an image over the data of an answer of the child; None if the answer is invalid."""
    columns, rows, stride = found.columns, found.rows, found.stride
    if columns <= 0 or rows <= 0 or len(data) < rows * stride or stride < 3 * columns:
        return None
    return QImage(data, columns, rows, stride, QImage.Format.Format_RGB888)


def band_of(found: PageImage, data: bytes) -> Band | None:
    """Make a band of an answer of the render child; None if the answer is invalid."""
    image = image_of(found, data)
    return None if image is None else Band(QPixmap.fromImage(image), found.top, found.height)


def want_first_page(
    client: RenderClient, source: DocumentSource, width: int, came: Callable[[QPixmap | str], None],
    letters: int = 0,
) -> None:  # fmt: skip
    """Call ``came`` later with the first page of a document, ``width`` pixels wide, if possible.

    For a document without pages it gets the first ``letters`` characters of the text, if not 0.
    """

    def opened(found: Opened, _data: bytes) -> None:
        if found.pages is not None:
            client.ask_child(GetImage(source, 1, width), image_came, urgency=Urgency.REST)
        elif letters:
            client.ask_child(GetText(source, 0, 0, letters), text_came, urgency=Urgency.REST)

    def image_came(found: PageImage, data: bytes) -> None:
        if (band := band_of(found, data)) is not None:
            came(band.pixmap)

    def text_came(_part: TextPart, data: bytes) -> None:
        came(data.decode("utf-8", "replace")[:letters])

    client.ask_child(Open(source), opened, urgency=Urgency.REST)


def image_cache(room: int = CACHE_BYTES) -> LruCache[ImageKey, Band]:
    """Return an LRU cache of bands that is bounded by ``room`` bytes."""
    return LruCache(room, lambda band: band.pixmap.width() * band.pixmap.height() * _DEPTH)


_KEPT_LETTERS = 8
_SIZES_AT_A_TIME = 2_000


class PageDocument(QObject):
    """A document as the render child opened it.

    Args:
        stamp: The state of the file; it changes with the file.
        pages: The page count, labels and first sizes.
        cache: The images, which outlive this document.
    """

    image_ready = Signal(int)  # a page, even if its image failed
    letters_ready = Signal(int)
    sizes_changed = Signal()

    def __init__(
        self, source: DocumentSource, stamp: str, pages: OpenedPages, client: RenderClient,
        cache: LruCache[ImageKey, Band], parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.source = source
        self.stamp = stamp
        self.count = pages.count
        self.labels = pages.labels
        self.outlined = pages.outlined
        self.margin = 0.0  # points that the text leaves free on both sides, once known
        self.failures: dict[int, LecternError] = {}
        self._client = client
        self._cache = cache
        known = [_at_least_a_point(size) for size in pages.sizes]
        self._known = len(known)
        # Pages have the size of the current one until their own is known.
        size = _at_least_a_point(pages.size)
        self.sizes: list[Size] = known + [size] * (self.count - len(known))
        self.sizes[pages.page - 1] = size
        self._pending: dict[ImageKey, int] = {}
        self._latest: dict[int, ImageKey] = {}
        self._letters: LruCache[int, Letters] = LruCache(_KEPT_LETTERS)
        self._pending_letters: dict[int, int] = {}
        self._others: set[int] = set()
        self._ask_sizes()

    def label(self, page: int) -> str:
        return self.labels[page - 1] if 0 < page <= len(self.labels) else str(page)

    def find_page(self, text: str) -> int | None:
        """Return the page with a label, else with a number; None without one."""
        wanted = text.strip().casefold()
        for number, label in enumerate(self.labels, 1):
            if label.casefold() == wanted:
                return number
        if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= self.count:
            return int(wanted)
        return None

    def key(self, page: int, width: int, band: int = 0) -> ImageKey:
        return ImageKey(self.source.path, self.stamp, page, width, band)

    def band(self, page: int, width: int, band: int) -> Band | None:
        """Return a band if it is in the cache."""
        return self._cache.get(self.key(page, width, band))

    def stand_in(self, page: int) -> Band | None:
        """Return a whole page at another size, to show until the right one has come."""
        key = self._latest.get(page)
        return self._cache.get(key) if key is not None else None

    def want_bands(self, visible: Iterable[ImageKey], soon: Iterable[ImageKey]) -> None:
        """Fetch the visible bands, then those that may be needed next; cancel all others."""
        wanted = dict.fromkeys(soon, Urgency.NEAR) | dict.fromkeys(visible, Urgency.VISIBLE)
        for key in [key for key in self._pending if key not in wanted]:
            self._client.cancel(self._pending.pop(key))
        for key, urgency in sorted(wanted.items(), key=lambda item: item[1]):
            here = key in self._pending or key in self._cache
            if not here and key.page not in self.failures:
                self._ask_image(key, urgency)

    def letters(self, page: int) -> Letters | None:
        """Return the letters of a page if they have been fetched."""
        return self._letters.get(page)

    def want_letters(self, page: int) -> None:
        if page in self._letters or page in self._pending_letters or page in self.failures:
            return
        for other in [other for other in self._pending_letters if other != page]:
            self._client.cancel(self._pending_letters.pop(other))
        self._pending_letters[page] = self._client.ask_child(
            GetLetters(self.source, page),
            partial(self._got_letters, page),
            partial(self._no_letters, page),
            Urgency.SOON,
        )

    def close(self) -> None:
        """Cancel all requests."""
        for number in (*self._pending.values(), *self._pending_letters.values(), *self._others):
            self._client.cancel(number)
        self._pending.clear()
        self._pending_letters.clear()
        self._others.clear()

    def _ask_image(self, key: ImageKey, urgency: Urgency) -> None:
        part = cut(key.width, self.sizes[key.page - 1])
        top, rows = (key.band * part.rows, part.rows) if part.bands > 1 else (0, 0)
        self._pending[key] = self._client.ask_child(
            GetImage(self.source, key.page, key.width, top, rows),
            partial(self._got_image, key),
            partial(self._no_image, key),
            urgency,
        )

    def _got_image(self, key: ImageKey, found: PageImage, data: bytes) -> None:
        self._pending.pop(key, None)
        band = band_of(found, data)
        if band is None:
            return
        self._cache.put(key, band)
        if band.pixmap.height() == band.height:
            self._latest[key.page] = key
        self.image_ready.emit(key.page)

    def _no_image(self, key: ImageKey, error: LecternError) -> None:
        self._pending.pop(key, None)
        self.failures[key.page] = error
        self.image_ready.emit(key.page)

    def _got_letters(self, page: int, found: PageLetters, data: bytes) -> None:
        self._pending_letters.pop(page, None)
        self._letters.put(page, Letters.from_bytes(found.text, data, found.turn))
        self.letters_ready.emit(page)

    def _no_letters(self, page: int, _error: LecternError) -> None:
        self._pending_letters.pop(page, None)

    def _ask_sizes(self) -> None:
        if self._known >= self.count:
            return
        request = GetSizes(self.source, self._known + 1, _SIZES_AT_A_TIME)
        self._others.add(self._client.ask_child(request, self._got_sizes, urgency=Urgency.REST))

    def _got_sizes(self, found: PageSizes, _data: bytes) -> None:
        first = found.first
        sizes = [_at_least_a_point(size) for size in found.sizes]
        changed = self.sizes[first - 1 : first - 1 + len(sizes)] != sizes
        self.sizes[first - 1 : first - 1 + len(sizes)] = sizes
        self._known = first - 1 + len(sizes)
        if sizes:
            self._ask_sizes()
        if changed:
            self.sizes_changed.emit()


def _at_least_a_point(size: Size) -> Size:
    width, height = size
    return max(width, 1.0), max(height, 1.0)
