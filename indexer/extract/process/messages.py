"""The messages between the engine and an extraction child.

Their order::

    engine  Extract
    child   PageReached, at intervals; before every page if careful
    child   Textless, for formats whose pages may be scanned
    child   DocumentRead
    engine  Go or Skip
    child   PassagesSent, repeated; TextSent if the text is asked for
    child   Ended, or Failed at any point

or, to recognise a page (``indexer.extract.pdf.recognition``)::

    engine  Recognise
    child   PageReached, at intervals
    child   LinesFound, or Failed

The child passes these on between the engine and the reader of the document, up to the first Ended,
Failed or LinesFound, which ends that reader. A document may take over its reader, so the engine
believes only messages that ``border`` has checked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from indexer.api.codec import Message
from indexer.api.errors import Failure
from indexer.api.types import DocumentInfo, Passage
from indexer.config import Limits
from indexer.ocr.tesseract import Tesseract

# The largest frame of a reader. Groups of passages stay far below it.
MAX_FRAME_BYTES = 8 << 20


class ToChild(Message, frozen=True):
    """Messages of the engine."""

    kinds: ClassVar[dict[str, type[Any]]] = {}


class FromChild(Message, frozen=True):
    """Messages of the child."""

    kinds: ClassVar[dict[str, type[Any]]] = {}


class KnownPages(Struct, frozen=True):
    """Where a child finds the recognised pages of a document.

    ``library`` is the folder of the library, ``content`` the hash of the document's bytes.
    """

    library: Path
    content: str


class Extract(ToChild, frozen=True):
    """Extract a document. ``format`` is the name of its format if the scan found it, else "".

    ``skip`` has the pages to leave out. A ``careful`` child reports every page before it reads it.
    With ``as_text`` it sends the canonical text instead of passages. ``languages`` has the
    languages of nearby documents, which help to find the encoding of a short text without a label.
    """

    path: Path
    format: str
    password: str | None
    limits: Limits
    skip: tuple[int, ...] = ()
    careful: bool = False
    recognised: KnownPages | None = None
    as_text: bool = False
    languages: tuple[str, ...] = ()


class Recognise(ToChild, frozen=True):
    """Recognise the text on a page (from 1) of a PDF. The most likely language comes first.

    ``program`` is None where Tesseract is not installed.
    """

    path: Path
    password: str | None
    limits: Limits
    page: int
    program: Tesseract | None
    languages: tuple[str, ...]


class Go(ToChild, frozen=True):
    """Send the passages of the document."""


class Skip(ToChild, frozen=True):
    """Do not send the passages of the document."""


class PageReached(FromChild, frozen=True):
    """The next page to be read, and the number of pages."""

    page: int
    pages: int


class Textless(FromChild, frozen=True):
    """Pages that have content but no text."""

    pages: tuple[int, ...]


class DocumentRead(FromChild, frozen=True):
    """The metadata of a document."""

    info: DocumentInfo


class PassagesSent(FromChild, frozen=True):
    """Some of a document's passages, in order."""

    passages: tuple[Passage, ...]


class TextSent(FromChild, frozen=True):
    """The next piece of the canonical text, on one page and in one ``part``."""

    page: int
    part: str
    text: str


class LinesFound(FromChild, frozen=True):
    """Recognised lines, packed by ``indexer.ocr.layer.pack``, in base64.

    ``lasting`` says that no other language of Tesseract would change them.
    """

    lines: str
    lasting: bool


class Ended(FromChild, frozen=True):
    """The last message about a document."""


class Failed(FromChild, frozen=True):
    """The last message about a document that could not be read to its end."""

    error: Failure


# One of these is the last message about a document.
LAST = (Ended, Failed, LinesFound)
