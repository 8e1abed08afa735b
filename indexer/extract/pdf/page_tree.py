"""Repairs a PDF without a usable page tree: finds its pages among all objects.

Owns one repair that MuPDF does not do by itself, in memory, never in the file; whether the pages
can be read shows when they are. Runs in children only.
"""

from __future__ import annotations

from typing import Any

import pymupdf

# A key in the catalog of a document whose page tree was rebuilt.
_MARK = "LecternFound"


def has_page_tree(document: Any) -> bool:
    """Whether the document's own page tree leads to its first page, or to its last."""
    count = document.page_count
    return count > 0 and (_loads(document, 0) or _loads(document, count - 1))


def rebuild_page_tree(document: Any) -> bool:
    """Give a PDF a list of the pages that are found in it, in the order of their numbers.

    Programs number pages as they write them. What a page inherits from the old list it keeps.

    Returns:
        Whether there is any page now.
    """
    pages = _pages(document)
    if not pages and not document.is_repaired:
        # The table of objects may be incomplete.
        pymupdf.mupdf.pdf_repair_xref(pymupdf.mupdf.pdf_document_from_fz_document(document))
        pages = _pages(document)
    if pages:
        listed = " ".join(f"{number} 0 R" for number in pages)
        tree = _added(document, f"<</Type/Pages/Count {len(pages)}/Kids[{listed}]>>")
        root = _added(document, f"<</Type/Catalog/Pages {tree} 0 R/{_MARK} true>>")
        document.xref_set_key(-1, "Root", f"{root} 0 R")
    return bool(document.page_count)


def was_rebuilt(document: Any) -> bool:
    """Whether the pages of an open document are those that ``rebuild_page_tree`` found."""
    catalog = document.pdf_catalog()
    return catalog > 0 and bool(document.xref_get_key(catalog, _MARK)[0] == "bool")


def _loads(document: Any, place: int) -> bool:
    try:
        return bool(document.xref_object(document.load_page(place).xref) != "null")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # the library raises its own kinds and plain ones
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
