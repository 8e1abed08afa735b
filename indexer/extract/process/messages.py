"""The messages between the engine and an extraction child.

Owns the kinds of messages, each a dataclass; ``indexer.api.codec`` and ``protocol`` carry them. The
conversation::

    engine  Extract
    child   PageReached, now and then; before every page if careful
    child   Textless, of formats whose pages may be scans
    child   DocumentRead
    engine  Go or Skip
    child   PassagesCut, repeated
    child   Ended, or Failed at any point

or, of one page (``indexer.extract.pdf.recognition``)::

    engine  Recognise
    child   PageReached, now and then
    child   LinesFound, or Failed
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from indexer.api.codec import Message
from indexer.api.errors import Failure
from indexer.api.types import DocumentInfo, Passage
from indexer.config import Limits
from indexer.ocr.tesseract import Program


class ToChild(Message):
    """The messages of the engine."""

    __slots__ = ()
    kinds: ClassVar[dict[str, type[Any]]] = {}


class FromChild(Message):
    """The messages of the child."""

    __slots__ = ()
    kinds: ClassVar[dict[str, type[Any]]] = {}


@dataclass(frozen=True, slots=True)
class KnownPages:
    """The cache in which a child looks up the text of scanned pages.

    ``library`` is its folder, ``content`` the hash of the document's bytes.
    """

    library: Path
    content: str


@dataclass(frozen=True, slots=True)
class Extract(ToChild):
    """Read a document; ``format`` is its name if the scan knows it, else "".

    ``skip`` are pages to leave out. A ``careful`` child announces every page before it reads it.
    """

    path: Path
    format: str
    password: str | None
    limits: Limits
    skip: tuple[int, ...] = ()
    careful: bool = False
    recognised: KnownPages | None = None


@dataclass(frozen=True, slots=True)
class Recognise(ToChild):
    """Recognise the text on a page (from 1) of a PDF; the most likely language comes first."""

    path: Path
    password: str | None
    limits: Limits
    page: int
    program: Program
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go(ToChild):
    """The passages of the document are wanted."""


@dataclass(frozen=True, slots=True)
class Skip(ToChild):
    """They are not."""


@dataclass(frozen=True, slots=True)
class PageReached(FromChild):
    """The page that is read next, and how many there are."""

    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class Textless(FromChild):
    """Pages that show something and hold no text."""

    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentRead(FromChild):
    """The metadata of a document, and its word counts."""

    info: DocumentInfo
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PassagesCut(FromChild):
    """Some of a document's passages, in order."""

    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class LinesFound(FromChild):
    """Recognised lines, as ``indexer.ocr.layer.pack`` has them, in base64."""

    lines: str


@dataclass(frozen=True, slots=True)
class Ended(FromChild):
    """There is no more to say of this document."""


@dataclass(frozen=True, slots=True)
class Failed(FromChild):
    """Why there is nothing, or nothing more."""

    error: Failure
