"""The pooled vectors of an embedding space in a file beside its table, which queries read by place.

LanceDB takes ten times as long for each vector that is fetched. The file is derived from the table,
and without it every answer is the same. Owns its format, when it is made, and which of its rows are
valid: those whose key and row id the table still has, as long as it has all data files from which
the rows were read. Other rows are fetched from LanceDB. It must not know what is searched.

The file is read, not mapped: a drive that is taken away then is an error and not the end of the
process. A small table is held in memory, since all of it is scored by every query.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import threading
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from indexer import faults
from indexer.api.atomic import replacing, write_file
from indexer.arrays import find_sorted
from indexer.store.deletions import data_files
from indexer.store.indices import ANN_FROM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indexer.store.table import Table
    from indexer.store.values import Float32s, Int64s

log = logging.getLogger(__name__)

FOLDER = "_derived"
_VECTORS, _STAMP = "pooled.bin", "pooled.json"
_FORMAT = 1
_KEY_BYTES, _HALF_BYTES, _NAME_BYTES = 8, 2, 16
# Rows read from the table at a time, and from the file as one although some between are not wanted.
_BATCH, _GAP = 4096, 3
# The file is made again when so many rows, and this share of all, are not in it.
_MISSING, _MISSING_SHARE = 256, 0.02
# Larger tables are left to LanceDB, whose cost grows less: 1.5 GB for 384 dimensions.
MOST_ROWS = 2_000_000
_SPARE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class _Aligned:
    """The keys of a table, ascending, and the place of each in the file; -1 if it is not there."""

    keys: Int64s
    places: Int64s


class Pooled:
    """An open file. Any thread may read; it is closed with the last reference.

    Use ``load``. ``OSError`` is raised by a file that cannot be read any more.
    """

    def __init__(self, descriptor: int, rows: int, dimension: int) -> None:
        self.dimension = dimension
        self._descriptor = descriptor
        self._count = rows
        self._seeking = threading.Lock()
        self._aligned = _Aligned(np.empty(0, np.int64), np.empty(0, np.int64))
        self._all: Float32s | None = None

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._descriptor)

    @classmethod
    def load(cls, table: Path) -> Self | None:
        """Open the file of a table; None if there is none that is valid."""
        folder = table / FOLDER
        try:
            stamp = json.loads((folder / _STAMP).read_text(encoding="utf-8"))
            descriptor = os.open(folder / _VECTORS, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except (OSError, ValueError):
            return None
        try:
            rows, dimension = int(stamp["rows"]), int(stamp["dimension"])
            present = data_files(table)
            valid = (
                stamp["format"] == _FORMAT
                and os.fstat(descriptor).st_size == _size(rows, dimension)
                and os.read(descriptor, _NAME_BYTES).hex() == stamp["name"]
                and present is not None
                and present.issuperset(stamp["files"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            valid = False
        if not valid:
            os.close(descriptor)
            return None
        return cls(descriptor, rows, dimension)

    def places(self, table: Table, keys: Int64s) -> tuple[Int64s, Int64s]:
        """The places in the file of the keys that the table has.

        Returns:
            The places, -1 for rows that are not in the file, and their indices among ``keys``.
        """
        aligned = self.aligned(table)
        at, found = find_sorted(aligned.keys, keys)
        return aligned.places[at], found

    def aligned(self, table: Table) -> _Aligned:
        """All keys of the table with their places."""
        keys, rows = table.rows.pairs()
        aligned = self._aligned
        if aligned.keys is not keys:
            stored = self._read(_NAME_BYTES, 2 * self._count * _KEY_BYTES)
            known, ids = np.frombuffer(stored, np.int64).reshape(2, self._count)
            at, found = find_sorted(known, keys)
            same = ids[at] == rows[found]
            places = np.full(len(keys), -1, np.int64)
            places[found[same]] = at[same]
            self._aligned = aligned = _Aligned(keys, places)
        return aligned

    def vectors(self, places: Int64s) -> Float32s:
        """The vectors at some places, float32 (n, dim)."""
        if self._count < ANN_FROM:
            if self._all is None:
                self._all = self._vectors(np.arange(self._count))
            all_in_order = len(places) == self._count and bool((np.diff(places) == 1).all())
            return self._all if all_in_order else self._all[places]
        return self._vectors(places)

    def _vectors(self, places: Int64s) -> Float32s:
        order = np.argsort(places, kind="stable")
        wanted = places[order]
        halves = np.empty((len(places), self.dimension), np.float16)
        width = self.dimension * _HALF_BYTES
        begin = _NAME_BYTES + 2 * self._count * _KEY_BYTES
        starts = np.flatnonzero(np.diff(wanted, prepend=-_GAP - 2) > _GAP + 1).tolist()
        for start, end in zip(starts, [*starts[1:], len(wanted)], strict=True):
            first, last = int(wanted[start]), int(wanted[end - 1])
            stored = self._read(begin + first * width, (last + 1 - first) * width)
            block = np.frombuffer(stored, np.float16).reshape(-1, self.dimension)
            halves[order[start:end]] = block[wanted[start:end] - first]
        return halves.astype(np.float32)

    def _read(self, offset: int, count: int) -> bytes:
        if hasattr(os, "pread"):
            content = os.pread(self._descriptor, count, offset)
        else:
            with self._seeking:
                os.lseek(self._descriptor, offset, os.SEEK_SET)
                content = os.read(self._descriptor, count)
        if len(content) != count:
            raise OSError("a file of pooled vectors was cut short")
        return content


def refresh(table: Table) -> bool:
    """Make the file of a table anew if too many rows are not in it; for the writing thread.

    Without room on the disk there is none.

    Returns:
        Whether it was made.
    """
    files = data_files(table.path)
    total = len(table.rows.keys())
    if files is None or not total or total > MOST_ROWS:
        return False
    pooled = table.pooled
    folder = table.path / FOLDER
    try:
        if pooled is not None:
            missing = int(np.count_nonzero(pooled.aligned(table).places < 0))
            if missing <= max(_MISSING, _MISSING_SHARE * total):
                _stamp_again(folder, files)
                return False
        return _make(table, folder, sorted(files))
    except OSError as error:
        log.warning("%s has no file of pooled vectors: %s", table.path.stem, error)
        discard(table)
        return False


def discard(table: Table) -> None:
    """Delete the file of a table; LanceDB answers until it is made again."""
    table.pooled = None
    shutil.rmtree(table.path / FOLDER, ignore_errors=True)


def damaged(table: Path) -> bool:
    """Whether the file of a table has other bytes than were written."""
    folder = table / FOLDER
    try:
        stamp = json.loads((folder / _STAMP).read_text(encoding="utf-8"))
        checksum = 0
        with (folder / _VECTORS).open("rb") as file:
            while block := file.read(1 << 20):
                checksum = zlib.crc32(block, checksum)
        return bool(checksum != stamp["checksum"])
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError):
        return True


def _make(table: Table, folder: Path, files: Sequence[str]) -> bool:
    """Write both files; the stamp, which names the other one, comes last."""
    keys, rows = table.rows.pairs()
    dimension = int(table.schema.field("vector").type.list_size)
    size = _size(len(keys), dimension)
    if shutil.disk_usage(table.path).free < size + _SPARE_BYTES:
        return False
    folder.mkdir(mode=0o700, exist_ok=True)
    for left in folder.iterdir():
        if left.name not in {_VECTORS, _STAMP}:
            left.unlink()
    name = secrets.token_bytes(_NAME_BYTES)
    checksum = 0
    with replacing(folder / _VECTORS) as file:
        for block in _blocks(table, keys, rows, name):
            file.write(block)
            checksum = zlib.crc32(block, checksum)
            faults.reached("pooled-writing")
        table.pooled = None  # an open file cannot be replaced on Windows
        if file.tell() != size:
            raise OSError("rows went while they were read")
    faults.reached("pooled-written")
    _write_stamp(
        folder,
        {
            "format": _FORMAT,
            "name": name.hex(),
            "rows": len(keys),
            "dimension": dimension,
            "checksum": checksum,
            "files": list(files),
        },
    )
    faults.reached("pooled-stamped")
    table.pooled = Pooled.load(table.path)
    return True


def _blocks(table: Table, keys: Int64s, rows: Int64s, name: bytes) -> Iterator[bytes]:
    """Yield the parts of the file: name, keys and row ids as int64, vectors as float16."""
    yield name
    yield keys.tobytes()
    yield rows.tobytes()
    for start in range(0, len(keys), _BATCH):
        found, places = table.take(keys[start : start + _BATCH], ["vector"])
        flat = found.column("vector").combine_chunks().flatten().to_numpy()
        yield flat.reshape(len(places), -1)[np.argsort(places)].tobytes()


def _stamp_again(folder: Path, files: frozenset[str]) -> None:
    """Note the data files in which the rows are now, after they were compacted."""
    stamp = json.loads((folder / _STAMP).read_text(encoding="utf-8"))
    if not files.issuperset(stamp["files"]):
        _write_stamp(folder, {**stamp, "files": sorted(files)})


def _write_stamp(folder: Path, stamp: dict[str, Any]) -> None:
    with suppress(FileNotFoundError):
        write_file(folder / _STAMP, json.dumps(stamp))


def _size(rows: int, dimension: int) -> int:
    return _NAME_BYTES + rows * (2 * _KEY_BYTES + dimension * _HALF_BYTES)
