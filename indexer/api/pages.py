"""The requests of the window to the render child, and their answers.

Page numbers begin at 1, lengths are in points, offsets are code points of the canonical text. Some
answers carry bytes, which the docstring of their class describes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from msgspec import Struct

from indexer.api.contract import Answered
from indexer.api.types import BlockKind, OutlineEntry, Span

A = TypeVar("A")

Size = tuple[float, float]


class PageRequest(Answered[A], frozen=True):
    """A request to the render child, which answers with an ``A`` and bytes."""

    kinds: ClassVar[dict[str, type[Any]]] = {}


_AROUND = 40  # characters shown on each side of the words that were found


class DocumentSource(Struct, frozen=True):
    """A file to show; ``format`` is the name of its format, "" if unknown."""

    path: Path
    format: str = ""
    password: str | None = None


class DocumentRequest(PageRequest[A], frozen=True):
    """A request about one document."""

    kinds: ClassVar[dict[str, type[Any]]] = PageRequest.kinds  # only its subclasses are registered
    source: DocumentSource


# -- answers --------------------------------------------------------------------------------


class OpenedPages(Struct, frozen=True):
    """The pages of an open document.

    Attributes:
        page: The requested page; ``size`` is its size.
        sizes: The sizes of the first pages.
        labels: The document's own page labels; empty if these are the page numbers.
        outlined: Whether the document has an outline.
    """

    count: int
    page: int
    size: Size
    sizes: tuple[Size, ...]
    labels: tuple[str, ...]
    outlined: bool


class Opened(Struct, frozen=True):
    """An open document; ``stamp`` changes with its file. A document of text has no pages."""

    format: str
    stamp: str
    modified_ns: int
    pages: OpenedPages | None = None


class PageSizes(Struct, frozen=True):
    """Sizes of pages, from ``first`` on."""

    first: int
    sizes: tuple[Size, ...]


class PageImage(Struct, frozen=True):
    """Rows of a page as an image; the bytes are red, green and blue, 8 bits each.

    Attributes:
        columns: The width in pixels.
        height: The height of the whole page.
        top: The first row.
        rows: The number of rows.
        stride: The bytes of a row.
    """

    columns: int
    height: int
    top: int
    rows: int
    stride: int


class MarkBox(Struct, frozen=True):
    """A rectangle on a page; ``turn`` is the rotation of its text in quarters clockwise."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    turn: int


class PassageMarks(Struct, frozen=True):
    """The places of ranges of a passage.

    Attributes:
        found: Whether the passage is on its page.
        pending: Whether it occurs there twice, and the offsets that decide are not known yet.
        spans: The boxes of each requested range.
        margin: The free width beside the text of the first page, in points.
    """

    found: bool
    pending: bool
    spans: tuple[tuple[MarkBox, ...], ...]
    margin: float = 0.0


class PageLetters(Struct, frozen=True):
    """The text of a page, rotated clockwise by a number of quarters.

    The bytes are the box of each character: four 32-bit floats, little endian, all 0 for a
    character that is not on the page.
    """

    text: str
    turn: int


class TextBlock(Struct, frozen=True):
    """The role of a run of text; ``level`` is the depth of a heading or an item, 1 for notes."""

    start: int
    end: int
    kind: BlockKind
    level: int = 0


class TextPart(Struct, frozen=True):
    """A part of a document's text; the bytes are its UTF-8. If ``more``, other text follows.

    ``blocks`` are in the order of the text. ``pages`` are the places where slides, sheets or other
    numbered parts begin. Both have offsets into the document.
    """

    offset: int
    more: bool
    blocks: tuple[TextBlock, ...] = ()
    pages: tuple[int, ...] = ()


class FoundWords(Struct, frozen=True):
    """The places of words on the first page that has them, or none on the last page searched.

    ``spans`` are the boxes of each place, in the order of the page's text, ``texts`` the words
    around each.
    """

    page: int
    spans: tuple[tuple[MarkBox, ...], ...] = ()
    texts: tuple[str, ...] = ()


class PageHighlight(Struct, frozen=True):
    """A highlight for a copy of a PDF: a quote, and its approximate offset in the page's text.

    ``colour`` is red, green and blue, each from 0 to 1.
    """

    page: int
    quote: str
    place: int
    colour: tuple[float, float, float]
    note: str = ""


def pattern_of(words: str) -> str:
    """Return a regular expression for some words with any white space between them."""
    return r"\s+".join(map(re.escape, words.split()))


def find_quote(quote: str, text: str, near: int) -> Span | None:
    """Return the place of a quote, with any white space, that is nearest to ``near``."""
    if not quote.strip():
        return None
    places = [found.span() for found in re.finditer(pattern_of(quote), text)]
    return min(places, key=lambda span: abs(span[0] - near), default=None)


def around(text: str, span: tuple[int, int]) -> str:
    """Return the words around a span of a text, on one line."""
    start, end = max(span[0] - _AROUND, 0), span[1] + _AROUND
    words = text[start:end].split(" ")
    cut_first = start > 0 and len(words) > 1
    cut_last = end < len(text) and len(words) > 1
    return " ".join(" ".join(words[cut_first : len(words) - cut_last]).split())


# -- requests -------------------------------------------------------------------------------


class Open(DocumentRequest[Opened], frozen=True):
    """Open a document at a page."""

    page: int = 1


class GetSizes(DocumentRequest[PageSizes], frozen=True):
    """Measure pages."""

    first: int
    count: int


class GetImage(DocumentRequest[PageImage], frozen=True):
    """Render a page at a width in pixels: the given ``rows`` of it, or all of them."""

    page: int
    width: int
    top: int = 0
    rows: int = 0


class GetMarks(DocumentRequest[PassageMarks], frozen=True):
    """Find the places of ranges of a passage.

    Attributes:
        page: The page on which the passage begins; it ends on ``last``.
        text: The text of the passage.
        start: Its offset in the document; None if unknown.
        spans: Offsets into the text.
    """

    page: int
    last: int
    text: str
    start: int | None = None
    spans: tuple[Span, ...] = ()


class GetLetters(DocumentRequest[PageLetters], frozen=True):
    """Return the characters of a page and their boxes."""

    page: int


class FindWords(DocumentRequest[FoundWords], frozen=True):
    """Find words on a page or, page by page, after it.

    An answer without places names the page that was reached within the time limit.
    """

    text: str
    page: int


class CopyWithHighlights(DocumentRequest[int], frozen=True):
    """Copy a PDF with highlights; the bytes are the copy, the answer is the number of highlights.

    The original file is not changed.
    """

    highlights: tuple[PageHighlight, ...]


class GetOutline(DocumentRequest[tuple[OutlineEntry, ...]], frozen=True):
    """Read the outline of a document."""


class GetText(DocumentRequest[TextPart], frozen=True):
    """Read the text of a range, with ``room`` characters before and after it."""

    start: int = 0
    end: int = 0
    room: int = 0


class Rest(PageRequest[None], frozen=True):
    """Close all files."""
