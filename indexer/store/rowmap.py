"""Maps the keys of passages to Lance's row ids.

Owns this map for one table, in memory (32 bytes per passage). Fetching by row id takes half the
time of a lookup by an index on the key, and counting passages or finding missing ones needs no
read. Row ids are stable, so the map only adds the rows appended since its last use, and removes
those of deleted documents.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from indexer.arrays import find_sorted
from indexer.store.values import ORDINAL_BITS, Int32s, Int64s, docs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Reads the keys and row ids of all rows whose id is at least the given one.
ReadKeys = Callable[[int], tuple[Int64s, Int64s]]


class RowMap:
    """Keys in ascending order and their row ids. Any thread may read, one thread writes."""

    def __init__(self, read_keys: ReadKeys) -> None:
        self._read_keys = read_keys
        self._lock = threading.Lock()
        # Keys and rows are replaced together, so that readers need no lock.
        self._map: tuple[Int64s, Int64s] = (np.empty(0, np.int64), np.empty(0, np.int64))
        # Derived arrays, with the keys that they were derived from.
        self._documents: tuple[Int64s | None, Int32s, Int64s]
        self._documents = (None, np.empty(0, np.int32), np.empty(0, np.int64))
        nothing = np.empty(0, np.int64)
        self._inverse: tuple[Int64s | None, Int64s, Int64s] = (None, nothing, nothing)
        self._next_row = 0
        # The number of appends, and that at which the map was last completed.
        self._appends = 1
        self._complete = 0

    def appended(self) -> None:
        """Invalidate the map, as rows were added."""
        self._appends += 1

    def forget(self, docs: Iterable[int]) -> None:
        """Remove all rows of these documents."""
        with self._lock:
            keys, rows = self._map
            keep = np.ones(len(keys), bool)
            for doc in docs:
                keep[_span(keys, doc)] = False
            self._map = (keys[keep], rows[keep])

    def keys(self) -> Int64s:
        """All keys, ascending."""
        return self._current()[0]

    def pairs(self) -> tuple[Int64s, Int64s]:
        """All keys, ascending, and their row ids; the same arrays until rows change."""
        return self._current()

    def rows_of(self, keys: Int64s) -> tuple[Int64s, Int64s]:
        """The row ids of the keys that exist, and their indices among the given keys."""
        known, rows = self._current()
        at, found = find_sorted(known, keys)
        return rows[at], found

    def keys_at(self, rows: Int64s) -> tuple[Int64s, Int64s]:
        """The keys of the row ids that exist, and their indices among the given ids."""
        known, keys = self._by_row()
        if len(rows) and int(rows.max()) >= self._next_row:
            self.appended()  # a search may see rows before their writer calls it
            known, keys = self._by_row()
        at, found = find_sorted(known, rows)
        return keys[at], found

    def keys_of(self, doc: int) -> Int64s:
        """The keys of one document, ascending."""
        known = self._current()[0]
        return known[_span(known, doc)]

    def documents(self) -> tuple[Int32s, Int64s]:
        """The documents that have rows, ascending, and the number of rows of each."""
        keys = self._current()[0]
        made_of, docs, counts = self._documents
        if made_of is not keys:
            docs, counts = _runs(docs_of(keys))
            self._documents = (keys, docs, counts)
        return docs, counts

    def counts(self, docs: Int32s) -> Int64s:
        """How many rows each of the documents has."""
        known = self._current()[0]
        first = np.searchsorted(known, docs.astype(np.int64) << ORDINAL_BITS)
        last = np.searchsorted(known, (docs.astype(np.int64) + 1) << ORDINAL_BITS)
        return last - first

    def counts_by_doc(self, docs: Sequence[int]) -> dict[int, int]:
        """The same, by document."""
        counts = self.counts(np.asarray(docs, np.int32))
        return dict(zip(docs, counts.tolist(), strict=True))

    def _by_row(self) -> tuple[Int64s, Int64s]:
        """All row ids, ascending, and their keys."""
        keys, rows = self._current()
        made_of, by_row, keys_by_row = self._inverse
        if made_of is not rows:
            order = np.argsort(rows, kind="stable")
            by_row, keys_by_row = rows[order], keys[order]
            self._inverse = (rows, by_row, keys_by_row)
        return by_row, keys_by_row

    def _current(self) -> tuple[Int64s, Int64s]:
        if self._complete != self._appends:
            with self._lock:
                appends = self._appends  # read first: later rows belong to the next scan
                if self._complete != appends:
                    self._append(*self._read_keys(self._next_row))
                    self._complete = appends
        return self._map

    def _append(self, keys: Int64s, rows: Int64s) -> None:
        if not len(keys):
            return
        self._next_row = int(rows.max()) + 1
        keys = np.concatenate([self._map[0], keys])
        rows = np.concatenate([self._map[1], rows])
        order = np.argsort(keys, kind="stable")
        self._map = (keys[order], rows[order])


def _span(keys: Int64s, doc: int) -> slice:
    ends = np.array([doc, doc + 1], np.int64) << ORDINAL_BITS
    first, last = np.searchsorted(keys, ends)
    return slice(int(first), int(last))


def _runs(docs: Int32s) -> tuple[Int32s, Int64s]:
    """The distinct values of an ascending array, and the count of each."""
    if not len(docs):
        return docs, np.empty(0, np.int64)
    first = np.concatenate([[0], np.flatnonzero(np.diff(docs)) + 1])
    return docs[first], np.diff(np.append(first, len(docs)))
