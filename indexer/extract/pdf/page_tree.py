"""Rebuilds the page tree of a PDF in memory, from the page objects in the file.

MuPDF does not do this repair. Runs in child processes only.
"""

from __future__ import annotations

from typing import Any

import pymupdf

# A key in the catalog of a document whose page tree was rebuilt.
_MARK = "LecternFound"


def has_page_tree(document: Any) -> bool:
    """Whether the first or the last page can be loaded by the document's page tree."""
    count = document.page_count
    return count > 0 and (_loads(document, 0) or _loads(document, count - 1))


def rebuild_page_tree(document: Any) -> bool:
    """Replace the page tree by one of all page objects, in the order of their object numbers.

    Programs number objects as they write them. Pages keep what they inherit from the old tree.

    Returns:
        Whether the document has pages now.
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
    try:
        return bool(document.xref_object(document.load_page(place).xref) != "null")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # PyMuPDF raises many types
        return False


def _pages(document: Any) -> list[int]:
    return [number for number in range(1, document.xref_length()) if _is_page(document, number)]


def _is_page(document: Any, number: int) -> bool:
    try:
        return bool(document.xref_get_key(number, "Type") == ("name", "/Page"))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # as above: the object is damaged
        return False


def _added(document: Any, source: str) -> int:
    number = int(document.get_new_xref())
    document.update_object(number, source)
    return number
