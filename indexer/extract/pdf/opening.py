"""Opens PDF and image files with PyMuPDF, and image formats it does not support with Pillow.

If a PDF lost its page tree, it is rebuilt in memory from the page objects in the file, which MuPDF
does not do. Runs in child processes only.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf

from indexer.api.errors import WorldError
from indexer.extract.base import check_size, damage_as_unreadable
from indexer.extract.registry import image_kind

if TYPE_CHECKING:
    from indexer.config import Limits

# A key in the catalog of a document whose page tree was rebuilt.
_MARK = "LecternFound"


def has_page_tree(document: Any) -> bool:
    """Whether the first or the last page can be loaded through the document's page tree."""
    count = document.page_count
    return count > 0 and (_loads(document, 0) or _loads(document, count - 1))


def rebuild_page_tree(document: Any) -> bool:
    """Make a page tree of all page objects in the order of their numbers, if there are any.

    Programs number objects as they write them. Pages keep values inherited from the old tree.
    """
    pages = _pages(document)
    if not pages and not document.is_repaired:
        # The cross-reference table may be incomplete.
        pymupdf.mupdf.pdf_repair_xref(pymupdf.mupdf.pdf_document_from_fz_document(document))
        pages = _pages(document)
    if pages:
        listed = " ".join(f"{number} 0 R" for number in pages)
        tree = _added(document, f"<</Type/Pages/Count {len(pages)}/Kids[{listed}]>>")
        root = _added(document, f"<</Type/Catalog/Pages {tree} 0 R/{_MARK} true>>")
        document.xref_set_key(-1, "Root", f"{root} 0 R")
    return bool(document.page_count)


def was_rebuilt(document: Any) -> bool:
    """Whether ``rebuild_page_tree`` was applied to an open document."""
    catalog = document.pdf_catalog()
    return catalog > 0 and bool(document.xref_get_key(catalog, _MARK)[0] == "bool")


def _loads(document: Any, place: int) -> bool:
    with DamageIgnored():
        return bool(document.xref_object(document.load_page(place).xref) != "null")
    return False


def _pages(document: Any) -> list[int]:
    found = []
    for number in range(1, document.xref_length()):
        with DamageIgnored():
            if document.xref_get_key(number, "Type") == ("name", "/Page"):
                found.append(number)
    return found


def _added(document: Any, source: str) -> int:
    number = int(document.get_new_xref())
    document.update_object(number, source)
    return number


_HEAD_BYTES = 64
# Several times as many as in photographs and scans: 360 MB at three bytes each.
MAX_PIXELS = 120_000_000
_SHOWN = "120 megapixels"


def open_checked(path: Path, password: str | None, limits: Limits) -> Any:
    """Open a PDF or an image file.

    Raises ``empty``, ``too_large``, ``needs_password`` or ``unreadable``, for an image also
    ``unsupported`` or ``too_complex``, and ``OSError`` if the file cannot be read.
    """
    # For an unreadable file this raises OSError, while PyMuPDF would report damage.
    with path.open("rb") as file:
        kind = image_kind(file.read(_HEAD_BYTES))
    check_size(path, limits.image_bytes if kind else limits.pdf_bytes)
    with damage_as_unreadable("image_damaged" if kind else "pdf_damaged", path):
        if kind in {"webp", "avif"}:
            return pymupdf.open(stream=_as_png(path, kind), filetype="png")
        return pymupdf.open(str(path), filetype=kind) if kind else open_document(path, password)


class DamageIgnored:
    """Ignores the errors of many types that PyMuPDF raises in its block when it cannot read."""

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, Exception) and kind is not MemoryError


def open_document(path: Path, password: str | None) -> Any:
    """Open a PDF, and rebuild its page tree if it is unusable.

    Raises ``needs_password`` if the password is missing or wrong, ``unreadable`` if no page can be
    found.
    """
    document = pymupdf.open(str(path), filetype="pdf")
    if document.needs_pass and not document.authenticate(password or ""):
        document.close()
        raise WorldError("needs_password")
    if not has_page_tree(document) and not rebuild_page_tree(document):
        document.close()
        raise WorldError("unreadable", reason="no_pages")
    return document


def pixels_of(page: Any) -> tuple[int, int]:
    """Return width and height of the image on a page of an image file, without decoding it.

    Raises ``unreadable`` if there is none.
    """
    found = page.get_image_info()
    if not found:
        raise WorldError("unreadable", reason="image_damaged")
    return int(found[0]["width"]), int(found[0]["height"])


def _as_png(path: Path, kind: str) -> bytes:
    from PIL import Image, ImageOps, features

    if not features.check(kind):
        raise WorldError("unsupported", format=kind)
    Image.MAX_IMAGE_PIXELS = None  # ``refuse_bomb`` checks instead
    with Image.open(path, formats=[kind.upper()]) as image:
        refuse_bomb(image.size)
        turned = ImageOps.exif_transpose(image)
        made = io.BytesIO()
        turned.convert("RGB").save(made, "PNG", compress_level=1)
    return made.getvalue()


def refuse_bomb(size: tuple[int, int]) -> None:
    """Raise ``too_complex`` for an image of more than ``MAX_PIXELS``."""
    if math.prod(size) > MAX_PIXELS:
        raise WorldError("too_complex", limit=_SHOWN)
