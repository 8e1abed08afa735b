"""Image files: photographs, scans and screenshots, as documents whose pages are to be recognised.

Owns which image files are worth recognising, and at which resolution; how they are opened is
``opening``'s. What is shown and recognised is drawn by the PDF library; of an animation the first
frame is. Runs in children.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.extract.pdf.opening import Pixels, open_checked, pixels_of, refuse_bomb, said_by
from indexer.extract.pdf.reader import PdfSource

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage

# Smaller images (icons, bullets, thumbnails) hold no legible line of text.
MIN_SIDE = 100
# Screenshots and small scans, whose letters are smaller than recognition was made for.
_SMALL_PIXELS = 2_500_000


class ImageSource(PdfSource):
    """An open image file; without recognised words it holds no text."""

    def _page(self, number: int) -> RawPage:
        refuse_bomb(self._pixels(number))
        return super()._page(number)

    def _shows_something(self, number: int) -> bool:
        found = self._pixels(number)
        return min(found.width, found.height) >= MIN_SIDE

    def _pixels(self, number: int) -> Pixels:
        try:
            return pixels_of(self._document.load_page(number - 1))
        except (MemoryError, WorldError):
            raise
        except Exception as error:  # the library raises its own kinds and plain ones
            raise WorldError("unreadable", reason="image_damaged", said=said_by(error)) from error


def open_source(path: Path, password: str | None, limits: Limits) -> ImageSource:
    """Open an image file (``indexer.extract.base.Opener``)."""
    document = open_checked(path, password, limits)
    try:
        return ImageSource(document)
    except BaseException:
        document.close()
        raise


def resolution_of(page: Any) -> float:
    """Return how many pixels a point of a page that is an image is to be recognised at."""
    found = pixels_of(page)
    refuse_bomb(found)
    own = float(max(found.width, found.height) / max(page.rect.width, page.rect.height, 1.0))
    return own * 2 if found.width * found.height <= _SMALL_PIXELS else own
