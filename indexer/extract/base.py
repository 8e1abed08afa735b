"""The interface of a format: a source of pages, and the types of its results.

A source reads one page at a time and keeps none, so that memory does not grow with the length of a
document. Standard library and msgspec only.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind  # noqa: TC001  # of fields that are decoded

if TYPE_CHECKING:
    from contextlib import ExitStack

    from indexer.api.types import Block, OutlineEntry
    from indexer.config import Limits
    from indexer.ocr.cache import RecognisedPages

# Increment it when the same bytes now yield other text or blocks, or when the same text now yields
# other passages or stems.
EXTRACTOR_VERSION = 15
MAX_LABELS = 40_000  # a document keeps the labels of at most this many pages
MAX_SKIPPED_PAGES = 3  # a document with more pages that crash a reader fails
SCRATCH_PREFIX = "document-"
_NO_MEMORY = re.compile(r"\b(?:m|c|re)alloc\b")
_MOST_ABOUT = 2_000  # characters of a document's subject, keywords or description
MAX_ITEM_CHARS = 600  # a longer list item is a numbered paragraph


def is_left_out(number: int, skip: Collection[int]) -> bool:
    """Return whether to leave out a page that crashed a reader, or follows too many that did."""
    return number in skip or (len(skip) >= MAX_SKIPPED_PAGES and number > max(skip))


def too_large(limit: int) -> WorldError:
    """Return the error for a file of more than ``limit`` bytes."""
    return WorldError("too_large", limit=shown_size(limit))


def damaged_container(error: Exception) -> WorldError:
    """Convert a library's error on a damaged zip, tar or OLE file."""
    said = " ".join(str(error).split())[:120]
    return WorldError("unreadable", reason="container_damaged", said=said)


@contextmanager
def damage_as_unreadable(reason: str, path: Path | None = None) -> Iterator[None]:
    """Convert the many types of errors that a library raises for a damaged file to ``unreadable``.

    ``reason`` is a code of ``indexer.api.phrases``; the ``path`` is left out of the message. MuPDF
    reports only in words that memory ran out.
    """
    try:
        yield
    except (MemoryError, WorldError):
        raise
    except Exception as error:
        if _NO_MEMORY.search(str(error)):
            raise MemoryError from error
        text = " ".join(str(error).split())
        if path is not None:
            text = text.replace(str(path), "…")
        said = re.sub(r"^code=\d+: ", "", text)[:200] or type(error).__name__
        raise WorldError("unreadable", reason=reason, said=said) from error


def check_size(path: Path, limit: int) -> None:
    """Refuse a file that is empty or too large.

    Raises ``empty`` or ``too_large``; ``OSError`` if the file does not exist.
    """
    size = path.stat().st_size
    if size == 0:
        raise WorldError("empty")
    if size > limit:
        raise too_large(limit)


def shown_size(size: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{size / 1024**3:.3g} GB" if size >= 1024**3 else f"{size / 1024**2:.3g} MB"


class BlockStyle(Struct, frozen=True, array_like=True):
    """The style of a block on its page, if the format has one.

    ``size`` is the type size in points; ``top`` and ``bottom`` are shares of the page's height.
    """

    size: float
    bold: bool
    top: float
    bottom: float


class RawBlock(Struct, frozen=True, array_like=True):
    """A block of a page, classified by this page alone; offsets are local to the page.

    Headings of laid-out formats are detected later, from the whole document. ``split_off`` marks a
    row that was split from the block before because it may be a running head or foot. If it is
    neither, it is merged again.
    """

    start: int
    end: int
    kind: BlockKind
    level: int = 0
    style: BlockStyle | None = None
    split_off: bool = False


class RawPage(Struct, frozen=True, array_like=True):
    """One page as the extractor read it; ``number`` counts from 1.

    ``unreadable`` is the reason code if some or all of the page could not be read. ``damaged`` says
    that it was read all the same, with an unknown loss. ``part`` is the embedded document that the
    page belongs to, "" for none. Numbers ascend, except that parts, and reasons without text, may
    follow all pages of a document, with the numbers of the pages where they belong.
    """

    number: int
    text: str
    blocks: tuple[RawBlock, ...] = ()
    unreadable: str = ""
    damaged: bool = False
    part: str = ""


class PageText(Struct, frozen=True):
    """One page of the canonical text. ``offset`` and the blocks count from the document's start.

    Several pages may have the same number, as formats without pages yield sections of page 1. Pages
    are separated by ``document.PAGE_JOINT`` in the canonical text.
    """

    number: int
    offset: int
    text: str
    blocks: tuple[Block, ...]
    part: str = ""  # as in ``RawPage``


class Metadata(Struct, frozen=True):
    """The metadata in a document; every field may be empty."""

    title: str = ""
    author: str = ""
    created: str = ""  # ISO date
    sent: tuple[str, str] = ("", "")  # ISO dates of the first and the last mail
    # Labels of its first pages, if they are not the page numbers; the days of a mailbox's mails.
    labels: tuple[str, ...] = ()
    about: tuple[str, ...] = ()  # its author's words about it; see ``about``


def joined_blocks(
    found: Iterable[tuple[str, BlockKind, int]],
) -> tuple[str, tuple[RawBlock, ...]]:
    """Join the texts of blocks by line feeds, and return the text with the blocks in it."""
    texts: list[str] = []
    blocks: list[RawBlock] = []
    at = 0
    for text, kind, level in found:
        texts.append(text)
        blocks.append(RawBlock(at, at + len(text), kind, level))
        at += len(text) + 1
    return "\n".join(texts), tuple(blocks)


def about(**values: str) -> tuple[str, ...]:
    """Return lines that an author wrote about a document, such as its subject and keywords."""
    shown = ((name, " ".join(text.split())[:_MOST_ABOUT]) for name, text in values.items())
    return tuple(f"{name.title()}: {text}" for name, text in shown if text)


class PageSource:
    """One open document. By default it has one page, and neither metadata nor an outline.

    Attributes:
        page_count: The number of pages; 1 if the format has none, 0 for an empty document.
        nests: Whether its headings belong to the documents in it, at any depth.
        on_page: Called with the number of the current page at each step of reading an embedded
            document, because this may take longer than the time limit of a page.
        recognised: The recognised text of pages without legible text.
        textless: The pages read so far that have content but no text, or ``None`` for a format
            whose pages are never images of text.
        held: Anything to close with the document, such as the folder it was unpacked into.
    """

    page_count: int = 1
    metadata: Metadata = Metadata()
    outline: tuple[OutlineEntry, ...] = ()
    nests: bool = False
    on_page: Callable[[int], None] = staticmethod(lambda _page: None)
    recognised: RecognisedPages | None = None
    textless: list[int] | None = None
    held: ExitStack | None = None

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        """Read the pages one by one, in order, without those in ``skip``, which crashed a reader.

        Raises ``WorldError`` if the rest cannot be read; a single bad page is yielded as
        unreadable.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close all files, and free the memory of the document."""
        if self.held is not None:
            self.held.close()


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a private folder in the child's scratch folder, which is removed with the child."""
    return tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX, ignore_cleanup_errors=True)


if TYPE_CHECKING:
    # The one function of a format's module, ``open_source``, opens the document at a path, with a
    # password if any. It raises ``needs_password``, ``unreadable``, ``empty`` or ``too_large``;
    # ``OSError`` if the file cannot be read.
    Opener = Callable[[Path, str | None, Limits], PageSource]
