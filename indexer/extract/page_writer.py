"""Builds pages from blocks, for formats whose text is converted.

A line feed separates blocks. Long pages are written in sections, and long tables in blocks of whole
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import PageSource, RawBlock, RawPage, joined_blocks
from indexer.extract.document import Budget
from indexer.extract.plain.decode import MARK, SECTION_CHARS, TextFile, open_text
from indexer.text.view import without_surrogates

if TYPE_CHECKING:
    from indexer.config import Limits


F = TypeVar("F")

COMMENTS = "comments"  # the part with readers' comments on a text
TABLE_CHARS = 6_000  # passages of a longer block would split rows
# After these errors of a part, the others are still read.
SALVAGEABLE = frozenset({"unreadable", "too_complex", "too_large"})
_STRIPPED = " \t\r\n\x0b\x0c"


class PageWriter:
    """Collects blocks into pages, and charges a budget for their characters."""

    def __init__(self, budget: Budget) -> None:
        self.page = 1
        self._budget = budget
        self._parts: list[str] = []
        self._blocks: list[RawBlock] = []
        self._length = 0
        self._rows: list[str] = []
        self._rows_length = 0
        self._done: list[RawPage] = []
        self._last = 0  # the last page with a complete section

    def add_block(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, level: int = 0) -> None:
        """Add a block, stripped of white space, unless it is empty."""
        self.end_table()
        self._add(text, kind, level)

    def add_row(self, cells: Sequence[str]) -> None:
        """Add a row of a table, without its empty cells."""
        line = "\t".join(filter(None, (" ".join(cell.split()) for cell in cells)))
        if line:
            self._rows.append(line)
            self._rows_length += len(line) + 1
            if self._rows_length > TABLE_CHARS:
                self.end_table()

    def end_table(self) -> None:
        """Add the rows so far as one block."""
        rows, self._rows, self._rows_length = self._rows, [], 0
        self._add("\n".join(rows), BlockKind.TABLE, 0)

    def append(self, text: str, blocks: Iterable[RawBlock]) -> None:
        """Add text with its blocks, whose offsets are local to it."""
        self.end_table()
        text = without_surrogates(text)
        if not text.strip():
            return
        self._write(text, blocks)

    def begin_page(self, page: int) -> None:
        """Complete the current page, even if empty, and begin another; page 1 is begun already."""
        if page != self.page:
            self._flush(even_if_empty=True)
            self.page = page

    def completed(self) -> Iterator[RawPage]:
        """Yield the complete pages once."""
        done, self._done = self._done, []
        yield from done

    def finish(self) -> Iterator[RawPage]:
        """Complete the current page, and yield the rest. The writer remains usable."""
        self._flush(even_if_empty=True)
        yield from self.completed()

    def abandon(self) -> Iterator[RawPage]:
        """Yield the text of a page that failed, without spending on an unfinished table."""
        self._rows, self._rows_length = [], 0
        self._flush(even_if_empty=False)
        yield from self.completed()

    def _add(self, text: str, kind: BlockKind, level: int) -> None:
        text = without_surrogates(text).strip(_STRIPPED)
        if text:
            self._write(text, [RawBlock(0, len(text), kind, level)])

    def _write(self, text: str, blocks: Iterable[RawBlock]) -> None:
        self._budget.spend_characters(len(text))
        if self._parts:
            self._parts.append("\n")
            self._length += 1
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        self._blocks += (
            RawBlock(start + block.start, start + block.end, block.kind, block.level)
            for block in blocks
        )
        if self._length >= SECTION_CHARS:
            self._flush(even_if_empty=False)

    def _flush(self, *, even_if_empty: bool) -> None:
        self.end_table()
        if self._parts or (even_if_empty and self._last != self.page):
            self._done.append(RawPage(self.page, "".join(self._parts), tuple(self._blocks)))
            self._last = self.page
        self._parts, self._blocks, self._length = [], [], 0


def read_each(
    count: int, skip: Collection[int], writer: PageWriter, read: Callable[[int], Iterable[None]]
) -> Iterator[RawPage]:
    """Read pages one by one, so that a damaged page does not affect the others.

    ``read`` reads the page with a number into ``writer``, and may yield when sections are complete.
    Pages in ``skip`` crashed a reader before.
    """
    for number in range(1, count + 1):
        writer.page = number
        if number in skip:
            yield RawPage(number, "", unreadable="stops_reader")
            continue
        try:
            for _ in read(number):
                yield from writer.completed()
        except WorldError as error:
            if error.code not in SALVAGEABLE:
                raise
            yield from writer.abandon()
            yield RawPage(number, "", unreadable=error.reason)
        else:
            yield from writer.finish()


def salvage(pages: Iterable[RawPage], writer: PageWriter) -> Iterator[RawPage]:
    """Yield pages of the writer up to an error, then an unreadable page for the rest.

    Raises ``WorldError`` if there is no text before the error, or it is not ``SALVAGEABLE``.
    """
    legible = False
    try:
        for page in pages:
            legible = legible or bool(page.text.strip())
            yield page
    except WorldError as error:
        left = list(writer.abandon())
        legible = legible or any(page.text.strip() for page in left)
        if not legible or error.code not in SALVAGEABLE:
            raise
        yield from left
        yield RawPage(writer.page, "", unreadable=error.reason)


def part_page(
    number: int, texts: Iterable[str], part: str, kind: BlockKind = BlockKind.ASIDE
) -> RawPage:
    """Return a page of blocks of one kind, for a part that follows a document's pages."""
    return RawPage(number, *joined_blocks((text, kind, 0) for text in texts), part=part)


class WrittenSource(PageSource, Generic[F]):
    """A document of one page that ``write`` writes, yielding when sections are complete.

    ``_file`` is read: a path, or a text whose encoding is known.
    """

    def __init__(self, file: F, limits: Limits) -> None:
        self._file = file
        self.budget = Budget(limits)

    def write_pages(self, writer: PageWriter) -> Iterable[None]:
        """Write the blocks of the document."""
        raise NotImplementedError

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self.budget)
        yield from salvage(self._sections(writer), writer)

    def _sections(self, writer: PageWriter) -> Iterator[RawPage]:
        for _ in self.write_pages(writer):
            yield from writer.completed()
        yield from writer.finish()

    def close(self) -> None:
        del self._file  # the text may be the whole document
        super().close()


class PathSource(WrittenSource[Path]):
    """A document that is read from its path."""

    @classmethod
    def open_source(cls, path: Path, _password: str | None, limits: Limits) -> Self:
        """Open a document (``indexer.extract.base.Opener``)."""
        return cls(path, limits)


class DecodedSource(WrittenSource[TextFile]):
    """A document that is read as text. ``limit`` names the limit of its size."""

    limit: ClassVar[str] = "text_bytes"

    @classmethod
    def open_source(cls, path: Path, _password: str | None, limits: Limits) -> Self:
        """Open a document (``indexer.extract.base.Opener``)."""
        return cls(open_text(path, getattr(limits, cls.limit)), limits)

    @property
    def text(self) -> str:
        """The whole text, without a byte order mark."""
        return "\n".join(self._file.sections()).removeprefix(MARK)
