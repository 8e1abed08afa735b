"""Keeps the store fast and small: indices, compaction, clean-up.

Owns when and how tables are tidied. LanceDB keeps every version and never compacts or indexes new
rows by itself; new rows are searched one by one until then, at 6 µs a passage for words and 0.75 µs
for vectors. ``optimize`` compacts, cleans up versions past their age and extends indices, all in
one; each step is a commit of its own, so a kill in between loses that step and nothing else.

Full text is rebuilt rather than extended: extending rewrites it all the same, takes as long and
more memory, and once corrupted tables (lance #7653). Both happen at 8 s for 100,000 passages, so
the backlog that is worth it grows with the table.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from indexer import faults
from indexer.store import runtime
from indexer.store.dense import ANN_FROM, RQ_BITS
from indexer.store.disk import needing_room
from indexer.store.schema import PASSAGES, is_vectors_table
from indexer.store.values import Maintenance, TableSize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.store.table import Table

# Versions younger than this stay: a reader may be at one.
VERSION_AGE = timedelta(minutes=10)

# While indexing, rows outside an index must also be this share of the table.
_BACKLOG_SHARE = 0.125
# The share of deleted rows that makes compaction worth its while.
_DELETED_SHARE = 0.1
# While indexing, upkeep waits rather than let the disk pass this many times the live data.
_DISK_BOUND = 2.0
_DISK_SLACK = 256 << 20

_FTS_MEMORY_MB = 128
# Compounds, addresses and hashes are words to be found; what is longer is encoded data.
_LONGEST_WORD = 128


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What starts the upkeep of a table; of each pair the second is for idle times.

    The defaults are measured. Smaller numbers take tests through every step with a few rows.

    Attributes:
        text: Passages outside the full text index.
        vectors: Vectors outside their index.
        fragments: Pieces a table is in, one a commit.
        ann_from: Vectors from which on they have an index.
    """

    text: tuple[int, int] = (4_000, 1_000)
    vectors: tuple[int, int] = (10_000, 4_000)
    fragments: tuple[int, int] = (400, 32)
    ann_from: int = ANN_FROM


def text_indices() -> Mapping[str, Any]:
    """The full text index of each column: see ``words`` for what they are asked."""
    from lancedb.index import FTS

    build = {
        "num_workers": 1,
        "memory_limit": _FTS_MEMORY_MB,
        "max_token_length": _LONGEST_WORD,
    }
    exact = {"stem": False, "remove_stop_words": False}
    return {
        # Every word of every language where it stands, folded in case and accents.
        "view": FTS(base_tokenizer="icu", with_position=True, **exact, **build),
        # What we stemmed, as it is.
        "stems": FTS(
            base_tokenizer="whitespace", lower_case=False, ascii_folding=False, **exact, **build
        ),
    }


def prepare(table: Table, name: str) -> None:
    """Give a table the indices it has from the first row on, where they are missing."""
    from lancedb.index import BTree

    wanted = {"doc": BTree()}
    if name == PASSAGES:
        wanted.update(text_indices())
    there = table.indices()
    for column, config in wanted.items():
        if column not in there:
            with needing_room(table.path.parent):
                table.inner.create_index(column, config=config)
    _look(table)


def _look(table: Table) -> None:
    """Note which rows are searched one by one, as no index covers them."""
    there = table.indices()
    searched = [there[column] for column in ("view", "stems", "vector") if column in there]
    table.has_vector_index = "vector" in there
    table.backlog = max((index.num_unindexed_rows for index in searched), default=table.count())


