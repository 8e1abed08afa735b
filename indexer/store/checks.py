"""Verifies the tables of the store by reading all rows once.

Owns the checks that need the tables alone: unreadable, duplicate and invalid rows. Read-only; it
must not know the catalog.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import damage, quantise, writing
from indexer.store.probe import DamagedError
from indexer.store.schema import is_vectors_table
from indexer.store.values import docs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from indexer.store.table import Table
    from indexer.store.values import Int64s

# Tolerance of the norm of unit vectors; float16 alone is off by a thousandth.
_NORM_TOLERANCE = 0.02


@dataclass(slots=True)
class TableReport:
    """The keys of one table and the problems found in it.

    Attributes:
        keys: The key of every readable row, ascending.
        unreadable: Blocks of unreadable rows.
        lost: The number of unreadable rows.
        invalid: Keys of rows with inconsistent content.
        broken_indices: Unreadable indices.
    """

    keys: Int64s
    unreadable: list[damage.RowBlock] = field(default_factory=list)
    lost: int = 0
    invalid: list[int] = field(default_factory=list)
    broken_indices: list[str] = field(default_factory=list)
    #: Of vectors: the documents with rows whose CRC is another.
    altered: set[int] = field(default_factory=set)

    @property
    def duplicates(self) -> Int64s:
        """Keys of more than one row."""
        return np.unique(self.keys[1:][self.keys[1:] == self.keys[:-1]])


def examine(name: str, table: Table, tick: Callable[[], None]) -> TableReport:
    """Read all of a table.

    Args:
        name: Of the table.
        table: The table.
        tick: Called after each block of rows; may raise to stop.
    """
    found = TableReport(np.empty(0, np.int64))
    keys: list[Int64s] = []
    for block in damage.blocks(table.inner):
        tick()
        try:
            rows = damage.read(table, block)
        except DamagedError:
            found.unreadable.append(block)
            found.lost += len(block.rows)
            continue
        keys.append(_check(name, rows, found))
    found.keys = np.sort(np.concatenate(keys)) if keys else found.keys
    broken = damage.broken_indices(table)
    found.broken_indices = [column for _name, column in broken]
    return found


def _check(name: str, block: Any, found: TableReport) -> Int64s:
    keys: Int64s = block.column("key").to_numpy().astype(np.int64)
    if is_vectors_table(name):
        altered = ~writing.whole_rows(block)
        found.altered.update(docs_of(keys[altered]).tolist())
        found.invalid += keys[_wrong_vectors(block) & ~altered].tolist()
    return keys


def _wrong_vectors(block: Any) -> Any:
    column = block.column("vector").combine_chunks()
    dimension = column.type.list_size
    vectors = column.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    with np.errstate(all="ignore"):
        norms = np.linalg.norm(vectors.reshape(-1, dimension), axis=1)
        wrong = ~(np.abs(norms - 1) < _NORM_TOLERANCE)
    width = quantise.width(dimension)
    codes = block.column("sentence_codes").to_pylist()
    return wrong | np.array([len(one) % width != 0 for one in codes], bool)


def wrong_keys(tables: Mapping[str, Table], passages: Int64s) -> Iterator[str]:
    """Check the keys alone, which is cheap: duplicate rows, vectors without passages."""
    for name, table in tables.items():
        keys = table.all_keys()
        if len(np.unique(keys)) != len(keys):
            yield f"{name} holds {len(keys) - len(np.unique(keys))} rows twice"
        if not np.isin(keys, passages).all():
            yield f"{name} holds rows without a passage"


def docs_with(keys: Int64s) -> list[int]:
    """The documents of some keys."""
    return [int(doc) for doc in np.unique(docs_of(keys))]
