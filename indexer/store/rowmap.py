"""Maps the keys of passages to Lance's row ids.

Owns this map for one table, in memory (28 bytes per passage). Fetching by row id takes half the
time of a lookup by an index on the key, and counting passages or finding missing ones needs no
read. Row ids are stable, so the map only adds the rows appended since its last use, and removes
those of deleted documents.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.arrays import find_sorted
from indexer.store.values import ORDINAL_BITS, Int32s, Int64s, docs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Reads the keys and row ids of all rows whose id is at least the given one.
ReadKeys = Callable[[int], tuple[Int64s, Int64s]]


@dataclass(frozen=True, slots=True)
class ById:
    """The n rows of a table by their ids.

    Attributes:
        keys: Of the rows, ascending, (n,).
        rows: Their ids, (n,).
        ids: The same, ascending, (n,).
        at: The indices of these among the keys, (n,).
    """

    keys: Int64s
    rows: Int64s
    ids: Int64s
    at: Int32s

    def indices_of(self, keys: Int64s, ids: Int64s) -> Int32s:
        """The indices of rows among the keys; -1 of those that are not there, or have other ids."""
        found_at, found = find_sorted(self.ids, ids)
        at = self.at[found_at]
        same = self.keys[at] == keys[found]
        indices = np.full(len(ids), -1, np.int32)
        indices[found[same]] = at[same]
        return indices


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
        self._by_id = ById(*self._map, self._map[1], np.empty(0, np.int32))
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
        known = self.by_id()
        if len(rows) and int(rows.max()) >= self._next_row:
            self.appended()  # a search may see rows before their writer calls it
            known = self.by_id()
        at, found = find_sorted(known.ids, rows)
        return known.keys[known.at[at]], found

    def by_id(self) -> ById:
        """All rows by their ids; the same object until rows change."""
        keys, rows = self._current()
        known = self._by_id
        if known.rows is not rows:
            order = np.argsort(rows, kind="stable").astype(np.int32)
            self._by_id = known = ById(keys, rows, rows[order], order)
        return known

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
        order = np.argsort(keys, kind="stable")
        keys, rows = keys[order], rows[order]
        if len(self._map[0]):
            # Sorting all would take ten times as long, at every commit to a large library.
            at = np.searchsorted(self._map[0], keys, side="right")
            keys, rows = np.insert(self._map[0], at, keys), np.insert(self._map[1], at, rows)
        self._map = (keys, rows)


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
