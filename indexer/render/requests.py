"""Keeps documents open in the render child, and answers the requests of ``indexer.api.pages``.

Documents that are not rendered as pages are shown as text around a passage.
"""

from __future__ import annotations

import hashlib
import importlib
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.lru_cache import LruCache
from indexer.api.pages import (
    CopyWithHighlights,
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
    TextBlock,
    TextPart,
)
from indexer.catalog.states import Stamp
from indexer.config import Limits
from indexer.extract.document import PAGE_JOINT, pages_of
from indexer.extract.registry import identify, opener
from indexer.ocr.cache import FILE_NAME, RecognisedPages

if TYPE_CHECKING:
    from indexer.api.formats import Format
    from indexer.api.pages import DocumentRequest, DocumentSource
    from indexer.extract.base import RawPage
    from indexer.render.pdf import PdfPages

MAX_OPEN = 4
NOTHING = RecognisedPages()
# This module renders pages. It is imported at the first such request, as it loads a library.
DRAWS = "indexer.render.pdf"


# Texts up to this length are cached. Longer texts are read again for each request.
MAX_KEPT_CHARS = 8_000_000
MAX_ROOM_CHARS = 1_000_000
# The returned text begins at the start of a line, unless that is farther away than this.
_LINE_CHARS = 4_000


class TextDocument:
    """The text of a file, which is only opened while it is read."""

    def __init__(self, path: Path, known: Format, password: str | None, limits: Limits) -> None:
        self.form = known.name
        self._open = partial(opener(known), path, password, limits)
        self._whole: list[RawPage] | None = None

    def close(self) -> None:
        self._whole = None

    def window(self, start: int, end: int, room: int) -> tuple[TextPart, str]:
        """Return the text around a range and ``room`` on both sides, from the start of a line.

        The range is in code points; offsets beyond the text stand for its end.
        """
        room = min(room, MAX_ROOM_CHARS)
        low, high = max(0, start - room), max(start, end) + room
        high = min(high, low + 3 * MAX_ROOM_CHARS)
        parts: list[str] = []
        blocks: list[TextBlock] = []
        pages: list[int] = []
        offset = first = number = 0
        more = False
        for page in self._pages():
            text = page.text
            if offset > high:
                more = True
                break
            if offset + len(text) >= low:
                if not parts:
                    first = offset + _line_start(text, max(low - offset, 0))
                parts.append(text[max(first - offset, 0) : high - offset])
                more = offset + len(text) > high
                blocks += [
                    TextBlock(offset + each.start, offset + each.end, each.kind, each.level)
                    for each in page.blocks
                    if offset + each.end > first and offset + each.start < high
                ]
                pages += [offset] if page.number != number else []
            number = page.number
            offset += len(text) + len(PAGE_JOINT)
        part = TextPart(first, more, tuple(blocks), tuple(pages))
        return part, PAGE_JOINT.join(parts)

    def _pages(self) -> Iterator[RawPage]:
        """Yield the pages of the canonical text; cache them if they are read to the end."""
        if self._whole is not None:
            yield from self._whole
            return
        source = self._open()
        kept: list[RawPage] | None = []
        size = 0
        try:
            for page in pages_of(source):
                size += len(page.text)
                if kept is not None and size <= MAX_KEPT_CHARS:
                    kept.append(page)
                else:
                    kept = None
                yield page
            self._whole = kept
        finally:
            source.close()


def _line_start(text: str, at: int) -> int:
    """Return the start of the line at an offset, or the offset if that is too far."""
    start = text.rfind("\n", max(0, at - _LINE_CHARS), at) + 1
    return start if start or at <= _LINE_CHARS else at


class OpenDocument(Struct, frozen=True):
    """An open document, and the state of its file at that time."""

    document: PdfPages | TextDocument
    stamp: Stamp
    password: str | None
    recognised: RecognisedPages


