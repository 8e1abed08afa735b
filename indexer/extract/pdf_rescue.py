"""The pages of a PDF whose list of pages is lost: found among all its objects.

Owns one repair that MuPDF does not do by itself. It mends what the library holds in memory, never
the file; whether the pages can be read shows when they are. Runs in children only.
"""

from __future__ import annotations

from typing import Any

import pymupdf


def find_pages(document: Any) -> bool:
    """Give a PDF without pages a list of those that are found in it, in the order of their numbers.

    Programs number pages as they write them. What a page inherits from the old list it keeps.

    Returns:
        Whether there is any page now.
    """
    if not document.is_repaired:
        pymupdf.mupdf.pdf_repair_xref(pymupdf.mupdf.pdf_document_from_fz_document(document))
    pages = [number for number in range(1, document.xref_length()) if _is_page(document, number)]
    if not pages:
        return bool(document.page_count)
    listed = " ".join(f"{number} 0 R" for number in pages)
    tree = _added(document, f"<</Type/Pages/Count {len(pages)}/Kids[{listed}]>>")
    root = _added(document, f"<</Type/Catalog/Pages {tree} 0 R>>")
    document.xref_set_key(-1, "Root", f"{root} 0 R")
    return bool(document.page_count)


def _is_page(document: Any, number: int) -> bool:
    try:
        return bool(document.xref_get_key(number, "Type") == ("name", "/Page"))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # the library raises its own kinds; the object is damaged
        return False


def _added(document: Any, source: str) -> int:
    number = int(document.get_new_xref())
    document.update_object(number, source)
    return number
