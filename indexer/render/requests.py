"""The handlers of the requests of ``indexer.api.pages``.

Owns the limits on requests. It must not know pipes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.pages import (
    FindWords,
    GetImage,
    GetLetters,
    GetMarks,
    GetOutline,
    GetSizes,
    GetText,
    Open,
    Opened,
    OpenedPages,
    PageLetters,
    PageRequest,
    PageSizes,
    Rest,
    TextPart,
)
from indexer.render.text import TextDocument

if TYPE_CHECKING:
    from indexer.api.pages import DocumentRequest
    from indexer.render.open_documents import OpenDocument, OpenDocuments
    from indexer.render.pdf import PdfPages

# Sizes that are sent along when a document is opened; it takes 40 microseconds to find one.
FIRST_SIZES = 500
MAX_SIZES = 5_000
MAX_SPANS = 64
_NO_BOX = (0.0, 0.0, 0.0, 0.0)


def answer(documents: OpenDocuments, request: PageRequest[Any]) -> tuple[Any, bytes]:
    """Return the answer to a request, and the binary data that is sent with it.

    Raises:
        WorldError: If the request is invalid or the document cannot be read.
        OSError: If the file cannot be read.
        MemoryError: If the document exceeds the memory limit of a preview.
    """
    found: tuple[Any, bytes]
    match request:
        case Open():
            found = _open(documents.get(request.source), request.page), b""
        case GetSizes():
            found = _sizes(_pages(documents, request), request), b""
        case GetImage(page=page, width=width, top=top, rows=rows):
            found = _pages(documents, request).image(page, width, top, rows)
        case GetMarks(page=page, last=last, text=text, start=start, spans=spans):
            pages = _pages(documents, request)
            found = pages.marks(page, max(last, page), text, start, spans[:MAX_SPANS]), b""
        case GetLetters(page=page):
            found = _letters(_pages(documents, request), page)
        case FindWords(text=text, page=page, step=step):
            found = _pages(documents, request).find(text, page, step), b""
        case GetOutline():
            document = documents.get(request.source).document
            found = () if isinstance(document, TextDocument) else document.outline(), b""
        case GetText():
            found = _text(documents.get(request.source).document, request)
        case Rest():
            documents.close_all()
            found = None, b""
    return found


def _open(opened: OpenDocument, page: int) -> Opened:
    document, pages = opened.document, None
    if not isinstance(document, TextDocument):
        page = min(max(page, 1), document.page_count)
        pages = OpenedPages(
            count=document.page_count,
            page=page,
            size=document.size(page),
            sizes=document.sizes(1, min(document.page_count, FIRST_SIZES)),
            labels=tuple(document.labels()),
            outlined=document.has_outline(),
        )
    return Opened(document.form, str(opened.stamp), opened.stamp.mtime_ns, pages)


def _sizes(pages: PdfPages, request: GetSizes) -> PageSizes:
    first = max(request.first, 1)
    return PageSizes(first, pages.sizes(first, min(request.count, MAX_SIZES)))


def _letters(pages: PdfPages, page: int) -> tuple[PageLetters, bytes]:
    placed = pages.text(page)
    letters = [side for box in placed.letters() for side in box or _NO_BOX]
    return PageLetters(placed.text, placed.turn()), struct.pack(f"<{len(letters)}f", *letters)


def _text(document: PdfPages | TextDocument, request: GetText) -> tuple[TextPart, bytes]:
    if not isinstance(document, TextDocument):
        raise WorldError("bad_request", reason="the document has pages")
    window = document.window(max(request.start, 0), request.end, max(request.room, 0))
    part = TextPart(window.offset, window.more, window.blocks, window.pages)
    return part, window.text.encode("utf-8", "replace")


def _pages(documents: OpenDocuments, request: DocumentRequest[Any]) -> PdfPages:
    document = documents.get(request.source).document
    if isinstance(document, TextDocument):
        raise WorldError("bad_request", reason="the document has no pages")
    return document
