"""Checksums over the rows of documents, which detect bytes that have changed on disk.

Owns the checksum of a row: over all its columns, in their stored form. A document's checksum is the
sum over its rows when they are written, so it is independent of compaction; the catalog stores it.
Pure but for pyarrow; it must not know tables or files.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: By document. Addition makes them independent of the order of rows.
Checksums = dict[int, int]

_MASK = (1 << 63) - 1  # SQLite's integers have a sign
_BYTES = 8
# A row's id may change; its key includes document and ordinal.
_UNSUMMED = {"doc", "ordinal", "_rowid"}


def by_document(table: Any) -> Checksums:
    """Return the checksums of the rows of an Arrow table, by document."""
    columns = [table.column(name) for name in sorted({*table.schema.names} - _UNSUMMED)]
    cells = [_cells(column.combine_chunks()) for column in columns]
    sums: Counter[int] = Counter()
    for doc, row in zip(table.column("doc").to_pylist(), zip(*cells, strict=True), strict=True):
        sums[doc] += int.from_bytes(blake2b(b"\0".join(row), digest_size=_BYTES).digest())
    return {doc: total & _MASK for doc, total in sums.items()}


def add_to(sums: Checksums, more: Mapping[int, int]) -> None:
    """Add sums to others, in place."""
    for doc, total in more.items():
        sums[doc] = combined(sums.get(doc, 0), total)


def combined(one: int, other: int) -> int:
    """The checksum of the union of two disjoint sets of rows."""
    return (one + other) & _MASK


def _cells(column: Any) -> Sequence[bytes]:
    """The bytes of each value of a column; null counts as empty."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_integer(kind):
        return _slices(column.cast(pa.int64()).to_numpy(), range(0, _BYTES * len(column) + 1, 8))
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        ends = (lengths.cumsum() * kind.value_type.byte_width).tolist()
        return _slices(column.flatten().to_numpy(zero_copy_only=False), [0, *ends])
    return [cell or b"" for cell in column.cast(pa.binary()).to_pylist()]


def _slices(values: Any, ends: Sequence[int]) -> list[bytes]:
    memory = values.tobytes()
    return [memory[start:end] for start, end in pairwise(ends)]
