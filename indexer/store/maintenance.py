"""Keeps the store fast and small: indices, compaction, clean-up.

Owns when and how tables are maintained. LanceDB keeps every version and never compacts or indexes
new rows by itself; every search scans new vectors, at 0.75 µs each. ``optimize`` compacts, deletes
expired versions and extends indices; each step is a commit, so a kill loses only the current step.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.store import indices, runtime
from indexer.store.disk import write_errors
from indexer.store.indices import ANN_FROM
from indexer.store.schema import is_vectors_table
from indexer.store.values import Maintenance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.api.status import TableSize
    from indexer.store.table import Table

# Versions younger than this are kept while the store is open: a reader may use one.
VERSION_AGE = timedelta(minutes=10)
# At open and at close there is no reader; Lance warns about an age of 0.
_NO_AGE = timedelta(milliseconds=1)
# Keeps every version.
_ALL_AGES = timedelta(days=365_000)
# The garbage, as a share of live bytes and at least in bytes, that triggers a clean-up.
_GARBAGE_SHARE, _GARBAGE_BYTES = 0.1, 16 << 20
_FEW_FRAGMENTS = 8

# While indexing, rows outside an index must also be this share of the table.
_BACKLOG_SHARE = 0.125
# The share of deleted rows that triggers compaction.
_DELETED_SHARE = 0.1
# While indexing, maintenance waits if it would make the store larger than this multiple of the live
# data.
_DISK_BOUND = 2.0


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What triggers the maintenance of a table; the second value of a pair is for idle times.

    The defaults are measured. With smaller numbers tests reach every step with a few rows.

    Attributes:
        vectors: Vectors outside their index.
        fragments: Fragments of a table, one per commit.
        ann_from: Number of vectors from which on they have an index.
        slack: Bytes by which the store may exceed its bound.
        reader_s: Least age of the versions deleted while the store exceeds its bound.
    """

    vectors: tuple[int, int] = (10_000, 4_000)
    fragments: tuple[int, int] = (400, 32)
    ann_from: int = ANN_FROM
    slack: int = 256 << 20
    reader_s: float = 5.0


