"""The vectors of one embedding space, in one SQLite file.

A passage has its pooled vector in one table and its quantised sentence vectors in another, so that
all pooled ones are read in one pass. Each row has a checksum over its key and its bytes. A row that
fails it, or that SQLite cannot read, is left out of every answer and deleted. Its passage then
lacks a vector and is embedded again.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from indexer.api.errors import LecternError
from indexer.arrays import Float32s, Int32s, Int64s, find_sorted
from indexer.database import Database, Layout, is_whole, remove_database
from indexer.salvage import copy_damaged_database, replace_database
from indexer.store import values
from indexer.store.values import ORDINAL_BITS, VectorRows, docs_of, key_of

if TYPE_CHECKING:
    from indexer.api.status import TableSize

log = logging.getLogger(__name__)

VECTORS_PREFIX, _SUFFIX = "vectors_", ".sqlite"
_NAME_LIMIT = 60
_TABLES = """
-- The one row says what the vectors are.
CREATE TABLE space (
    dimension INTEGER NOT NULL,
    crc INTEGER NOT NULL
) STRICT;

CREATE TABLE pooled (
    key INTEGER PRIMARY KEY,                 -- doc << 20 | ordinal
    content BLOB NOT NULL,                   -- a unit vector, float16
    crc INTEGER NOT NULL                     -- CRC-32 of the content, from the key on
) STRICT;
-- The keys alone, which opening a library reads.
CREATE INDEX pooled_keys ON pooled (key);

CREATE TABLE sentences (
    key INTEGER PRIMARY KEY,
    content BLOB NOT NULL,                   -- see ``values``; restored with the pooled vector
    crc INTEGER NOT NULL
) STRICT;
"""
# A question reads rows from all over the file, so a larger cache of pages hardly helps.
LAYOUT = Layout("vector store", 0x4C656376, 2, _TABLES, cache_kib=512)  # "Lecv"
_COPIED = ("space", "pooled", "sentences")
# At least ``_MANY`` keys are read as one range from the first to the last, if that range has less
# than ``_SPREAD`` times as many rows.
_MANY, _SPREAD = 4_096, 2
_BATCH = 16_384
# The tolerance for the norm of unit vectors; float16 alone is off by a thousandth.
_NORM_TOLERANCE = 0.02

_Content = dict[int, bytes]


def vectors_name(space: str) -> str:
    """The name of the file of an embedding space without its suffix, of safe characters only."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", space)[:_NAME_LIMIT]
    if plain == space:
        return VECTORS_PREFIX + plain
    return f"{VECTORS_PREFIX}{plain}-{hashlib.sha256(space.encode()).hexdigest()[:8]}"


def vector_files(folder: Path) -> list[Path]:
    """The files of all embedding spaces in a folder."""
    return sorted(folder.glob(f"{VECTORS_PREFIX}*{_SUFFIX}"))


