"""A temporary file of pages, between the two passes over a document.

Owns the file and its line format. Small documents stay in memory, long ones are written to disk.
"""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING, Self

from indexer.api.types import BlockKind
from indexer.extract.base import BlockStyle, RawBlock, RawPage

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_MEMORY_BYTES = 4 * 1024**2
_KINDS = tuple(BlockKind)
_KIND_NUMBER = {kind: number for number, kind in enumerate(_KINDS)}


class Spool:
    """A list of pages that is written once and may be iterated repeatedly."""

    def __init__(self, in_memory_bytes: int = IN_MEMORY_BYTES) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=in_memory_bytes)  # noqa: SIM115  # closed by ``close``
        self.pages = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, page: RawPage) -> None:
        blocks = [_block_row(block) for block in page.blocks]
        row = [page.number, page.text, page.unreadable, blocks, page.part]
        self._file.write(json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n")
        self.pages += 1

    def __iter__(self) -> Iterator[RawPage]:
        """Yield the pages in the order of ``append``."""
        self._file.seek(0)
        for line in self._file:
            number, text, unreadable, rows, part = json.loads(line)
            blocks = tuple(_block(row) for row in rows)
            yield RawPage(number, text, blocks, unreadable, part=part)


def _block_row(block: RawBlock) -> list[float]:
    row = [block.start, block.end, _KIND_NUMBER[block.kind], block.level, int(block.split_off)]
    if (style := block.style) is None:
        return [*row]
    place = (round(style.top, 4), round(style.bottom, 4))
    return [*row, round(style.size, 2), int(style.bold), *place]


def _block(row: list[float]) -> RawBlock:
    start, end, kind, level, split_off = (int(value) for value in row[:5])
    style = BlockStyle(row[5], bool(row[6]), row[7], row[8]) if len(row) > 5 else None
    return RawBlock(start, end, _KINDS[kind], level, style, bool(split_off))
