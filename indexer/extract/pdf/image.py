"""Image files: photographs, scans and screenshots, as documents whose pages are to be recognised.

Owns what an image file needs beside a PDF: which ones are worth recognising, how many pixels one
may have, and the files that the PDF library cannot open (WebP, AVIF), which Pillow unpacks for it.
What is shown and recognised is drawn by the PDF library; of an animation the first frame is. Runs
in children.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pymupdf

from indexer.api.errors import WorldError
from indexer.extract.pdf.reader import PdfSource, open_checked, said_by

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage

# Smaller images (icons, bullets, thumbnails) hold no legible line of text.
MIN_SIDE = 100
# Several times what cameras and scanners make; 360 MB at three bytes each, if it were held at once.
MAX_PIXELS = 120_000_000
# Screenshots and small scans, whose letters are smaller than recognition was made for.
_SMALL_PIXELS = 2_500_000
_SHOWN = "120 megapixels"


@dataclass(frozen=True, slots=True)
class Pixels:
    """How many pixels a page that is an image has."""

    width: int
    height: int


class ImageSource(PdfSource):
    """An open image file; without recognised words it holds no text."""

    def _page(self, number: int) -> RawPage:
        _refuse_bomb(self._pixels(number))
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


def pixels_of(page: Any) -> Pixels:
    """Return the size of the image that a page is; nothing of it is unpacked for it.

    Raises:
        WorldError: ``unreadable``.
    """
    found = page.get_image_info()
    if not found:
        raise WorldError("unreadable", reason="image_damaged")
    return Pixels(int(found[0]["width"]), int(found[0]["height"]))


def resolution_of(page: Any) -> float:
    """Return how many pixels a point of a page that is an image is to be recognised at."""
    found = pixels_of(page)
    _refuse_bomb(found)
    own = float(max(found.width, found.height) / max(page.rect.width, page.rect.height, 1.0))
    return own * 2 if found.width * found.height <= _SMALL_PIXELS else own


def open_image(path: Path, kind: str) -> Any:
    """Open an image file with the PDF library, each of its pages an image.

    Args:
        path: The file.
        kind: What it is by its first bytes, see ``indexer.extract.registry.image_kind``.

    Raises:
        WorldError: ``unreadable``, ``unsupported`` or ``too_complex``.
    """
    try:
        if kind in {"webp", "avif"}:
            return pymupdf.open(stream=_as_png(path, kind), filetype="png")
        return pymupdf.open(str(path), filetype=kind)
    except (MemoryError, WorldError):
        raise
    except Exception as error:  # the libraries raise their own kinds and plain ones
        said = said_by(error, path)
        raise WorldError("unreadable", reason="image_damaged", said=said) from error


def _as_png(path: Path, kind: str) -> bytes:
    from PIL import Image, ImageOps, features

    if not features.check(kind):
        raise WorldError("unsupported", format=kind)
    Image.MAX_IMAGE_PIXELS = None  # counted here
    with Image.open(path, formats=[kind.upper()]) as image:
        _refuse_bomb(Pixels(*image.size))
        turned = ImageOps.exif_transpose(image)
        made = io.BytesIO()
        turned.convert("RGB").save(made, "PNG", compress_level=1)
    return made.getvalue()


def _refuse_bomb(found: Pixels) -> None:
    if found.width * found.height > MAX_PIXELS:
        raise WorldError("too_complex", limit=_SHOWN)