class Vectors:
    """The open vectors of one space. One thread writes, any number of threads read.

    Args:
        path: The file, made if it is missing.
        refusal: Why it is read-only, None if it is writable.
        dimension: The dimension of the vectors, needed to make the file.

    Every method raises what ``Database`` does.
    """

    def __init__(
        self, path: Path, refusal: LecternError | None = None, *, dimension: int = 0
    ) -> None:
        self._db = Database(path, LAYOUT, refusal)
        if self._db.is_new:
            with self._db.write() as connection:
                row = dimension, _crc_of_space(dimension)
                connection.execute("INSERT INTO space VALUES (?, ?)", row)
        self.dimension = self._stored_dimension()
        # Held while rows change, so that the keys in memory and file agree.
        self._changing = threading.RLock()
        self._keys = self._all_keys()
        self._documents: tuple[Int64s | None, Int32s, Int64s]
        self._documents = (None, np.empty(0, np.int32), np.empty(0, np.int64))
        #: Derived from the vectors for searches: ``nearest.ByteCodes`` and ``VectorIndex``.
        self.codes: Any = None
        self.coding = threading.Lock()
        self.index: Any = None
        # The keys of each deletion or replacement since ``take_changes``; None while there are no
        # codes to correct.
        self._changes: list[Int64s] | None = None
        self._changed = 0

    def _stored_dimension(self) -> int:
        """The dimension of the vectors, 0 if there are none."""
        for dimension, crc in self._db.rows("SELECT dimension, crc FROM space"):
            if crc == _crc_of_space(dimension):
                return int(dimension)
        # The row is damaged, or missing because the process was killed.
        most = "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
        return int(self._db.value(f"SELECT length(content) / 2 FROM pooled {most}", default=0))

    def _all_keys(self) -> Int64s:
        return np.array(self._db.column("SELECT key FROM pooled ORDER BY key"), np.int64)

    @property
    def name(self) -> str:
        return self._db.path.stem

    @property
    def folder(self) -> Path:
        return self._db.path.parent

    def close(self) -> None:
        self._db.close()

    def remove(self) -> None:
        """Close and delete the file. No thread may be reading."""
        self.close()
        remove_database(self._db.path)

    # -- writing ----------------------------------------------------------------------------

    def add_vectors(self, rows: VectorRows) -> None:
        """Write the vectors of passages in one transaction, in place of any that they have."""
        halves = np.ascontiguousarray(rows.vectors, np.float16)
        pooled = halves.astype(np.float32).repeat(np.diff(rows.offsets), axis=0)
        codes = values.pack_sentences(rows.sentences, pooled)
        ends = rows.offsets.tolist()
        self._write(
            rows.keys,
            [half.tobytes() for half in halves],
            [codes[start:end].tobytes() for start, end in pairwise(ends)],
        )

    def copy_vectors(self, sources: Int64s, targets: Int64s) -> None:
        """Copy vectors between pairs of passages; sources without intact vectors are skipped."""
        pooled = self._whole("pooled", sources)
        codes = self._whole("sentences", sources)
        pairs = [
            (source, target)
            for source, target in zip(sources.tolist(), targets.tolist(), strict=True)
            if source in pooled and source in codes
        ]
        self._write(
            np.array([target for _, target in pairs], np.int64),
            [pooled[source] for source, _ in pairs],
            [codes[source] for source, _ in pairs],
        )

    def delete_docs(self, docs: Sequence[int]) -> None:
        """Delete all vectors of these documents."""
        with self._changing:
            if not len(gone := self._keys[np.isin(docs_of(self._keys), docs)]):
                return
            with self._db.write() as connection:
                for table in ("pooled", "sentences"):
                    connection.executemany(
                        f"DELETE FROM {table} WHERE key >= ? AND key < ?",
                        [(key_of(doc, 0), key_of(doc + 1, 0)) for doc in docs],
                    )
            self._forget(gone)

    def delete_rows(self, keys: Int64s) -> None:
        """Delete the vectors of some passages."""
        with self._changing:
            with self._db.write() as connection:
                for table in ("pooled", "sentences"):
                    listed = [(key,) for key in keys.tolist()]
                    connection.executemany(f"DELETE FROM {table} WHERE key = ?", listed)
            self._forget(keys)

    def shrink(self) -> bool:
        """Give free pages back to the file system, if they are many."""
        return self._db.shrink()

    def _write(self, keys: Int64s, pooled: list[bytes], codes: list[bytes]) -> None:
        listed = keys.tolist()
        with self._changing:
            with self._db.write() as connection:
                for table, contents in (("pooled", pooled), ("sentences", codes)):
                    connection.executemany(
                        f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
                        [
                            (key, content, _crc(key, content))
                            for key, content in zip(listed, contents, strict=True)
                        ],
                    )
            if len(replaced := np.intersect1d(keys, self._keys)):
                self._forget(replaced)
            new = np.unique(keys)
            # Sorting all keys at each commit would take ten times as long in a large library.
            self._keys = np.insert(self._keys, np.searchsorted(self._keys, new), new)

    def _forget(self, keys: Int64s) -> None:
        """Note that rows were deleted or replaced."""
        self._keys = self._keys[np.isin(self._keys, keys, invert=True)]
        if self._changes is not None:
            self._changes.append(keys)
            self._changed += len(keys)
            # Making new codes is cheaper then. An engine may write for weeks between searches.
            if self._changed > max(len(self._keys), _MANY):
                self._changes = self.codes = None
        if self.index is not None:
            self.index.forget(keys)

    def take_changes(self) -> list[Int64s] | None:
        """Return the keys of all rows deleted or replaced since the last call.

        There is an array for each change. None means that the codes must be made anew, at the first
        call and after very many changes.
        """
        with self._changing:
            taken, self._changes, self._changed = self._changes, [], 0
        return taken

    # -- what is there ----------------------------------------------------------------------

    def keys(self) -> Int64s:
        """The keys of all rows, ascending; the same array until rows are added or deleted."""
        return self._keys

    def keys_of(self, doc: int) -> Int64s:
        """The keys of one document, ascending."""
        known = self._keys
        first, last = np.searchsorted(known, [key_of(doc, 0), key_of(doc + 1, 0)])
        return known[first:last]

    def documents(self) -> tuple[Int32s, Int64s]:
        """The documents that have vectors, ascending, and the number of vectors of each."""
        keys, (made_of, docs, counts) = self._keys, self._documents
        if made_of is not keys:
            docs, counts = np.unique(docs_of(keys), return_counts=True)
            self._documents = (keys, docs, counts)
        return docs, counts

    def counts(self, docs: Sequence[int]) -> dict[int, int]:
        """The number of vectors of each document."""
        known, first = self._keys, np.array(docs, np.int64) << ORDINAL_BITS
        ends = np.searchsorted(known, first + (1 << ORDINAL_BITS))
        counts = ends - np.searchsorted(known, first)
        return dict(zip(docs, counts.tolist(), strict=True))

    def size(self) -> TableSize:
        """Count the rows and bytes."""
        return self._db.size(len(self._keys))

    # -- reading ----------------------------------------------------------------------------

    def pooled_of(self, keys: Int64s) -> Float32s:
        """The pooled vectors of passages, float32 (n, dim); zeros for missing ones."""
        found, none = self._whole("pooled", np.unique(keys)), bytes(2 * self.dimension)
        halves = b"".join([found.get(key, none) for key in keys.tolist()])
        return _read_halves(halves).reshape(len(keys), self.dimension)

    def sentence_vectors_of(
        self, keys: Int64s, pooled: Float32s | None = None
    ) -> tuple[Float32s, Int64s]:
        """The sentence vectors of passages, one passage after the other.

        Args:
            keys: The keys of the passages.
            pooled: The result of ``pooled_of`` for these keys, if the caller has it.

        Returns:
            Unit vectors, float32 (m, dim), and offsets, int64 (n + 1,). Passage ``i`` has the rows
            ``offsets[i]:offsets[i + 1]``, none if it has no vectors yet.
        """
        codes = self.sentence_codes_of(keys)
        pooled = self.pooled_of(keys) if pooled is None else pooled
        of_each = pooled.repeat(np.diff(codes.offsets), axis=0)
        return values.unpack_sentences(codes.packed, of_each), codes.offsets

    def sentence_codes_of(self, keys: Int64s) -> values.SentenceCodes:
        """The quantised sentence vectors of passages; those without vectors have none."""
        found = self._whole("sentences", np.unique(keys))
        return values.join_codes([found.get(key, b"") for key in keys.tolist()], self.dimension)

    def _whole(self, table: str, keys: Int64s) -> _Content:
        """The contents of the intact rows among these, in the order of their keys.

        Damaged rows are deleted if the file is writable.
        """
        known = keys[find_sorted(self._keys, keys)[1]]
        found = self._read(table, known)
        if len(found) < len(known):
            with self._changing:  # another thread may have deleted them
                left = known[np.isin(known, self._keys)]
                whole = self._read(table, left)
                damaged = left[[key not in whole for key in left.tolist()]]
                if len(damaged) and not self._db.in_write:
                    log.error("%s: %d vectors are damaged", self.name, len(damaged))
                    # A search must not fail because the disk is full or damaged.
                    with contextlib.suppress(LecternError):
                        self.delete_rows(damaged)  # the next read deletes those that stay
        return found

    def _read(self, table: str, keys: Int64s) -> _Content:
        """The contents of the intact rows among these."""
        if not len(keys):
            return {}
        columns = "SELECT p.key, p.content, p.crc FROM"
        first, last = np.searchsorted(self._keys, keys[[0, -1]])
        if len(keys) >= _MANY and last - first < _SPREAD * len(keys):
            rows = f"{columns} {table} p WHERE p.key BETWEEN ? AND ? ORDER BY p.key"
            given: tuple[Any, ...] = (int(keys[0]), int(keys[-1]))
        else:  # in the given order, as SQLite does not reorder a CROSS JOIN
            rows = f"{columns} json_each(?) j CROSS JOIN {table} p ON p.key = j.value"
            given = (msgspec.json.encode(keys.tolist()).decode(),)
        try:
            found = self._db.rows(rows, *given)
        except LecternError as error:
            if error.code != "library_damaged":
                raise
            found = []
            for key in keys.tolist():
                with contextlib.suppress(LecternError):
                    found += self._db.rows(f"{columns} {table} p WHERE p.key = ?", key)
        width = 2 * self.dimension if table == "pooled" else 0
        whole = {
            key: content
            for key, content, crc in found
            if isinstance(content, bytes) and crc == _crc(key, content)
            if not width or len(content) == width
        }
        if len(whole) > len(keys):
            wanted = set(keys.tolist())
            whole = {key: content for key, content in whole.items() if key in wanted}
        return whole

    # -- damage -----------------------------------------------------------------------------

    def verify(self, tick: Callable[[], None]) -> tuple[list[str], Int64s, Int64s]:
        """Read every row; ``tick`` is called now and then and may raise to stop.

        Returns the problems that SQLite reports about the file, the keys of missing or altered
        rows, and the keys of intact rows that are not unit vectors.
        """
        damaged, invalid = [], []
        width = values.bytes_of_sentence(self.dimension)
        for at in range(0, len(self._keys), _BATCH):
            tick()
            keys = self._keys[at : at + _BATCH]
            pooled, codes = self._read("pooled", keys), self._read("sentences", keys)
            for key in keys.tolist():
                if key not in pooled or key not in codes:
                    damaged.append(key)
                elif len(codes[key]) % width or not _is_unit(pooled[key]):
                    invalid.append(key)
        return self._db.problems(), np.array(damaged, np.int64), np.array(invalid, np.int64)

    def rebuild(self) -> None:
        """Copy the readable rows into a new file, which replaces this one."""
        with self._changing:
            path = self._db.path
            new = copy_damaged_database(path, LAYOUT, _COPIED)
            self._db.close()
            replace_database(new, path)
            self._db = Database(path, LAYOUT)
            before, self._keys = self._keys, self._all_keys()
            self._forget(np.setdiff1d(before, self._keys))

    def drop_index(self) -> None:
        """Search without the index until it is built again."""
        self.index = None


def make_openable(path: Path) -> Iterator[str]:
    """Copy the readable rows of a damaged file into a new one. No engine may be running.

    Yields:
        A sentence for each change.
    """
    if is_whole(path):
        return
    replace_database(copy_damaged_database(path, LAYOUT, _COPIED), path)
    yield f"{path.name} was damaged. What could be read of it is in a new file."


def _is_unit(content: bytes) -> bool:
    vector = _read_halves(content)
    with np.errstate(all="ignore"):  # the bytes may not be numbers
        return bool(abs(float(np.linalg.norm(vector)) - 1) < _NORM_TOLERANCE)


def _read_halves(content: bytes) -> Float32s:
    return np.frombuffer(content, np.float16).astype(np.float32)


def _crc_of_space(dimension: int) -> int:
    return zlib.crc32(str(dimension).encode())


def _crc(key: int, content: bytes) -> int:
    return zlib.crc32(content, (key ^ key >> 32) & 0xFFFFFFFF)
