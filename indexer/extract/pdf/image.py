"""Reads image files (photographs, scans, screenshots) as documents with scanned pages.

Only the first frame of an animation is read. Runs in child processes only.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.extract.base import damage_as_unreadable
from indexer.extract.pdf.opening import open_checked, pixels_of, refuse_bomb
from indexer.extract.pdf.reader import PdfSource

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.base import RawPage

# In pixels. Smaller images (icons, bullets, thumbnails) have no legible text.
MIN_SIDE = 100
# Smaller images (screenshots, small scans) are enlarged, as Tesseract needs larger letters.
_SMALL_PIXELS = 2_500_000


class ImageSource(PdfSource):
    """An open image file, all of whose text is recognised."""

    def _page(self, number: int) -> RawPage:
        refuse_bomb(self._pixels(number))
        return super()._page(number)

    def _shows_something(self, number: int) -> bool:
        return min(self._pixels(number)) >= MIN_SIDE

    def _pixels(self, number: int) -> tuple[int, int]:
        with damage_as_unreadable("image_damaged"):
            return pixels_of(self._document.load_page(number - 1))


def open_source(path: Path, password: str | None, limits: Limits) -> ImageSource:
    """Open an image file (``indexer.extract.base.Opener``)."""
    return ImageSource(open_checked(path, password, limits), limits)


def resolution_of(page: Any) -> float:
    """Return the resolution at which to recognise an image file's page, in pixels per point."""
    size = pixels_of(page)
    refuse_bomb(size)
    own: float = max(size) / max(page.rect.width, page.rect.height, 1.0)
    return own * 2 if math.prod(size) <= _SMALL_PIXELS else own
