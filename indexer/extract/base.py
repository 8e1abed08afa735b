"""What every extractor offers: a source of pages, and the shapes of what it reads.

Owns the contract between the formats and the document pipeline (``indexer.extract.document``);
it must not know any format. An extractor reads one page at a time and never keeps a page it has
handed over, so that a long document needs no more memory than a short one. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from indexer.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.ocr.reading import RecognisedPages
    from indexer.types import Block, BlockKind, OutlineEntry

# Raised whenever any extractor would read the same bytes as different text or other blocks.
EXTRACTOR_VERSION = 3
MAX_SKIPPED_PAGES = 3  # that stopped a reader; a document with more is given up
MAX_ITEM_CHARS = 600  # a longer list item is a paragraph that happens to be numbered


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. Sizes in bytes, times in seconds."""

    pdf_bytes: int = 2 * 1024**3
    text_bytes: int = 64 * 1024**2
    markup_bytes: int = 16 * 1024**2  # a parsed tree needs about ten times its source
    source_bytes: int = 8 * 1024**2  # of programs; larger ones were written by programs
    notebook_bytes: int = 32 * 1024**2  # parsed whole, pictures and all
    package_bytes: int = 1024**3  # zip files of XML: pictures and films are never unpacked
    image_bytes: int = 128 * 1024**2  # held whole while it is drawn
    mailbox_bytes: int = 2 * 1024**3
    message_bytes: int = 256 * 1024**2  # of one mail with all that is attached to it
    unpacked_bytes: int = 512 * 1024**2  # of all that is unpacked for one document
    elements: int = 30_000_000  # of its XML
    tree_nodes: int = 1_000_000  # of its XML held at once: elements and attributes
    characters: int = 64 * 1024**2  # of its text
    silence_s: float = 60.0  # without a sign of progress
    resident_bytes: int = 350 * 1024**2  # of the whole child

    @property
    def by_format(self) -> dict[str, int]:
        """The size past which a file is not read, by the format its name promises."""
        return {
            "pdf": self.pdf_bytes,
            "html": self.markup_bytes,
            "markdown": self.text_bytes,
            "text": self.text_bytes,
            **dict.fromkeys(("csv", "rtf"), self.text_bytes),
            "code": self.source_bytes,
            "tex": self.markup_bytes,
            "ipynb": self.notebook_bytes,
            **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "odp", "ods"), self.package_bytes),
            "epub": self.package_bytes,
            **dict.fromkeys(("doc", "xls", "ppt", "msg"), self.package_bytes),
            "eml": self.message_bytes,
            "mbox": self.mailbox_bytes,
            "image": self.image_bytes,
            **dict.fromkeys(("zip", "tar"), self.package_bytes),
        }

    @property
    def largest_bytes(self) -> int:
        """The size past which no file is looked into, whatever it is."""
        return max(self.by_format.values())


def too_large(limit: int) -> WorldError:
    """Return the outcome of a file of more than ``limit`` bytes."""
    return WorldError("too_large", limit=shown_size(limit))


def shown_size(size: int) -> str:
    """Write a limit as a person would set it."""
    return f"{size / 1024**3:.3g} GB" if size >= 1024**3 else f"{size / 1024**2:.3g} MB"


@dataclass(frozen=True, slots=True)
class Style:
    """How a block looks on its page, where the format knows.

    ``size`` is the type size in points; ``top`` and ``bottom`` are shares of the page's height.
    """

    size: float
    bold: bool
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A run of a page's text as the page alone shows it; offsets are local to the page.

    Headings of laid-out formats are only recognised against the whole document. ``glued`` marks
    a row that was cut from the block before it because it may be a running head or foot: it goes
    back there if it is none.
    """

    start: int
    end: int
    kind: BlockKind
    level: int = 0
    style: Style | None = None
    glued: bool = False


@dataclass(frozen=True, slots=True)
class RawPage:
    """One page as the extractor read it; ``unreadable`` is the reason when some or all is lost.

    ``damaged`` pages were read on through the damage: what is lost of them, nobody can tell.
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
    """What a document says about itself; every field may be empty."""

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
            WorldError: If reading cannot go on; a single bad page is yielded as unreadable.
        """
        ...

    def close(self) -> None: ...


@runtime_checkable
class Scannable(Protocol):
    """An open document whose pages may be images of text.

    ``recognised``, set before it is read, says what stands on pages without legible text of their
    own; ``textless`` are those of the pages read so far that show something nevertheless.
    """

    recognised: RecognisedPages | None
    textless: list[int]


@runtime_checkable
class Holder(Protocol):
    """An open document that holds others.

    ``under_way``, set before it is read, is called with the number of the page under way at each
    step of reading one of them, which may take longer than all pages of its own.
    """

    under_way: Callable[[int], None]


class Opener(Protocol):
    """The one function a format's module offers, named ``open_source``."""

    def __call__(self, path: Path, password: str | None, limits: Limits) -> Source:
        """Open a document.

        Raises:
            WorldError: ``needs_password``, ``unreadable``, ``empty`` or ``too_large``.
            OSError: If the file cannot be read.
        """
        ...