class Keeper:
    """Does the upkeep of some tables. Belongs to the thread that writes them."""

    def __init__(
        self, tables: Callable[[], Mapping[str, Table]], upkeep: Upkeep | None = None
    ) -> None:
        self._tables = tables
        self._upkeep = upkeep or Upkeep()
        self._steps: list[str] = []

    def maintain(self, *, idle: bool) -> Maintenance:
        """Do what is due; cheap when nothing is."""
        began = time.monotonic()
        self._steps = []
        due = {n: t for n, t in self._tables().items() if self._due(n, t, idle=idle)}
        if not due:
            return Maintenance((), time.monotonic() - began, 0, 0)
        before = self.sizes()
        if not idle and not _has_room(before, due):
            return Maintenance((), time.monotonic() - began, 0, 0)
        for name, table in due.items():
            with needing_room(table.path.parent):
                self._tend(name, table)
        runtime.give_back()
        return self._report(began, before)

    def clean_at_open(self) -> Maintenance:
        """Remove what interrupted writes left behind. No other process may have the tables."""
        began = time.monotonic()
        self._steps = []
        before = self.sizes()
        for name, table in self._tables().items():
            if before[name].total > before[name].live * 1.1 + (16 << 20):
                with needing_room(table.path.parent):
                    table.inner.optimize(cleanup_older_than=VERSION_AGE, delete_unverified=True)
                self._steps.append(f"{name}: leftovers removed")
        return self._report(began, before)

    def sizes(self) -> dict[str, TableSize]:
        """Rows and bytes of each table."""
        return {name: size_of(table) for name, table in self._tables().items()}

    # -- within -----------------------------------------------------------------------------

    def _due(self, name: str, table: Table, *, idle: bool) -> bool:
        rows = table.count()
        upkeep = self._upkeep
        floor, least = upkeep.vectors if is_vectors_table(name) else upkeep.text
        # Few vectors are not worth an index.
        counts = name == PASSAGES or rows >= upkeep.ann_from
        if counts and table.backlog >= (least if idle else max(floor, rows * _BACKLOG_SHARE)):
            return True
        if table.fragments() >= upkeep.fragments[idle]:
            return True
        return idle and table.deleted > rows * _DELETED_SHARE

    def _tend(self, name: str, table: Table) -> None:
        if name == PASSAGES and table.backlog:
            for column, config in text_indices().items():
                faults.reached("text-indexing")
                table.inner.create_index(column, config=config, replace=True)
            faults.reached("text-indexed")
            self._steps.append(f"{name}: full text rebuilt")
        elif is_vectors_table(name):
            self._index_vectors(name, table)
        faults.reached("compacting")
        table.inner.optimize(cleanup_older_than=VERSION_AGE)
        faults.reached("compacted")
        table.deleted = 0
        _look(table)
        self._steps.append(f"{name}: compacted and cleaned")

    def _index_vectors(self, name: str, table: Table) -> None:
        from lancedb.index import IvfRq

        if "vector" not in table.indices() and table.count() >= self._upkeep.ann_from:
            faults.reached("vectors-indexing")
            table.inner.create_index("vector", config=IvfRq(distance_type="dot", num_bits=RQ_BITS))
            faults.reached("vectors-indexed")
            self._steps.append(f"{name}: vectors indexed")

    def _report(self, began: float, before: Mapping[str, TableSize]) -> Maintenance:
        seconds = time.monotonic() - began
        after = self.sizes() if self._steps else before
        return Maintenance(
            tuple(self._steps),
            seconds,
            sum(size.total for size in before.values()),
            sum(size.total for size in after.values()),
        )


def _has_room(sizes: Mapping[str, TableSize], due: Mapping[str, Table]) -> bool:
    """Whether rewriting tables keeps the disk within its bound."""
    total = sum(size.total for size in sizes.values())
    live = sum(size.live for size in sizes.values())
    rewritten = sum(sizes[name].live for name in due)
    return total + rewritten <= live * _DISK_BOUND + _DISK_SLACK


def size_of(table: Table) -> TableSize:
    """Rows of a table, bytes of its directory, and how many of them the newest version uses."""
    live = int(table.inner.stats()["total_bytes"])
    live += sum(int(index.size_bytes or 0) for index in table.indices().values())
    return TableSize(table.count(), _bytes_under(table.path), live)


def _bytes_under(directory: Path) -> int:
    total = 0
    for path in directory.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:  # cleaned up meanwhile
            continue
    return total