class OpenDocuments:
    """Opens documents, with their recognised pages, and keeps the last ``MAX_OPEN``."""

    def __init__(
        self, recognised: Callable[[Path, Stamp], RecognisedPages] = lambda _path, _stamp: NOTHING
    ) -> None:
        self._limits = Limits()
        self._recognised = recognised
        self._open: LruCache[Path, OpenDocument] = LruCache(
            MAX_OPEN, evicted=lambda opened: opened.document.close()
        )

    def open_document(self, source: DocumentSource) -> OpenDocument:
        """Return a document, opened again if its file, password or recognised pages changed.

        Raises ``WorldError`` if it cannot be opened, ``OSError`` if the file cannot be read.
        """
        path = source.path
        stamp = Stamp.from_status(path.stat())
        known = self._recognised(path, stamp)
        opened = self._open.get(path)
        if opened is not None and (opened.stamp, opened.password, opened.recognised) != (
            stamp, source.password, known
        ):  # fmt: skip
            self._open.discard(path)
            opened = None
        if opened is None:
            opened = OpenDocument(self._load(source, known), stamp, source.password, known)
            self._open.put(path, opened)
        return opened

    def close(self, path: Path) -> None:
        self._open.discard(path)

    def close_all(self) -> None:
        self._open.clear()

    def _load(self, source: DocumentSource, recognised: RecognisedPages) -> PdfPages | TextDocument:
        path, password = source.path, source.password
        known = identify(path, source.format)
        if not known.drawn:
            return TextDocument(path, known, password, self._limits)
        pages = cast("type[PdfPages]", importlib.import_module(DRAWS).PdfPages)
        return pages(path, password, self._limits, recognised)


class RecognitionLookup:
    """Looks up recognised pages of files in a library, if there is one.

    They are cached until the library's cache file changes.
    """

    def __init__(self, library: Path | None) -> None:
        self._library = library
        self._kept: LruCache[tuple[Path, Stamp], tuple[Stamp | None, RecognisedPages]]
        self._kept = LruCache(MAX_OPEN)

    def pages(self, path: Path, stamp: Stamp) -> RecognisedPages:
        """Return the recognised pages of the current bytes of a file."""
        if self._library is None:
            return NOTHING
        cache: Stamp | None = None
        with suppress(OSError):
            cache = Stamp.from_status((self._library / FILE_NAME).stat())
        kept, pages = self._kept.get((path, stamp)) or (None, NOTHING)
        if cache is None or kept != cache:
            pages = RecognisedPages.load(self._library, stamp.size, lambda: _hash(path))
            self._kept.put((path, stamp), (cache, pages))
        return pages


def _hash(path: Path) -> str:
    """Return the SHA-256 of a file, which is its ``indexer.files.walk.content_id``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# The number of page sizes sent when a document is opened. Each takes 40 microseconds.
FIRST_SIZES = 500
MAX_SIZES = 5_000
MAX_SPANS = 64
_NO_BOX = (0.0, 0.0, 0.0, 0.0)


def answer(  # noqa: C901  # a case for each request
    documents: OpenDocuments, request: PageRequest[Any]
) -> tuple[Any, bytes]:
    """Return the answer to a request, and the bytes that are sent with it.

    Raises ``WorldError`` if the request is invalid or the document cannot be read, ``OSError`` if
    the file cannot be read, ``MemoryError`` if the document exceeds a preview's memory limit.
    """
    found: tuple[Any, bytes]
    match request:
        case Open():
            found = _open(documents.open_document(request.source), request.page), b""
        case GetSizes(first=first, count=count):
            first, count = max(first, 1), min(count, MAX_SIZES)
            found = PageSizes(first, _pages(documents, request).sizes(first, count)), b""
        case GetImage(page=page, width=width, top=top, rows=rows):
            found = _pages(documents, request).image(page, width, top, rows)
        case GetMarks(page=page, last=last, text=text, start=start, spans=spans):
            pages = _pages(documents, request)
            found = pages.marks(page, max(last, page), text, start, spans[:MAX_SPANS]), b""
        case GetLetters(page=page):
            found = _letters(_pages(documents, request), page)
        case FindWords(text=text, page=page):
            found = _pages(documents, request).find(text, page), b""
        case CopyWithHighlights(highlights=highlights):
            found = _pages(documents, request).copy_with_highlights(highlights)
            documents.close(request.source.path)  # the open document now has the highlights
        case GetOutline():
            document = documents.open_document(request.source).document
            found = () if isinstance(document, TextDocument) else document.outline(), b""
        case GetText():
            found = _text(documents.open_document(request.source).document, request)
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


def _letters(pages: PdfPages, page: int) -> tuple[PageLetters, bytes]:
    placed = pages.text(page)
    letters = [side for box in placed.letters() for side in box or _NO_BOX]
    return PageLetters(placed.text, placed.turn()), struct.pack(f"<{len(letters)}f", *letters)


def _text(document: PdfPages | TextDocument, request: GetText) -> tuple[TextPart, bytes]:
    if not isinstance(document, TextDocument):
        raise WorldError("bad_request", reason="the document has pages")
    part, text = document.window(max(request.start, 0), request.end, max(request.room, 0))
    return part, text.encode("utf-8", "replace")


def _pages(documents: OpenDocuments, request: DocumentRequest[Any]) -> PdfPages:
    document = documents.open_document(request.source).document
    if isinstance(document, TextDocument):
        raise WorldError("bad_request", reason="the document has no pages")
    return document
