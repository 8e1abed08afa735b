"""Passages as queries read them: all columns in one short read, neighbours compressed together.

A passage alone would take 900 bytes, one of eight takes 660, and 20 µs more to be read. Owns the
record; see ``derived`` for its file. LanceDB takes 3 to 5 ms for some rows of passages,
and a query reads three times.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from indexer.store import schema, writing
from indexer.store.compression import compressed, decompressed
from indexer.store.derived import MOST_BYTES, Layout, join_place, split_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from indexer.store.derived import Derived
    from indexer.store.table import Table
    from indexer.store.values import Int64s

    Blocks = dict[int, list[bytes]]

T = TypeVar("T")

#: All columns that queries need.
COLUMNS = tuple(name for name in schema.PASSAGE_COLUMNS if name != "text_id")
_TUPLES = ("heading_path", "text_starts", "view_starts")
# Records are compressed by so many, and a place says which of them it is. Such a block has a record
# on each line.
_TOGETHER = 8
_BATCH = 128 * _TOGETHER
_KEPT = 512  # of about 6 KB, the last used


def read(
    table: Table, keys: Int64s, columns: Sequence[str]
) -> tuple[dict[int, dict[str, Any]], Int64s]:
    """Columns of passages by key, and the keys that LanceDB has to be asked for."""
    if not set(columns) <= set(COLUMNS):
        return {}, keys

    def chosen(derived: Derived, number: int, blocks: Blocks) -> dict[str, Any]:
        record = _known(derived, number, blocks)
        return {column: record[column] for column in columns}

    return _found(table, keys, chosen)


def views(table: Table, keys: Int64s) -> tuple[dict[int, str], Int64s]:
    """As ``read`` for the column ``view``, for so many that none of them is kept."""
    place = COLUMNS.index("view")

    def view(derived: Derived, number: int, blocks: Blocks) -> str:
        text: str = json.loads(_stored(derived, number, blocks))[place]
        return text

    return _found(table, keys, view)


def _found(
    table: Table, keys: Int64s, value: Callable[[Derived, int, Blocks], T]
) -> tuple[dict[int, T], Int64s]:
    """The values of passages that the file has by key, and the keys of the others."""
    derived = table.derived
    if derived is None:
        return {}, keys
    values: dict[int, T] = {}
    left = np.ones(len(keys), bool)
    blocks: Blocks = {}
    try:
        numbers, found = derived.find(table, keys)
        for number, at in zip(numbers[0].tolist(), found.tolist(), strict=True):
            if number >= 0:
                values[int(keys[at])] = value(derived, number, blocks)
                left[at] = False
    except OSError:
        table.derived = None
        return {}, keys
    return values, keys[left]


def _known(derived: Derived, number: int, blocks: Blocks) -> Mapping[str, Any]:
    """The record at a place; whoever types a query asks for the same ones at every key."""
    record = derived.kept.get(number)
    if record is None:
        record = derived.kept[number] = _record(_stored(derived, number, blocks))
        if len(derived.kept) > _KEPT:
            with suppress(KeyError):
                derived.kept.popitem(last=False)
    else:
        with suppress(KeyError):  # another thread may have dropped it
            derived.kept.move_to_end(number)
    return record


def _stored(derived: Derived, number: int, blocks: Blocks) -> bytes:
    """The line at a place; ``blocks`` keeps what was read for others."""
    offset, above = split_place(number)
    length, which = divmod(above, _TOGETHER)
    if offset not in blocks:
        blocks[offset] = decompressed(derived.read(offset, length)).split(b"\n")
    return blocks[offset][which]


def _made(
    table: Table, keys: Int64s, _rows: Int64s, _files: Sequence[str]
) -> Iterator[tuple[bytes, Int64s]]:
    offset = 0
    for start in range(0, len(keys), _BATCH):
        found, places = table.take(keys[start : start + _BATCH], writing.stored_columns(COLUMNS))
        rows = list(writing.read_rows(found.take(np.argsort(places)), COLUMNS))
        blocks, numbers = [], []
        for at in range(0, len(rows), _TOGETHER):
            lines = [_line(row) for row in rows[at : at + _TOGETHER]]
            blocks.append(block := compressed(b"\n".join(lines)))
            whole = len(block) < MOST_BYTES // _TOGETHER
            above = len(block) * _TOGETHER + np.arange(len(lines))
            numbers.append(join_place(offset, above) if whole else np.full(len(lines), -1))
            offset += len(block)
        yield b"".join(blocks), np.concatenate(numbers)[None]


def _line(row: Mapping[str, Any]) -> bytes:
    # JSON has no line breaks inside.
    return json.dumps(list(row.values()), ensure_ascii=False, separators=(",", ":")).encode()


def _record(line: bytes) -> dict[str, Any]:
    row = dict(zip(COLUMNS, json.loads(line), strict=True))
    return row | {column: tuple(row[column]) for column in _TUPLES}


LAYOUT = Layout("rows", 1, made=_made, places="stored")
