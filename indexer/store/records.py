"""Passages as queries read them, one compressed record each: all columns in one short read.

Owns the record; see ``derived`` for its file. LanceDB takes 3 to 5 ms for some rows of passages,
and a query reads three times.
"""

from __future__ import annotations

import json
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

_COLUMNS = tuple(name for name in schema.PASSAGE_COLUMNS if name != "text_id")
_TUPLES = ("heading_path", "text_starts", "view_starts")
_SIZE_BYTES = 4  # a record begins with its uncompressed length
_BATCH = 1024
_KEPT = 512  # of about 6 KB


def read(
    table: Table, keys: Int64s, columns: Sequence[str]
) -> tuple[dict[int, dict[str, Any]], Int64s]:
    """Columns of passages by key, and the keys that LanceDB has to be asked for."""
    derived = table.derived
    if derived is None or not set(columns) <= set(_COLUMNS):
        return {}, keys
    rows: dict[int, dict[str, Any]] = {}
    left = np.ones(len(keys), bool)
    try:
        numbers, found = derived.find(table, keys)
        for number, at in zip(numbers[0].tolist(), found.tolist(), strict=True):
            if number >= 0:
                record = _known(derived, number)
                rows[int(keys[at])] = {column: record[column] for column in columns}
                left[at] = False
    except OSError:
        table.derived = None
        return {}, keys
    return rows, keys[left]


def _known(derived: Derived, number: int) -> Mapping[str, Any]:
    """The record at a place; whoever types a query asks for the same ones at every key."""
    record = derived.kept.get(number)
    if record is None:
        if len(derived.kept) >= _KEPT:
            derived.kept.clear()
        record = derived.kept[number] = _record(derived.read(*split_place(number)))
    return record


def _parts(
    table: Table, keys: Int64s, _rows: Int64s, _files: Sequence[str]
) -> Iterator[tuple[bytes, Int64s]]:
    offset = 0
    for start in range(0, len(keys), _BATCH):
        found, places = table.take(keys[start : start + _BATCH], writing.stored_columns(_COLUMNS))
        rows = writing.read_rows(found.take(np.argsort(places)), _COLUMNS)
        records = [_packed(row) for row in rows]
        lengths = np.array([len(record) for record in records], np.int64)
        numbers = join_place(offset + np.cumsum(lengths) - lengths, lengths)
        numbers[lengths >= MOST_BYTES] = -1
        offset += int(lengths.sum())
        yield b"".join(records), numbers[None]


@cache
def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("zstd", compression_level=6)


def _packed(row: dict[str, Any]) -> bytes:
    plain = json.dumps(list(row.values()), ensure_ascii=False, separators=(",", ":")).encode()
    squeezed: bytes = _codec().compress(plain, asbytes=True)
    return len(plain).to_bytes(_SIZE_BYTES, "little") + squeezed


def _record(stored: bytes) -> dict[str, Any]:
    size = int.from_bytes(stored[:_SIZE_BYTES], "little")
    plain = _codec().decompress(stored[_SIZE_BYTES:], size, asbytes=True)
    row = dict(zip(_COLUMNS, json.loads(plain), strict=True))
    return row | {column: tuple(row[column]) for column in _TUPLES}


LAYOUT = Layout(1, of_files=False, parts=_parts)