class Maintainer:
    """Maintains some tables. To be used by the thread that writes them."""

    def __init__(
        self,
        tables: Callable[[], Mapping[str, Table]],
        thresholds: Thresholds | None = None,
    ) -> None:
        self._tables = tables
        self._thresholds = thresholds or Thresholds()
        self._steps: list[str] = []
        self._maintained: dict[str, float] = {}

    def maintain(self, *, idle: bool) -> Maintenance:
        """Run the due steps; cheap when none is."""
        began = time.monotonic()
        self._steps = []
        due = {n: t for n, t in self._tables().items() if self._due(n, t, idle=idle)}
        if not due:
            self._complete_pooled(idle=idle)
            return Maintenance(tuple(self._steps), time.monotonic() - began)
        before = self.sizes()
        if not idle and not self._has_room(before, due):
            # Otherwise maintenance would wait for room for ever.
            for name, table in self._tables().items():
                if _has_garbage(before[name]):
                    with write_errors(table.path.parent):
                        self._remove_young(name, table)
            return Maintenance(tuple(self._steps), time.monotonic() - began)
        for name, table in due.items():
            with write_errors(table.path.parent):
                self._maintain_table(name, table)
                self._shrink(name, table)
        self._complete_pooled(idle=idle)
        runtime.give_back()
        return Maintenance(tuple(self._steps), time.monotonic() - began)

    def clean_at_open(self) -> Maintenance:
        """Delete files of interrupted writes. No other process may have the tables open."""
        began = time.monotonic()
        self._steps = []
        before = self.sizes()
        for name, table in self._tables().items():
            if _has_garbage(before[name]):
                with write_errors(table.path.parent):
                    _optimize(table, _NO_AGE, leftovers=True)
                indices.refresh_coverage(table)
                self._steps.append(f"{name}: leftovers removed")
        return Maintenance(tuple(self._steps), time.monotonic() - began)

    def clean_at_close(self) -> None:
        """Delete old versions of tables that need no other step, which is quick."""
        for name, table in self._tables().items():
            tidy = not self._unindexed(name, table)
            if tidy and table.fragments() <= _FEW_FRAGMENTS and _has_garbage(table.size()):
                # A full disk must not fail the closing; the next one cleans up.
                with suppress(WorldError), write_errors(table.path.parent):
                    _optimize(table, _NO_AGE)

    def sizes(self) -> dict[str, TableSize]:
        """Rows and bytes of each table."""
        return {name: table.size() for name, table in self._tables().items()}

    # -- within -----------------------------------------------------------------------------

    def _due(self, name: str, table: Table, *, idle: bool) -> bool:
        rows = table.count()
        thresholds = self._thresholds
        floor, least = thresholds.vectors
        lacking = self._unindexed(name, table)
        if lacking and lacking >= (least if idle else max(floor, rows * _BACKLOG_SHARE)):
            return True
        if table.fragments() >= thresholds.fragments[idle]:
            return True
        return idle and (table.deleted > rows * _DELETED_SHARE or self._expired(name, table))

    def _expired(self, name: str, table: Table) -> bool:
        """Whether versions that the last maintenance had to keep have expired."""
        since = time.monotonic() - self._maintained.get(name, float("-inf"))
        return since > VERSION_AGE.total_seconds() and _has_garbage(table.size())

    def _maintain_table(self, name: str, table: Table) -> None:
        if is_vectors_table(name):
            self._index_vectors(name, table)
            runtime.give_back()
        faults.reached("compacting")
        _optimize(table, VERSION_AGE)
        faults.reached("compacted")
        table.deleted = 0
        self._maintained[name] = time.monotonic()
        indices.refresh_coverage(table)
        self._steps.append(f"{name}: compacted and cleaned")

    def _index_vectors(self, name: str, table: Table) -> None:
        if not table.has_vector_index and self._indexed(table):
            faults.reached("vectors-indexing")
            config = indices.vector_index()
            table.commit(lambda: table.inner.create_index("vector", config=config))
            faults.reached("vectors-indexed")
            self._steps.append(f"{name}: vectors indexed")

    def _unindexed(self, name: str, table: Table) -> int:
        """How many rows an index of vectors lacks."""
        return table.backlog if is_vectors_table(name) and self._indexed(table) else 0

    def _indexed(self, table: Table) -> bool:
        """Whether its vectors have an index, or should: few have none, as those of tokens."""
        return table.searched and table.count() >= self._thresholds.ann_from

    def _complete_pooled(self, *, idle: bool) -> None:
        for name, table in self._tables().items():
            if table.dimension and table.complete_pooled(idle=idle):
                self._steps.append(f"{name}: pooled vectors written")

    def _has_room(self, sizes: Mapping[str, TableSize], due: Mapping[str, Table]) -> bool:
        """Whether rewriting tables keeps the store within its bound."""
        total = sum(size.total for size in sizes.values())
        live = sum(size.live for size in sizes.values())
        rewritten = sum(sizes[name].live for name in due)
        return total + rewritten <= live * _DISK_BOUND + self._thresholds.slack

    def _shrink(self, name: str, table: Table) -> None:
        """Delete young versions too, of tables beyond the bound.

        A reader of such a version finds a file missing, and reads the newest instead.
        """
        size = table.size()
        if size.total > size.live * _DISK_BOUND + self._thresholds.slack:
            self._remove_young(name, table)

    def _remove_young(self, name: str, table: Table) -> None:
        _optimize(table, timedelta(seconds=self._thresholds.reader_s))
        indices.refresh_coverage(table)
        self._steps.append(f"{name}: young versions removed")


def _optimize(table: Table, age: timedelta, *, leftovers: bool = False) -> None:
    """Compact, then clean up: old files are deleted after their replacement is committed."""
    table.commit(lambda: table.inner.optimize(cleanup_older_than=_ALL_AGES))
    runtime.give_back()  # freed memory would add to the next step's peak
    # Fragments that an index covers only since the first step are compacted by this one.
    table.read(lambda: table.inner.optimize(cleanup_older_than=age, delete_unverified=leftovers))
    table.copies.record()
    runtime.give_back()


def _has_garbage(size: TableSize) -> bool:
    return size.total > size.live * (1 + _GARBAGE_SHARE) + _GARBAGE_BYTES
