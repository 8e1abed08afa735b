"""Rows that a derived file lacks, such as those of edited files, held in memory for queries.

They come into a part of the file when they are many. Until then LanceDB would take milliseconds for
the few of them that a query needs, and nearly every query needs some. Owns what is held, some 20 MB
at most. It must not know what the columns mean.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.arrays import find_sorted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.store.table import Table
    from indexer.store.values import Int64s

# Of more, as while much is indexed, each query asks LanceDB for what it needs.
_MOST = 4096
_reading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Lacking:
    """Row ids, ascending, and an Arrow table with the columns of each."""

    ids: Int64s
    rows: Any


def take(
    table: Table, keys: Int64s, columns: Sequence[str], held: Sequence[str]
) -> tuple[Any, Int64s]:
    """Fetch columns of rows as ``Table.take`` does, in no order, from memory where they are held.

    Args:
        table: A table with a derived file, or without.
        keys: Of the rows.
        columns: What is wanted.
        held: The columns that are read, and held, of all rows which the file lacks.
    """
    ids, places = table.rows.rows_of(keys)
    rows = _rows(table, held) if set(columns) <= set(held) and len(ids) else None
    if rows is not None:
        at, found = find_sorted(rows.ids, ids)
        if len(found) == len(ids):
            return rows.rows.select(list(columns)).take(at), places
    return table.take(keys, columns)


def _rows(table: Table, held: Sequence[str]) -> Lacking | None:
    """The rows that the file of a table lacks now; only new ones are read."""
    import pyarrow as pa

    derived = table.derived
    try:
        lacking = np.empty(0, np.int64) if derived is None else derived.aligned(table).lacking
    except OSError:
        return None
    if derived is None or not 0 < len(lacking) <= _MOST:
        return None
    ids, there = table.rows.rows_of(lacking)
    with _reading:
        known = derived.lacked
        unread = np.ones(len(ids), bool) if known is None else ~np.isin(ids, known.ids)
        if unread.any():
            found, places = table.take(lacking[there[unread]], held)
            parts, numbers = [found.select(list(held))], [ids[unread][places]]
            if known is not None:
                left = np.flatnonzero(np.isin(known.ids, ids))
                parts.append(known.rows.take(left))
                numbers.append(known.ids[left])
            every = np.concatenate(numbers)
            order = np.argsort(every)
            rows = pa.concat_tables(parts).take(order)
            derived.lacked = known = Lacking(every[order], rows)
    return known
