"""What the window may ask the render child, and the answers.

Owns the table of questions: each takes the header of a request and returns the header of the
reply and its bytes. It must not know pipes. All page numbers are from 1, all lengths in points,
all offsets code points of the canonical text. Every question names a ``path`` and may carry
``format`` and ``password``::

    open     {page}                         opened {kind, format, stamp, pages, page, size, first,
                                              sizes, labels, outlined}
    sizes    {first, count}                 sizes {first, sizes}
    image    {page, width, top, rows}       image {page, width, height, top, rows, columns, stride}
                                              and the rows, 8 bits of red, green and blue each
    marks    {page, last, text, start,      marks {found, pending, spans}: boxes of each span as
              spans}                          [page, x0, y0, x1, y1, quarter turns clockwise
                                              of the text]; start may be null
    letters  {page}                         letters {page, text, turn} and four 32-bit floats
                                              (little endian) for each character, all 0 for those
                                              in between
    outline  {}                             outline {entries}: [level, title, page]
    text     {start, end, room}             text {format, stamp, offset, more, sections} and UTF-8
    rest     (no path)                      resting {}: every file is let go of
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.protocol import field
from indexer.render.text import TextDocument

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.protocol import Header
    from indexer.render.open_documents import OpenDocuments, Opened
    from indexer.render.pdf import PdfPages

    Reply = tuple[Header, bytes]

# Sizes that are sent along when a document is opened; it takes 40 microseconds to find one.
FIRST_SIZES = 500
MAX_SIZES = 5_000
MAX_SPANS = 64
_NO_BOX = (0.0, 0.0, 0.0, 0.0)


class Desk:
    """Answers one request after the other."""

    def __init__(self, documents: OpenDocuments) -> None:
        self._documents = documents

    def answer(self, header: Header) -> Reply:
        """Answer a request.

        Raises:
            WorldError: What is wrong with the request or the document.
            OSError: If the file cannot be read.
            MemoryError: If the document needs more memory than a preview is worth.
        """
        kind = header.get("type")
        if kind == "rest":
            self._documents.close_all()
            return {"type": "resting"}, b""
        answer = _ANSWERS.get(str(kind))
        if answer is None:
            raise WorldError("bad_request", reason=f"there is no request {kind}")
        return answer(self._opened(header), header)

    def _opened(self, header: Header) -> Opened:
        password = header.get("password")
        return self._documents.get(
            field(header, "path", str),
            field(header, "format", str, ""),
            None if password is None else field(header, "password", str),
        )


def _open(opened: Opened, header: Header) -> Reply:
    document = opened.document
    reply: dict[str, Any] = {
        "type": "opened",
        "kind": document.kind,
        "format": document.form,
        "stamp": str(opened.stamp),
    }
    if not isinstance(document, TextDocument):
        page = min(max(field(header, "page", int, 1), 1), document.page_count)
        reply |= {
            "pages": document.page_count,
            "page": page,
            "size": document.size(page),
            "first": 1,
            "sizes": document.sizes(1, min(document.page_count, FIRST_SIZES)),
            "labels": document.labels(),
            "outlined": document.has_outline(),
        }
    return reply, b""


def _sizes(opened: Opened, header: Header) -> Reply:
    first = max(field(header, "first", int), 1)
    count = min(field(header, "count", int), MAX_SIZES)
    return {"type": "sizes", "first": first, "sizes": _pages(opened).sizes(first, count)}, b""


def _image(opened: Opened, header: Header) -> Reply:
    page = field(header, "page", int)
    image = _pages(opened).image(
        page,
        field(header, "width", int),
        field(header, "top", int, 0),
        field(header, "rows", int, 0),
    )
    reply = {
        "type": "image",
        "page": page,
        "width": field(header, "width", int),
        "columns": image.width,
        "height": image.height,
        "top": image.top,
        "rows": image.rows,
        "stride": image.stride,
    }
    return reply, image.data


def _marks(opened: Opened, header: Header) -> Reply:
    page, start = field(header, "page", int), header.get("start")
    spans = [_span(span) for span in field(header, "spans", list)[:MAX_SPANS]]
    marks = _pages(opened).marks(
        page,
        max(field(header, "last", int, page), page),
        field(header, "text", str),
        start if isinstance(start, int) else None,
        spans,
    )
    boxes = [[_box(box) for box in span] for span in marks.spans]
    found = {"found": marks.found, "pending": marks.pending, "spans": boxes}
    return {"type": "marks", **found}, b""


def _letters(opened: Opened, header: Header) -> Reply:
    page = field(header, "page", int)
    placed = _pages(opened).text(page)
    letters = [side for box in placed.letters() for side in box or _NO_BOX]
    data = struct.pack(f"<{len(letters)}f", *letters)
    return {"type": "letters", "page": page, "text": placed.text, "turn": placed.turn()}, data


def _outline(opened: Opened, _header: Header) -> Reply:
    document = opened.document
    entries = () if isinstance(document, TextDocument) else document.outline()
    rows = [[entry.level, entry.title, entry.page] for entry in entries]
    return {"type": "outline", "entries": rows}, b""


def _text(opened: Opened, header: Header) -> Reply:
    document = opened.document
    if not isinstance(document, TextDocument):
        raise WorldError("bad_request", reason="the document has pages")
    window = document.window(
        max(field(header, "start", int, 0), 0),
        field(header, "end", int, 0),
        max(field(header, "room", int), 0),
    )
    reply = {
        "type": "text",
        "format": document.form,
        "stamp": str(opened.stamp),
        "offset": window.offset,
        "more": window.more,
        "sections": [[section.number, section.start] for section in window.sections],
    }
    return reply, window.text.encode("utf-8", "replace")


_ANSWERS: dict[str, Callable[[Opened, Header], Reply]] = {
    "open": _open,
    "sizes": _sizes,
    "image": _image,
    "marks": _marks,
    "letters": _letters,
    "outline": _outline,
    "text": _text,
}


def _pages(opened: Opened) -> PdfPages:
    if isinstance(opened.document, TextDocument):
        raise WorldError("bad_request", reason="the document has no pages")
    return opened.document


def _span(span: Any) -> tuple[int, int]:
    match span:
        case [int(start), int(end)]:
            return start, end
    raise WorldError("bad_request", reason="a span has a start and an end")


def _box(box: Any) -> list[float]:
    return [box.page, *(round(side, 2) for side in (box.x0, box.y0, box.x1, box.y1)), box.turn]
