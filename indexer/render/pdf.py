"""Renders pages of PDFs and image files for the window, and finds passages, outline and labels.

A passage is found on its pages by its text, which is nearly always unique there. This also verifies
that the page still has the indexed text. To use its offset in the document, all pages before would
have to be read. This module runs only in the render child.
"""

from __future__ import annotations

import math
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import pymupdf
from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.lru_cache import LruCache
from indexer.api.pages import (
    FoundWords,
    MarkBox,
    PageImage,
    PassageMarks,
    around,
    find_quote,
    pattern_of,
)
from indexer.api.types import ANNOTATION_SIGN, OutlineEntry, Span
from indexer.extract.base import damage_as_unreadable
from indexer.extract.document import PAGE_JOINT
from indexer.extract.pdf.geometry import PlacedText, Rectangle, read_placed
from indexer.extract.pdf.labels import page_labels
from indexer.extract.pdf.opening import open_checked
from indexer.extract.pdf.reader import RecognisedUse, raw_page, read_outline, use_of
from indexer.extract.pdf.supplements import read_annotations
from indexer.ocr.layer import transformed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.api.pages import PageHighlight, Size
    from indexer.config import Limits
    from indexer.ocr.cache import RecognisedPages


class Slice(Struct, frozen=True):
    """A range of the text of one page."""

    page: int
    start: int
    end: int


class Anchor(Struct, frozen=True):
    """The place of a passage on consecutive pages."""

    offset: int  # offset in the joined text of the pages
    unique: bool  # whether it occurs once, or its offset was known


def find_text(pages: Sequence[str], text: str, expected: int | None = None) -> Anchor | None:
    """Find a passage that begins on the first of some pages.

    Returns:
        The occurrence nearest to the ``expected`` offset in the first page, or the first one if the
        offset is unknown; ``None`` without occurrences.
    """
    whole = PAGE_JOINT.join(pages)
    if not text or not pages:
        return None
    places = []
    at = whole.find(text)
    while 0 <= at <= len(pages[0]):
        places.append(at)
        at = whole.find(text, at + 1)
    if not places:
        return None
    chosen = places[0] if expected is None else min(places, key=lambda at: abs(at - expected))
    return Anchor(chosen, unique=len(places) == 1 or expected is not None)


def slices(pages: Sequence[str], first: int, start: int, end: int) -> list[Slice]:
    """Split a range of the joined text of pages, in code points, into ranges of single pages."""
    found = []
    offset = 0
    for number, text in enumerate(pages, first):
        low, high = max(start - offset, 0), min(end - offset, len(text))
        if low < high:
            found.append(Slice(number, low, high))
        offset += len(text) + len(PAGE_JOINT)
    return found


T = TypeVar("T")

MAX_IMAGE_BYTES = 48 * 1024**2
MAX_COPY_BYTES = 60 * 1024**2
MAX_WIDTH = 32_768
_KEPT_PAGES = 6
_MAX_PASSAGE_PAGES = 8
# The seconds for counting characters or searching pages. The window may repeat the request.
_COUNT_S, _FIND_S = 0.1, 0.3
_MAX_PLACES = 200  # of words on a page
_RGB = 3
_LETTER_SIZE = (612.0, 792.0)


