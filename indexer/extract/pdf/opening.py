"""PDF and image files, opened with the PDF library; those it cannot open, Pillow unpacks for it.

Owns passwords, limits on sizes and pixels, and what the library's errors mean. It must not know
what is read of a page. Runs in children only.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pymupdf

from indexer.api.errors import WorldError
from indexer.extract.base import too_large
from indexer.extract.pdf.page_tree import has_page_tree, rebuild_page_tree
from indexer.extract.registry import image_kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.config import Limits

_HEAD_BYTES = 64
# Several times what cameras and scanners make; 360 MB at three bytes each, if it were held at once.
MAX_PIXELS = 120_000_000
_SHOWN = "120 megapixels"


@dataclass(frozen=True, slots=True)
class Pixels:
    """The size in pixels of a page that is an image."""

    width: int
    height: int


def open_checked(path: Path, password: str | None, limits: Limits) -> Any:
    """Open a PDF, or an image, with the library, unless the file is empty or too large.

    Raises:
        WorldError: ``empty`` if the file is, ``too_large``, ``needs_password`` or ``unreadable``.
        OSError: If the file cannot be read.
    """
    size = path.stat().st_size
    if size == 0:
        raise WorldError("empty")
    # An OSError of the file itself must not be taken for a damaged document.
    with path.open("rb") as file:
        kind = image_kind(file.read(_HEAD_BYTES))
    limit = limits.image_bytes if kind else limits.pdf_bytes
    if size > limit:
        raise too_large(limit)
    if kind:
        return open_image(path, kind)
    with failures_of(path):
        return open_document(path, password)


@contextmanager
def failures_of(path: Path) -> Iterator[None]:
    """Map the library's exceptions on a document to ``unreadable``."""
    try:
        yield
    except (WorldError, MemoryError):
        raise
    except Exception as error:
        raise WorldError("unreadable", reason="pdf_damaged", said=said_by(error, path)) from error


def open_document(path: Path, password: str | None) -> Any:
    """Open a PDF with the library, and look for its pages where no list of them is left.

    Raises:
        WorldError: ``needs_password`` if the password is missing or wrong, ``unreadable`` if no
            page can be found.
    """
    document = pymupdf.open(str(path), filetype="pdf")
    if document.needs_pass and not document.authenticate(password or ""):
        document.close()
        raise WorldError("needs_password")
    if not has_page_tree(document) and not rebuild_page_tree(document):
        document.close()
        raise WorldError("unreadable", reason="no_pages")
    return document


def pixels_of(page: Any) -> Pixels:
    """Return the size of the image that a page is; nothing of it is unpacked for it.

    Raises:
        WorldError: ``unreadable``.
    """
    found = page.get_image_info()
    if not found:
        raise WorldError("unreadable", reason="image_damaged")
    return Pixels(int(found[0]["width"]), int(found[0]["height"]))


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
        refuse_bomb(Pixels(*image.size))
        turned = ImageOps.exif_transpose(image)
        made = io.BytesIO()
        turned.convert("RGB").save(made, "PNG", compress_level=1)
    return made.getvalue()


def refuse_bomb(found: Pixels) -> None:
    """Raise ``too_complex`` for an image of too many pixels."""
    if found.width * found.height > MAX_PIXELS:
        raise WorldError("too_complex", limit=_SHOWN)


def said_by(error: Exception, path: Path | None = None) -> str:
    """Return what the library said, for a report, without the path."""
    text = " ".join(str(error).split())
    if path is not None:
        text = text.replace(str(path), "…")
    return re.sub(r"^code=\d+: ", "", text)[:200] or type(error).__name__
