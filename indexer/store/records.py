"""Passages as queries read them: all columns in one short read, neighbours compressed together.

A passage alone would take 900 bytes, one of eight takes 660, and 20 µs more to be read. Owns the
record; see ``derived`` for its file. LanceDB takes 3 to 5 ms for some rows of passages,
and a query reads three times.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import schema, writing
from indexer.store.derived import MOST_BYTES, Layout, join_place, split_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.store.derived import Derived
    from indexer.store.table import Table
    from indexer.store.values import Int64s

#: All columns that queries need.
COLUMNS = tuple(name for name in schema.PASSAGE_COLUMNS if name != "text_id")
_TUPLES = ("heading_path", "text_starts", "view_starts")
# Records are compressed by so many, and a place says which of them it is. Such a block begins with
# its uncompressed length and has a record on each line.
_TOGETHER = 8
_SIZE_BYTES = 4
_BATCH = 128 * _TOGETHER
_KEPT = 512  # of about 6 KB, the last used


def read(
    table: Table, keys: Int64s, columns: Sequence[str]
) -> tuple[dict[int, dict[str, Any]], Int64s]:
    """Columns of passages by key, and the keys that LanceDB has to be asked for."""
    derived = table.derived
    if derived is None or not set(columns) <= set(COLUMNS):
        return {}, keys
    rows: dict[int, dict[str, Any]] = {}
    left = np.ones(len(keys), bool)
    blocks: dict[int, list[bytes]] = {}
    try:
        numbers, found = derived.find(table, keys)
        for number, at in zip(numbers[0].tolist(), found.tolist(), strict=True):
            if number >= 0:
                record = _known(derived, number, blocks)
                rows[int(keys[at])] = {column: record[column] for column in columns}
                left[at] = False
    except OSError:
        table.derived = None
        return {}, keys
    return rows, keys[left]


def views(table: Table, keys: Int64s) -> tuple[dict[int, str], Int64s]:
    """As ``read`` for the column ``view``, for so many that none of them is kept."""
    derived, place = table.derived, COLUMNS.index("view")
    if derived is None:
        return {}, keys
    found: dict[int, str] = {}
    left = np.ones(len(keys), bool)
    blocks: dict[int, list[bytes]] = {}
    try:
        numbers, there = derived.find(table, keys)
        for number, at in zip(numbers[0].tolist(), there.tolist(), strict=True):
            if number >= 0:
                found[int(keys[at])] = json.loads(_stored(derived, number, blocks))[place]
                left[at] = False
    except OSError:
        table.derived = None
        return {}, keys
    return found, keys[left]


def _known(derived: Derived, number: int, blocks: dict[int, list[bytes]]) -> Mapping[str, Any]:
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


def _stored(derived: Derived, number: int, blocks: dict[int, list[bytes]]) -> bytes:
    """The line at a place; ``blocks`` keeps what was read for others."""
    offset, above = split_place(number)
    length, which = divmod(above, _TOGETHER)
    if offset not in blocks:
        blocks[offset] = _lines(derived.read(offset, length))
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
            blocks.append(block := _packed(lines))
            whole = len(block) < MOST_BYTES // _TOGETHER
            above = len(block) * _TOGETHER + np.arange(len(lines))
            numbers.append(join_place(offset, above) if whole else np.full(len(lines), -1))
            offset += len(block)
        yield b"".join(blocks), np.concatenate(numbers)[None]


@cache
def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("zstd", compression_level=6)


def _line(row: Mapping[str, Any]) -> bytes:
    # JSON has no line breaks inside.
    return json.dumps(list(row.values()), ensure_ascii=False, separators=(",", ":")).encode()


def _packed(lines: Sequence[bytes]) -> bytes:
    plain = b"\n".join(lines)
    squeezed: bytes = _codec().compress(plain, asbytes=True)
    return len(plain).to_bytes(_SIZE_BYTES, "little") + squeezed


def _lines(block: bytes) -> list[bytes]:
    size = int.from_bytes(block[:_SIZE_BYTES], "little")
    plain: bytes = _codec().decompress(block[_SIZE_BYTES:], size, asbytes=True)
    return plain.split(b"\n")


def _record(line: bytes) -> dict[str, Any]:
    row = dict(zip(COLUMNS, json.loads(line), strict=True))
    return row | {column: tuple(row[column]) for column in _TUPLES}


LAYOUT = Layout("rows", 1, made=_made, places="stored")