class PdfPages:
    """An open PDF. Any method may raise ``WorldError`` for an unreadable page."""

    def __init__(
        self, path: Path, password: str | None, limits: Limits, recognised: RecognisedPages
    ) -> None:
        self._path = path
        self._recognised = recognised
        self._document = open_checked(path, password, limits)
        self.form = "pdf" if self._document.is_pdf else "image"
        with damage_as_unreadable("pdf_damaged", path):
            self.page_count: int = self._document.page_count
        self._drawn: LruCache[int, Any] = LruCache(_KEPT_PAGES)
        self._placed: LruCache[int, PlacedText] = LruCache(_KEPT_PAGES)
        self._lengths: list[int] = []
        self._sizes: dict[int, Size] = {}

    def close(self) -> None:
        self._drawn.clear()
        self._placed.clear()
        self._document.close()
        pymupdf.TOOLS.store_shrink(100)

    def labels(self) -> list[str]:
        """Return the label of each page; empty if all labels are the page numbers."""
        if not self._document.is_pdf:
            return []
        with damage_as_unreadable("pdf_damaged", self._path):
            return page_labels(self._document.get_page_labels(), self.page_count)

    def has_outline(self) -> bool:
        if not self._document.is_pdf:
            return False
        with damage_as_unreadable("pdf_damaged", self._path):
            kind, _ = self._document.xref_get_key(self._document.pdf_catalog(), "Outlines")
        return kind not in ("null", "")

    def outline(self) -> tuple[OutlineEntry, ...]:
        return read_outline(self._document)

    def sizes(self, first: int, count: int) -> tuple[Size, ...]:
        """Return the width and height of pages in points, after rotation and cropping."""
        last = min(first + count - 1, self.page_count)
        return tuple(self.size(number) for number in range(first, last + 1))

    def size(self, page: int) -> Size:
        """Return the width and height of one page, as ``sizes`` does."""
        if page not in self._sizes:
            self._sizes[page] = self._measured(page)
        return self._sizes[page]

    def image(self, page: int, width: int, top: int = 0, rows: int = 0) -> tuple[PageImage, bytes]:
        """Render a page (from 1) at a width in pixels, or only ``rows`` of it from ``top`` on.

        Raises ``bad_request`` for a band outside the page or above ``MAX_IMAGE_BYTES``.
        """
        shown, (points, high) = self._display(page), self.size(page)
        zoom = width / points
        height = max(1, round(high * zoom))
        if not 0 < width <= MAX_WIDTH or not 0 <= top < height:
            raise WorldError("bad_request", reason="there is no such part of the page")
        rows = min(rows or height, height - top)
        if rows * width * _RGB > MAX_IMAGE_BYTES:
            raise WorldError("bad_request", reason="the image is too large for one message")
        clip = pymupdf.Rect(0, top / zoom, points, (top + rows) / zoom)
        with damage_as_unreadable("pdf_damaged"):
            drawn = shown.get_pixmap(
                pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False, clip=clip
            )
            data = bytes(drawn.samples_mv)
        return PageImage(drawn.width, height, drawn.y, drawn.height, drawn.stride), data

    def text(self, page: int) -> PlacedText:
        """Return a page's text, as indexed, with the boxes of its characters."""
        return self._placed.computed(page, self._read_text)

    def marks(
        self, first: int, last: int, text: str, start: int | None, spans: Sequence[Span]
    ) -> PassageMarks:
        """Find the boxes of ranges of a passage on some pages.

        ``start`` is its offset in the document's text, if known.
        """
        last = min(last, first + _MAX_PASSAGE_PAGES, self.page_count)
        texts = [self._text_or_nothing(number) for number in range(first, last + 1)]
        anchor = find_text(texts, text)
        pending = False
        if anchor is not None and not anchor.unique and start is not None:
            before = self._length_before(first)
            pending = before is None
            anchor = anchor if before is None else find_text(texts, text, start - before)
        if anchor is None:
            return self._comment_marks(first, text, len(spans))
        boxes = tuple(
            self._boxes(texts, first, anchor.offset + low, anchor.offset + high)
            for low, high in spans
        )
        margin = self.margin(first)
        return PassageMarks(found=True, pending=pending, spans=boxes, margin=margin)

    def _comment_marks(self, page: int, text: str, count: int) -> PassageMarks:
        """Find the place of a comment, whose text is not on its page."""
        if text.startswith(ANNOTATION_SIGN):
            with damage_as_unreadable("pdf_damaged"):
                loaded = self._load(page)
                for each in read_annotations(loaded):
                    if each.text.startswith(text):
                        box = transformed(each.box, tuple(loaded.rotation_matrix))
                        place = (_mark_box(page, Rectangle(*box)),)
                        return PassageMarks(found=True, pending=False, spans=(place,) * count)
        return PassageMarks(found=False, pending=False, spans=())

    def margin(self, page: int) -> float:
        """Return the free width, in points, on both sides of a page's text; 0 without text."""
        with suppress(WorldError):
            text, (width, _height) = self.text(page), self.size(page)
            boxes = text.rectangles(0, len(text.text))
            if boxes:
                left, right = min(box.x0 for box in boxes), max(box.x1 for box in boxes)
                return round(max(0.0, min(left, width - right)), 1)
        return 0.0

    def find(self, words: str, page: int) -> FoundWords:
        """Find words on a page, else on the next one that has them."""
        pattern = re.compile(pattern_of(words), re.IGNORECASE)
        until = time.monotonic() + _FIND_S
        page = min(max(page, 1), self.page_count)
        while words.strip():
            text = self._text_or_nothing(page)
            spans = [found.span() for found in pattern.finditer(text)][:_MAX_PLACES]
            placed = [(self._boxes([text], page, *span), around(text, span)) for span in spans]
            seen = [place for place in placed if place[0]]
            if seen:
                return FoundWords(page, *map(tuple, zip(*seen, strict=True)))
            if page >= self.page_count or time.monotonic() > until:
                break
            page += 1
        return FoundWords(page)

    def copy_with_highlights(self, highlights: Sequence[PageHighlight]) -> tuple[int, bytes]:
        """Return the number of highlights whose quotes were found, and a copy with them.

        This changes the open document, so the caller must close it.

        Raises ``bad_request`` for an image, or a copy too large for one message.
        """
        if not self._document.is_pdf:
            raise WorldError("bad_request", reason="only a PDF can have highlights")
        done = sum(map(self._highlight, highlights))
        with damage_as_unreadable("pdf_damaged"):
            made: bytes = self._document.tobytes(encryption=pymupdf.PDF_ENCRYPT_KEEP)
        if len(made) > MAX_COPY_BYTES:
            raise WorldError("bad_request", reason="the copy is too large for one message")
        return done, made

    def _highlight(self, one: PageHighlight) -> bool:
        text = self._text_or_nothing(one.page) if one.page <= self.page_count else ""
        span = find_quote(one.quote, text, one.place)
        if span is None:
            return False
        with damage_as_unreadable("pdf_damaged"):
            page = self._load(one.page)
            matrix = tuple(page.derotation_matrix)
            boxes = [
                transformed((box.x0, box.y0, box.x1, box.y1), matrix)
                for box in self.text(one.page).rectangles(*span)
            ]
            mark = page.add_highlight_annot([pymupdf.Rect(box) for box in boxes])
            mark.set_colors(stroke=one.colour)
            mark.set_info(content=one.note)
            mark.update()
        return True

    def _boxes(self, texts: Sequence[str], first: int, start: int, end: int) -> tuple[MarkBox, ...]:
        return tuple(
            _mark_box(part.page, box)
            for part in slices(texts, first, start, end)
            for box in self.text(part.page).rectangles(part.start, part.end)
        )

    def _text_or_nothing(self, page: int) -> str:
        """The text of a page; empty for an unreadable page, as in the index."""
        try:
            return self.text(page).text
        except WorldError as error:
            if error.code != "unreadable":
                raise
            return ""

    def _length_before(self, page: int) -> int | None:
        """Return the length of the text before a page, or ``None`` after ``_COUNT_S``."""
        until = time.monotonic() + _COUNT_S
        while len(self._lengths) < page - 1:
            if time.monotonic() > until:
                return None
            number = len(self._lengths) + 1
            self._lengths.append(len(self._raw_text(number)))
        return sum(self._lengths[: page - 1]) + len(PAGE_JOINT) * (page - 1)

    def _measured(self, page: int) -> Size:
        try:
            shown = self._load(page).rect
            width, height = float(shown.width), float(shown.height)
        except WorldError:
            return _LETTER_SIZE
        sound = all(math.isfinite(side) and side > 0 for side in (width, height))
        return (width, height) if sound else _LETTER_SIZE

    def _display(self, page: int) -> Any:
        def draw(number: int) -> Any:
            with damage_as_unreadable("pdf_damaged"):
                return self._load(number).get_displaylist()

        return self._drawn.computed(page, draw)

    def _read_text(self, page: int) -> PlacedText:
        with damage_as_unreadable("pdf_damaged"):
            placed, lines = read_placed(self._load(page)), self._recognised.page(page).lines
            use = use_of(placed.text, lines)
            if use is RecognisedUse.NONE:
                return placed
            return read_placed(self._load(page), lines, use)

    def _raw_text(self, page: int) -> str:
        """Return a page's text without boxes, which is faster."""
        text, lines = raw_page(self._document, page).text, self._recognised.page(page).lines
        if (use := use_of(text, lines)) is RecognisedUse.NONE:
            return text
        return raw_page(self._document, page, lines, use).text

    def _load(self, page: int) -> Any:
        if not 1 <= page <= self.page_count:
            raise WorldError("unreadable", reason="page_missing", page=page)
        with damage_as_unreadable("pdf_damaged"):
            return self._document.load_page(page - 1)


def _mark_box(page: int, box: Rectangle) -> MarkBox:
    x0, y0, x1, y1 = (round(side, 2) for side in (box.x0, box.y0, box.x1, box.y1))
    return MarkBox(page, x0, y0, x1, y1, box.turn)
