"""Delimiter-separated tables (CSV). The text stays the file as decoded.

A row may have line ends in quoted values, and is not split between blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.base import RawBlock
from indexer.extract.page_writer import TABLE_CHARS
from indexer.extract.plain.decode import open_text
from indexer.extract.plain.text import SourceLine, TextSource, lines_of

if TYPE_CHECKING:
    from indexer.config import Limits

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+(]?[$€£]?\s*[\d.,:/\s%()-]+$")
_MAX_HEAD_CHARS = 300
_MAX_ROW_LINES = 200  # a quote that stays open for longer is ignored
_MIN_ROWS = 12


def open_source(path: Path, password: str | None, limits: Limits) -> TextSource:
    """Open a table (``indexer.extract.base.Opener``)."""
    file = open_text(path, limits.text_bytes)
    return TextSource(file, partial(table_blocks, first=False), table_blocks)


def table_blocks(text: str, *, first: bool = True) -> Iterator[RawBlock]:
    """Yield the blocks of a section of whole lines, which are groups of rows.

    Column names in the ``first`` section become a heading.
    """
    rows = list(_rows(lines_of(text)))
    if first and rows and _names_columns(text, rows):
        yield RawBlock(*rows.pop(0), BlockKind.HEADING, 1)
    begin = end = -1
    for start, stop in rows:
        if begin >= 0 and stop - begin > TABLE_CHARS:
            yield RawBlock(begin, end, BlockKind.TABLE)
            begin = -1
        begin, end = start if begin < 0 else begin, stop
    if begin >= 0:
        yield RawBlock(begin, end, BlockKind.TABLE)


def _rows(lines: list[SourceLine]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of rows. A row with an odd number of quotes goes on in the next line."""
    begin, count, quotes = -1, 0, 0
    for at, line in enumerate(lines):
        if begin < 0 and not line.content.strip():
            continue
        begin = line.start if begin < 0 else begin
        count += 1
        quotes += line.content.count('"')
        if quotes % 2 == 0 or count >= _MAX_ROW_LINES or at == len(lines) - 1:
            yield begin, line.end
            begin, count, quotes = -1, 0, 0


def _names_columns(text: str, rows: list[tuple[int, int]]) -> bool:
    """Whether the first row has column names. Small tables need none."""
    head = text[slice(*rows[0])]
    delimiter = max(_DELIMITERS, key=head.count)
    cells = [cell.strip().strip('"') for cell in head.split(delimiter)]
    filled = [cell for cell in cells if cell]
    some = len(filled) * 2 > len(cells) > 1 and len(head) <= _MAX_HEAD_CHARS
    return len(rows) > _MIN_ROWS and some and are_names(filled)


def are_names(cells: Sequence[str]) -> bool:
    """Whether cells may be column names, being short, distinct and not numbers."""
    short = sum(map(len, cells)) <= _MAX_HEAD_CHARS
    return short and len(set(cells)) == len(cells) and not any(map(_NUMBER.match, cells))
