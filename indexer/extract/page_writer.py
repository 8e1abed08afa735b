"""Text that is put together block by block, for formats that are converted rather than quoted.

Owns how blocks become the pages of ``indexer.extract.base``: one line feed between two blocks,
long pages in sections, tables in portions that end with a row. It must not know any format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import RawBlock, RawPage
from indexer.extract.plain.decode import SECTION_CHARS, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from indexer.extract.budget import Budget

TABLE_CHARS = 6_000  # of one block; longer ones would be cut between words
# Failures of a part after which the others are still read.
SALVAGEABLE = frozenset({"unreadable", "too_complex", "too_large"})
_STRIPPED = " \t\r\n\x0b\x0c"


class PageWriter:
    """Collects blocks into pages; ``completed`` gives those that are complete.

    Args:
        budget: Pays for the characters.
    """

    def __init__(self, budget: Budget) -> None:
        self.page = 1
        self._budget = budget
        self._parts: list[str] = []
        self._blocks: list[RawBlock] = []
        self._length = 0
        self._rows: list[str] = []
        self._rows_length = 0
        self._done: list[RawPage] = []
        self._last = 0  # the page that has been written to, if only a section of it

    def add(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, level: int = 0) -> None:
        """Write a block. White space around it goes, and a block of nothing else is none."""
        if self._rows:
            self.end_table()
        self._add(text, kind, level)

    def row(self, cells: Sequence[str]) -> None:
        """Write a row of a table; what is empty takes no place in it."""
        line = "\t".join(filter(None, (" ".join(cell.split()) for cell in cells)))
        if line:
            self._rows.append(line)
            self._rows_length += len(line) + 1
            if self._rows_length > TABLE_CHARS:
                self.end_table()

    def end_table(self) -> None:
        """Write the rows that came so far as one block."""
        rows, self._rows, self._rows_length = self._rows, [], 0
        self._add("\n".join(rows), BlockKind.TABLE, 0)

    def append(self, text: str, blocks: Iterable[RawBlock]) -> None:
        """Write text whose blocks are known already, with offsets into it."""
        self.end_table()
        text = without_surrogates(text)
        if not text.strip():
            return
        self._budget.spend_characters(len(text))
        start = self._join(text)
        for block in blocks:
            self._blocks.append(
                RawBlock(start + block.start, start + block.end, block.kind, block.level)
            )
        self._end_section()

    def begin_page(self, page: int) -> None:
        """Begin another page; a page without text is still one."""
        self._flush(even_if_empty=True)
        self.page = page

    def completed(self) -> Iterator[RawPage]:
        """Yield the pages that are complete."""
        done, self._done = self._done, []
        yield from done

    def finish(self) -> Iterator[RawPage]:
        """Yield what is left; the writer can go on with another page."""
        self._flush(even_if_empty=True)
        yield from self.completed()

    def abandon(self) -> Iterator[RawPage]:
        """Yield what is left of a page whose reading ended early; it costs nothing any more."""
        self._rows, self._rows_length = [], 0
        self._flush(even_if_empty=False)
        yield from self.completed()

    def _add(self, text: str, kind: BlockKind, level: int) -> None:
        text = without_surrogates(text).strip(_STRIPPED)
        if not text:
            return
        self._budget.spend_characters(len(text))
        start = self._join(text)
        self._blocks.append(RawBlock(start, start + len(text), kind, level))
        self._end_section()

    def _join(self, text: str) -> int:
        """Append text, and return where it starts."""
        if self._parts:
            self._parts.append("\n")
            self._length += 1
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start

    def _end_section(self) -> None:
        if self._length >= SECTION_CHARS:
            self._flush(even_if_empty=False)

    def _flush(self, *, even_if_empty: bool) -> None:
        if self._rows:
            self.end_table()
        if self._parts or (even_if_empty and self._last != self.page):
            self._done.append(RawPage(self.page, "".join(self._parts), tuple(self._blocks)))
            self._last = self.page
        self._parts, self._blocks, self._length = [], [], 0


def read_each(
    count: int, skip: Collection[int], writer: PageWriter, read: Callable[[int], Iterable[None]]
) -> Iterator[RawPage]:
    """Yield pages that are read one by one: what is wrong with one costs that one.

    Args:
        count: How many there are.
        skip: Those that stopped a reader before.
        writer: What ``read`` writes to.
        read: Reads a page by its number; it may pause, so that what is complete can be given.
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
    """Yield pages up to the damage, and then say that the rest could not be read.

    Args:
        pages: The pages, as the writer gives them.
        writer: What still holds the last of them at the damage.

    Raises:
        WorldError: If nothing stood before the damage, or a password is needed.
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
