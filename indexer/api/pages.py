"""What the window asks the render child, and what that answers.

Owns both as dataclasses; ``indexer.render`` answers them. Page numbers are from 1, lengths in
points, offsets code points of the canonical text. Bytes travel beside an answer where its class
says so. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from indexer.api.contract import Answered
from indexer.api.types import OutlineEntry, Span

A = TypeVar("A")

Size = tuple[float, float]


class PageRequest(Answered[A]):
    """Something that is asked of the render child, which answers with an ``A`` and bytes."""

    __slots__ = ()
    kinds: ClassVar[dict[str, type[Any]]] = {}


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A file to show; ``format`` is its name if it is known, else ""."""

    path: Path
    format: str = ""
    password: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentRequest(PageRequest[A]):
    """Something that is asked about one document."""

    kinds: ClassVar[dict[str, type[Any]]] = PageRequest.kinds  # it is no kind itself
    source: DocumentSource


# -- answers --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenedPages:
    """The pages of an open document.

    Attributes:
        count: How many there are.
        page: The one that is looked at, and its ``size``.
        sizes: Of the first pages.
        labels: What the document calls its pages; nothing where they are just numbers.
        outlined: Whether there is an outline.
    """

    count: int
    page: int
    size: Size
    sizes: tuple[Size, ...]
    labels: tuple[str, ...]
    outlined: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """An open document; ``stamp`` is another once its file is. One of text has no pages."""

    format: str
    stamp: str
    modified_ns: int
    pages: OpenedPages | None = None


@dataclass(frozen=True, slots=True)
class PageSizes:
    """Sizes of pages, from ``first`` on."""

    first: int
    sizes: tuple[Size, ...]


@dataclass(frozen=True, slots=True)
class PageImage:
    """Rows of a page as an image; the bytes are 8 bits of red, green and blue each.

    Attributes:
        columns: Its width in pixels.
        height: Of the whole page.
        top: The first row.
        rows: How many.
        stride: Bytes of a row.
    """

    columns: int
    height: int
    top: int
    rows: int
    stride: int


@dataclass(frozen=True, slots=True)
class MarkBox:
    """Where something stands on a page; ``turn`` is of its text, in quarters clockwise."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    turn: int


@dataclass(frozen=True, slots=True)
class PassageMarks:
    """Where ranges of a passage stand.

    Attributes:
        found: Whether the passage is on its page.
        pending: It stands there twice, and pages must be counted to tell which is meant.
        spans: Boxes of each range that was asked for.
    """

    found: bool
    pending: bool
    spans: tuple[tuple[MarkBox, ...], ...]


@dataclass(frozen=True, slots=True)
class PageLetters:
    """The text of a page, turned by so many quarters clockwise.

    The bytes are the box of each character: four 32-bit floats, little endian; all 0 for one that
    stands nowhere.
    """

    text: str
    turn: int


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a document's text, which is in the bytes (UTF-8); ``more`` goes on after it."""

    offset: int
    more: bool


# -- requests -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Open(DocumentRequest[Opened]):
    """Open a document at a page."""

    page: int = 1


@dataclass(frozen=True, slots=True)
class GetSizes(DocumentRequest[PageSizes]):
    """Measure pages."""

    first: int
    count: int


@dataclass(frozen=True, slots=True)
class GetImage(DocumentRequest[PageImage]):
    """Draw a page so many pixels wide; some rows of it, or all without ``rows``."""

    page: int
    width: int
    top: int = 0
    rows: int = 0


@dataclass(frozen=True, slots=True)
class GetMarks(DocumentRequest[PassageMarks]):
    """Find where ranges of a passage stand.

    Attributes:
        page: Where it begins, and ``last``, where it ends.
        text: Of the passage.
        start: Where it begins in the document; None if that is not known.
        spans: Offsets into the text.
    """

    page: int
    last: int
    text: str
    start: int | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class GetLetters(DocumentRequest[PageLetters]):
    """Find the characters of a page."""

    page: int


@dataclass(frozen=True, slots=True)
class GetOutline(DocumentRequest[tuple[OutlineEntry, ...]]):
    """Read the outline of a document."""


@dataclass(frozen=True, slots=True)
class GetText(DocumentRequest[TextPart]):
    """Read the text of a range, with so much ``room`` before and after it."""

    start: int = 0
    end: int = 0
    room: int = 0


@dataclass(frozen=True, slots=True)
class Rest(PageRequest[None]):
    """Let go of every file."""
