"""The interface of extractors: a source of pages, and the types of its results.

Owns the contract between the formats and the document pipeline (``indexer.extract.document``);
it must not know any format. An extractor reads one page at a time and never keeps a page it has
handed over, so that a long document needs no more memory than a short one. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.api.types import Block, BlockKind, OutlineEntry
    from indexer.config import Limits
    from indexer.ocr.recognised_pages import RecognisedPages

# Raised whenever any extractor would read the same bytes as different text or other blocks, or the
# same text would be cut or stemmed otherwise.
EXTRACTOR_VERSION = 5
MAX_SKIPPED_PAGES = 3  # that stopped a reader; a document with more is given up
MAX_ITEM_CHARS = 600  # a longer list item is a paragraph that happens to be numbered


def too_large(limit: int) -> WorldError:
    """Return the outcome of a file of more than ``limit`` bytes."""
    return WorldError("too_large", limit=shown_size(limit))


def check_size(path: Path, limit: int) -> None:
    """Refuse a file that is empty or too large.

    Raises:
        WorldError: ``empty`` or ``too_large``.
        OSError: If there is no such file.
    """
    size = path.stat().st_size
    if size == 0:
        raise WorldError("empty")
    if size > limit:
        raise too_large(limit)


def shown_size(size: int) -> str:
    """Write a limit as a person would set it."""
    return f"{size / 1024**3:.3g} GB" if size >= 1024**3 else f"{size / 1024**2:.3g} MB"


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a block on its page, if the format has one.

    ``size`` is the type size in points; ``top`` and ``bottom`` are shares of the page's height.
    """

    size: float
    bold: bool
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A run of a page's text as the page alone shows it; offsets are local to the page.

    Headings of laid-out formats are only recognised against the whole document. ``split_off`` marks
    a row that was cut from the block before it because it may be a running head or foot: it goes
    back there if it is none.
    """

    start: int
    end: int
    kind: BlockKind
    level: int = 0
    style: Style | None = None
    split_off: bool = False


@dataclass(frozen=True, slots=True)
class RawPage:
    """One page as the extractor read it; ``unreadable`` is the reason when some or all is lost.

    ``damaged`` pages were read in spite of damage; how much of them is lost is unknown.
    ``part`` names the document inside this one that the page is of, "" for its own pages.
    """

    number: int
    text: str
    blocks: tuple[RawBlock, ...] = ()
    unreadable: str = ""
    damaged: bool = False
    part: str = ""


@dataclass(frozen=True, slots=True)
class PageText:
    """One page of the canonical text: ``offset`` and the blocks count from the document's start.

    Several pages of one document may carry the same number: formats without pages come in
    sections of page 1. Neighbours are one character apart, a newline of the canonical text.
    """

    number: int
    offset: int
    text: str
    blocks: tuple[Block, ...]
    part: str = ""  # as in ``RawPage``


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata in a document; every field may be empty."""

    title: str = ""
    author: str = ""
    created: str = ""  # ISO date


class Source(Protocol):
    """One open document."""

    @property
    def page_count(self) -> int:
        """Pages as a reader counts them: 1 where the format has none, 0 if there is nothing."""
        ...

    @property
    def metadata(self) -> Metadata: ...

    @property
    def outline(self) -> tuple[OutlineEntry, ...]: ...

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        """Yield the pages in order, each read when it is asked for.

        Args:
            skip: Pages that stopped a reader before; they are yielded as unreadable.

        Raises:
            WorldError: If reading must stop; a single bad page is yielded as unreadable.
        """
        ...

    def close(self) -> None: ...


class PlainSource:
    """A source of one page that says nothing about itself; formats that have more override it."""

    page_count = 1
    metadata = Metadata()
    outline: tuple[OutlineEntry, ...] = ()

    def close(self) -> None:
        """Nothing stays open."""


@runtime_checkable
class HasScannedPages(Protocol):
    """An open document whose pages may be images of text.

    ``recognised``, set before it is read, has the text of pages without legible text of their
    own; ``textless`` are those of the pages read so far that show something nevertheless.
    """

    recognised: RecognisedPages | None
    textless: list[int]


@runtime_checkable
class ContainerSource(Protocol):
    """An open document that holds others.

    ``on_page``, set before it is read, is called with the number of the page under way at each
    step of reading one of them, which may take longer than all pages of its own.
    """

    on_page: Callable[[int], None]


class Opener(Protocol):
    """The one function a format's module offers, named ``open_source``."""

    def __call__(self, path: Path, password: str | None, limits: Limits) -> Source:
        """Open a document.

        Raises:
            WorldError: ``needs_password``, ``unreadable``, ``empty`` or ``too_large``.
            OSError: If the file cannot be read.
        """
        ...
