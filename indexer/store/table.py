"""One LanceDB table, with types: append, delete, fetch by key, search, indices.

Owns every call into LanceDB except maintenance. It must not know what the columns mean, except
that each row has a ``key``.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from indexer.api.errors import WorldError
from indexer.api.status import TableSize
from indexer.arrays import find_sorted
from indexer.store import damage, metadata_copies, pooled_file
from indexer.store.disk import bytes_under, system_error, write_errors
from indexer.store.metadata_copies import MetadataCopies
from indexer.store.pooled_file import PooledFile
from indexer.store.rowmap import RowMap
from indexer.store.schema import is_searched
from indexer.store.values import ScoredKeys, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from indexer.store.values import Int64s

T = TypeVar("T")

_BATCH = 4096  # rows read for the flat file at a time

log = logging.getLogger(__name__)

# Lance's messages when the version that a read uses has been deleted.
_VANISHED = ("not found", "no such file", "does not exist")


class Table:
    """A table that one thread writes and any thread reads.

    Args:
        inner: The LanceDB table.
        path: Its directory.
        writable: Whether damaged rows may be deleted.
    """

    def __init__(self, inner: Any, path: Path, *, writable: bool = True) -> None:
        self.inner = inner
        self.path = path
        self._writable = writable
        self.copies = MetadataCopies(path, writable=writable)
        self.rows = RowMap(self._read_keys)
        #: Rows that no index covers yet, and rows deleted since the last maintenance.
        self.backlog = 0
        self.deleted = 0
        self.searched = is_searched(inner.schema)
        #: Of a space: the dimension of its vectors, and the flat file of pooled ones.
        self.dimension = getattr(_vector_field(inner.schema), "list_size", 0)
        self.pooled = PooledFile(path, self.dimension, writable=writable)
        self.has_vector_index = False
        #: Of a space: its vectors in 8 bits, from the first query on; see ``nearest``.
        self.codes: Any = None
        self.coding = threading.Lock()
        #: Rows deleted since the last ``repair`` because their files are damaged.
        self.lost = 0
        self._pooled_for: Int64s | None = None  # the keys for which the flat file is complete
        self._cleared = 0  # how often unreadable rows were deleted
        self._refresh = threading.Lock()

    # -- writing ----------------------------------------------------------------------------

    def add(self, rows: Any) -> None:
        """Append an Arrow table, in one commit.

        Raises:
            WorldError: ``disk_full``, or ``read_error`` as ``commit`` does.
        """
        with write_errors(self.path.parent), self._undone_if_truncated():
            self.inner.add(rows)
        self.rows.appended()
        self.backlog += len(rows)

    def delete_docs(self, docs: Sequence[int]) -> None:
        """Delete every row of these documents, in one commit."""
        spans = [f"(key >= {key_of(doc, 0)} AND key < {key_of(doc + 1, 0)})" for doc in docs]
        with write_errors(self.path.parent):
            gone = self.read(lambda: self.inner.delete(" OR ".join(spans)))
        self.copies.record()
        self.deleted += gone.num_deleted_rows
        self.rows.forget(docs)

    def add_vectors(self, rows: Any) -> None:
        """Append an Arrow table of vectors as ``add`` does, and to the flat file."""
        self.add(rows)
        keys = rows.column("key").to_numpy()
        ids, places = self.rows.rows_of(keys)
        self._append_pooled(keys[places], ids, rows.take(places))

    def complete_pooled(self, *, idle: bool) -> bool:
        """Append what the flat file lacks, or write it anew if much is stale; return whether."""
        keys, ids = self.rows.pairs()
        if self.pooled.is_refused:
            self.discard_pooled()
        if self._pooled_for is keys:
            return False
        done = False
        if idle and self.pooled.is_stale(keys, ids):
            self.pooled.rewrite(keys, ids)
            done = True
        unread = np.flatnonzero(self.pooled.lacking(keys, ids))
        for at in range(0, len(unread), _BATCH):
            found, places = self.take(keys[unread[at : at + _BATCH]], ["vector"])
            part = unread[at : at + _BATCH][places]
            done = self._append_pooled(keys[part], ids[part], found) or done
        self._pooled_for = keys
        return done

    def discard_pooled(self) -> None:
        """Delete the flat file; LanceDB answers until it is made again."""
        self.pooled.discard()
        self.codes = self._pooled_for = None

    def _append_pooled(self, keys: Int64s, ids: Int64s, rows: Any) -> bool:
        halves = rows.column("vector").combine_chunks().flatten().to_numpy()
        return self.pooled.append_rows(keys, ids, halves.reshape(-1, self.dimension))

    def commit(self, work: Callable[[], object]) -> None:
        """Run a function that reads and commits, as ``read`` does; it must not delete versions.

        Raises:
            WorldError: ``read_error``, if it wrote a truncated file; the commit is then undone.
        """

        def guarded() -> None:
            with self._undone_if_truncated():
                work()

        self.read(guarded)

    # -- reading ----------------------------------------------------------------------------

    @cached_property
    def schema(self) -> Any:
        """Its columns, which never change."""
        return self.inner.schema

    def size(self) -> TableSize:
        """Return the rows, the bytes of the directory, and those that the newest version uses."""
        live = int(self.inner.stats()["total_bytes"])  # indices included
        ours = pooled_file.FOLDER, metadata_copies.FOLDER
        live += bytes_under(self.path / folder for folder in ours)
        return TableSize(self.count(), bytes_under([self.path]), live)

    def count(self) -> int:
        return int(self.read(self.inner.count_rows))

    def read(self, work: Callable[[], T]) -> T:
        """Run a function that reads.

        If its version was deleted meanwhile, it is run again on the newest; if files are damaged,
        on the rows that are left without them.

        Raises:
            WorldError: For errors of the system, see ``disk.system_error``.
        """
        try:
            return self._read(work)
        except (RuntimeError, OSError) as error:
            if (refused := system_error(error, self.path)) is not None:
                raise refused from error
            raise

    def forget_rows(self) -> None:
        """Discard the row map, as rows of unknown documents may have been deleted."""
        self.rows = RowMap(self._read_keys)
        self.codes = None

    def take(self, keys: Int64s, columns: Sequence[str]) -> tuple[Any, Int64s]:
        """Fetch columns of the rows with these keys.

        Returns:
            An Arrow table in the order of the disk and, for each of its rows, the index of its key
            among ``keys``. Missing keys have no row.
        """
        ids, places = self.rows.rows_of(keys)
        if not len(ids):
            return self._schema_only(columns), places
        order = np.argsort(ids, kind="stable")
        ids, places = ids[order], places[order]

        def work() -> Any:
            from lancedb.query import AsyncTakeQuery

            # Within, since its first use loads a file, which the system may refuse.
            distinct = np.unique(ids).tolist()
            query = AsyncTakeQuery(self._native.take_row_ids(distinct))
            return _fetched(query.select(list(columns)).with_row_id())

        found = self.read(work)
        got = found.column("_rowid").to_numpy().astype(np.int64)
        if len(got) == len(ids) and np.array_equal(got, ids):
            return found, places
        return _matched(found, got, ids, places)

    def search(self, build: Callable[[Any], Any], score: str) -> ScoredKeys:
        """Run a search and return its results in their order.

        Only row ids are read, and mapped to keys by the row map: reading the keys of 200 hits from
        disk takes longer than finding them.

        Args:
            build: Makes the query of LanceDB from an empty one.
            score: The name of the column with the scores.
        """

        def work() -> Any:
            from lancedb.query import AsyncQuery

            query = build(AsyncQuery(self._native.query()))
            # Without a selection a search reads all columns.
            return _fetched(query.select(["_rowid", score]).with_row_id())

        found = self.read(work)
        keys, known = self.rows.keys_at(found.column("_rowid").to_numpy().astype(np.int64))
        return ScoredKeys(keys, found.column(score).to_numpy()[known].astype(np.float32))

    def select(self, where: str, columns: Sequence[str]) -> Any:
        """Read columns of the rows that satisfy a condition."""

        def work() -> Any:
            return self.inner.search().where(where).select(list(columns)).to_arrow()

        return self.read(work)

    def addresses(self, rows: Int64s) -> Int64s:
        """Where rows with these ids lie: the fragment, and in the low 32 bits the place there.

        -1 for missing ones.
        """
        columns = ["_rowid", "_rowaddr"]
        found = self.read(lambda: self.inner.search().select(columns).to_arrow())
        ids, places = (found.column(name).to_numpy().astype(np.int64) for name in columns)
        order = np.argsort(ids)
        at, known = find_sorted(ids[order], rows)
        addresses = np.full(len(rows), -1, np.int64)
        addresses[known] = places[order][at]
        return addresses

    def all_keys(self) -> Int64s:
        """The key of every row, read from disk, duplicates included."""
        return self._read_keys(0)[0]

    def indices(self) -> dict[str, Any]:
        """The index of each indexed column, as LanceDB describes it."""
        return {index.columns[0]: index for index in self.read(self.inner.list_indices)}

    def fragments(self) -> int:
        """The number of fragments: one per commit, until they are compacted."""
        return int(self.inner.stats()["fragment_stats"]["num_fragments"])

    # -- within -----------------------------------------------------------------------------

    @property
    def _native(self) -> Any:
        """LanceDB's table below its Python classes; see ``_fetched``."""
        return self.inner._inner  # noqa: SLF001  # no public attribute leads from one to the other

    def _read(self, work: Callable[[], T]) -> T:
        cleared = self._cleared
        try:
            return work()
        except BaseException as error:  # a panic of Lance is no Exception
            if not damage.may_be_damage(error):
                raise
            if not any(sign in str(error).lower() for sign in _VANISHED):
                self._quarantine(error, cleared)
                return work()
        with self._refresh:
            self.inner.checkout_latest()
        try:
            return work()
        except BaseException as error:  # noqa: BLE001  # as above; re-raises other errors
            self._quarantine(error, cleared)
        return work()

    @contextmanager
    def _undone_if_truncated(self) -> Iterator[None]:
        before, known = self.inner.version, self.copies.footed_files()
        try:
            yield
        finally:
            cut = set(self.copies.record()) - known
            if self.inner.version != before and cut:
                self.inner.restore(before)
                self.forget_rows()
                raise WorldError("read_error", reason="write_cut_short")

    def _quarantine(self, error: BaseException, cleared: int) -> None:
        """Delete damaged rows, so that the rest is readable; if there are none, raise the error.

        Args:
            error: Of a read.
            cleared: The value of ``_cleared`` when the read began.

        Raises:
            WorldError: ``library_damaged``, if the store is read-only.
        """
        if not damage.may_be_damage(error):
            raise error
        with self._refresh:
            if self._cleared != cleared:
                return  # another thread has handled it
            # It may be the damage, and would end the processes that look for it.
            restored = self.copies.restore() if self._writable else []
            damaged = damage.unreadable(self)
            if not damaged and restored:
                self._cleared += 1
                return
            if not damaged:
                raise error
            if not self._writable:
                reason = str(error).partition(", /")[0]  # the rest is a location in Lance's source
                library = str(self.path.parent.parent)
                raise WorldError("library_damaged", library=library, reason=reason) from error
            rows = damage.delete(self.inner, damaged)
            self.copies.record()
            self._cleared += 1
            self.lost += rows
            self.forget_rows()
        log.error("%s: %d rows are lost, as their files are damaged", self.path.stem, rows)

    def _read_keys(self, first_row: int) -> tuple[Int64s, Int64s]:
        def work() -> Any:
            builder = self.inner.search().select(["key"]).with_row_id(with_row_id=True)
            if first_row:
                builder = builder.where(f"_rowid >= {first_row}")
            return builder.to_arrow()

        found = self.read(work)
        rows = found.column("_rowid").to_numpy().astype(np.int64)
        return found.column("key").to_numpy(), rows

    def _schema_only(self, columns: Iterable[str]) -> Any:
        import pyarrow as pa

        return pa.schema([self.schema.field(name) for name in columns]).empty_table()


def _fetched(query: Any) -> Any:
    """The rows of an asynchronous query, in one turn of LanceDB's event loop.

    Its synchronous queries take five turns, for the schema and each step, some 1.5 ms in all.
    """
    from lancedb.background_loop import LOOP

    return LOOP.run(query.to_arrow())


def _matched(found: Any, got: Int64s, ids: Int64s, places: Int64s) -> tuple[Any, Int64s]:
    """Align rows with indices if rows were deleted meanwhile, or a key was given twice."""
    order = np.argsort(got, kind="stable")
    at, there = find_sorted(got[order], ids)
    return found.take(order[at]), places[there]


def _vector_field(schema: Any) -> Any:
    return schema.field("vector").type if "vector" in schema.names else None
