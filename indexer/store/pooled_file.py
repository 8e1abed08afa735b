"""The flat file of a table's pooled vectors, from which queries read them.

LanceDB takes 6 ms for 200 scattered vectors, this file 1. It is made from the table, appended to
after each commit and written anew when much of it is stale; without it every answer is the same. A
block has a header, keys, row ids and float16 vectors; a row counts if the table still has its id
and key.

The file is read, not mapped: a drive that is taken away then is an error and not the end of the
process.
"""

from __future__ import annotations

import logging
import os
import struct
import threading
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.arrays import find_sorted

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.store.values import Float32s, Int64s

log = logging.getLogger(__name__)

FOLDER = "_pooled"
_MAGIC = b"pooled 1"
# The magic, rows, dimension, and the CRC-32 of keys and ids, and of the vectors.
_HEADER = struct.Struct("<8sIIII")
_NUMBER_BYTES, _HALF_BYTES = 8, 2
_INDEX_BYTES = 2 * _NUMBER_BYTES  # of a row: key and id
_BATCH = 4096
# The file is written anew when this share of its rows is stale, or it has so many blocks.
_STALE_SHARE, _STALE_ROWS, _MOST_BLOCKS = 0.25, 512, 4096
# Every float16 by its bits; numpy's own conversion takes four times as long.
_FLOATS = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
_SEEKING = threading.Lock()  # for systems that cannot read at a place by themselves


def pread(descriptor: int, count: int, offset: int) -> bytes:
    """Read at a place of a file."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, offset)
    with _SEEKING:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, count)


class _OpenedFile:
    """An open file. Any thread may read; it is closed with the last reference."""

    def __init__(self, path: Path) -> None:
        self._descriptor = -1
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.size = os.fstat(self._descriptor).st_size

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._descriptor)

    def read(self, count: int, offset: int) -> bytes:
        """Read at a place; ``OSError`` if there are fewer bytes."""
        content = pread(self._descriptor, count, offset)
        if len(content) != count:
            raise OSError("the file of pooled vectors was cut short")
        return content


class _FileRows:
    """The rows of a file by their ids: ``ids`` ascending, ``keys`` and ``offsets`` of each."""

    def __init__(
        self, file: _OpenedFile | None, ids: Int64s, keys: Int64s, offsets: Int64s
    ) -> None:
        if len(ids) and not (ids[1:] > ids[:-1]).all():
            order = np.argsort(ids, kind="stable")
            ids, keys, offsets = ids[order], keys[order], offsets[order]
        self.file, self.ids, self.keys, self.offsets = file, ids, keys, offsets


_NONE = np.empty(0, np.int64)
_NO_ROWS = _FileRows(None, _NONE, _NONE, _NONE)


class PooledFile:
    """The pooled vectors of one table. One thread writes, any number read.

    Args:
        table: The folder of the table.
        dimension: Of its vectors.
        writable: Whether the file may be made.
        path: The file, if it is not the newest one.
    """

    def __init__(
        self, table: Path, dimension: int, *, writable: bool, path: Path | None = None
    ) -> None:
        self._folder = table / FOLDER
        self._dimension, self._width = dimension, dimension * _HALF_BYTES
        self._writable = writable
        #: Whether it could not be read, so that it has to be made anew.
        self.is_refused = False
        self._end = self._blocks = 0
        newest = max(self._folder.glob("pooled-*.bin"), default=self._folder / "pooled-000001.bin")
        self._path = path or newest
        self._rows = self._opened()

    def __len__(self) -> int:
        return len(self._rows.ids)

    def vectors_of(self, keys: Int64s, ids: Int64s) -> tuple[Float32s, NDArray[np.bool_]]:
        """The vectors of rows that are in the file, float32 (m, dim), and which are, bool (n,).

        ``OSError`` is caught: nothing is in a file that cannot be read any more.
        """
        rows = self._rows
        at, found = find_sorted(rows.ids, ids)
        there = np.zeros(len(ids), bool)
        there[found] = rows.keys[at] == keys[found]
        at = at[there[found]]
        try:
            return self._read(rows, rows.offsets[at]), there
        except OSError as error:
            log.warning("the file of pooled vectors is not used: %s", error)
            self._rows, self.is_refused = _NO_ROWS, True
            return np.empty((0, self._dimension), np.float32), np.zeros(len(ids), bool)

    def lacking(self, keys: Int64s, ids: Int64s) -> NDArray[np.bool_]:
        """Which rows of the table are not in the file, bool (n,)."""
        rows = self._rows
        at, found = find_sorted(rows.ids, ids)
        absent = np.ones(len(ids), bool)
        absent[found] = rows.keys[at] != keys[found]
        return absent

    def append_rows(self, keys: Int64s, ids: Int64s, halves: NDArray[np.float16]) -> bool:
        """Append rows of the table, (n,), (n,) and (n, dim); return whether that was possible."""
        if not self._writable or self.is_refused or not len(keys):
            return False
        rows = self._rows
        block = _block(keys, ids, halves)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            _write(self._path, self._end, block)
            opened = rows.file if rows.file is not None else _OpenedFile(self._path)
        except OSError as error:
            log.warning("%s cannot be appended to: %s", self._path, error)
            return False
        first = self._end + _HEADER.size + _INDEX_BYTES * len(keys)
        offsets = first + self._width * np.arange(len(keys), dtype=np.int64)
        self._end, self._blocks = self._end + len(block), self._blocks + 1
        self._rows = _FileRows(
            opened,
            np.concatenate([rows.ids, ids]),
            np.concatenate([rows.keys, keys]),
            np.concatenate([rows.offsets, offsets]),
        )
        return True

    def is_stale(self, keys: Int64s, ids: Int64s) -> bool:
        """Whether the file is worth writing anew, given all rows of the table."""
        stale = len(self) - int(np.count_nonzero(~self.lacking(keys, ids)))
        return stale > max(_STALE_ROWS, _STALE_SHARE * len(self)) or self._blocks > _MOST_BLOCKS

    def rewrite(self, keys: Int64s, ids: Int64s) -> None:
        """Write the file anew with these rows of the table, as far as it has them whole."""
        if self.is_damaged():  # or damage would be hidden
            self.discard()
            return
        kept = ~self.lacking(keys, ids)
        keys, ids = keys[kept], ids[kept]
        path, end = self._next_path(), 0
        try:
            for at in range(0, len(keys), _BATCH):
                part = slice(at, at + _BATCH)
                vectors, there = self.vectors_of(keys[part], ids[part])
                if not there.all():
                    return
                block = _block(keys[part], ids[part], vectors.astype(np.float16))
                _write(path, end, block)
                end += len(block)
        except OSError as error:
            log.warning("%s cannot be written: %s", path, error)
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return
        faults.reached("pooled-rewritten")
        anew = PooledFile(self._folder.parent, self._dimension, writable=True, path=path)
        self._path, self._end, self._blocks = path, anew._end, anew._blocks
        self._rows = anew._rows
        self._sweep()

    def is_damaged(self) -> bool:
        """Whether the file has other bytes than were written; all are read."""
        with suppress(FileNotFoundError):
            try:
                file, at = _OpenedFile(self._path), 0
                while at < self._end:
                    rows = self._check_block(file, at, whole=True)
                    at += _HEADER.size + rows * (_INDEX_BYTES + self._width)
            except FileNotFoundError:
                raise
            except (OSError, ValueError):
                return True
        return False

    def discard(self) -> None:
        """Delete the file; the table answers until it is made again."""
        self.is_refused = False
        self._rows, self._end, self._blocks = _NO_ROWS, 0, 0
        self._path = self._next_path()
        self._sweep()

    def _read(self, rows: _FileRows, offsets: Int64s) -> Float32s:
        if rows.file is None or not len(offsets):
            return np.empty((0, self._dimension), np.float32)
        wanted, places = np.unique(offsets, return_inverse=True)
        starts = np.flatnonzero(np.diff(wanted, prepend=-1 - self._width) != self._width)
        counts = np.diff(starts, append=len(wanted)) * self._width
        runs = zip(wanted[starts].tolist(), counts.tolist(), strict=True)
        read = rows.file.read
        blocks = [read(count, at) for at, count in runs]
        bits = np.frombuffer(b"".join(blocks), np.uint16).reshape(-1, self._dimension)
        return _FLOATS.take(bits[places])

    def _next_path(self) -> Path:
        number = int(self._path.stem.partition("-")[2]) + 1
        return self._folder / f"pooled-{number:06}.bin"

    def _opened(self) -> _FileRows:
        """The rows of all blocks up to the first that was not written whole."""
        parts: list[tuple[Int64s, Int64s, Int64s]] = []
        try:
            file, at, last = _OpenedFile(self._path), 0, 0
            with suppress(OSError, ValueError):
                while at < file.size:
                    rows = self._check_block(file, at)
                    index = file.read(_INDEX_BYTES * rows, at + _HEADER.size)
                    keys, ids = np.frombuffer(index, np.int64).reshape(2, rows)
                    last, first = at, at + _HEADER.size + len(index)
                    offsets = first + self._width * np.arange(rows, dtype=np.int64)
                    parts.append((ids, keys, offsets))
                    at = first + self._width * rows
        except OSError:
            return _NO_ROWS
        try:  # of a power cut only the last block can be torn
            if parts:
                self._check_block(file, last, whole=True)
        except (OSError, ValueError):
            parts.pop()
            at = last
        self._end, self._blocks = at, len(parts)
        if not parts:
            return _NO_ROWS
        ids, keys, offsets = (np.concatenate(each) for each in zip(*parts, strict=True))
        return _FileRows(file, ids, keys, offsets)

    def _check_block(self, file: _OpenedFile, at: int, *, whole: bool = False) -> int:
        """The number of rows of a block; ``ValueError`` or ``OSError`` if it is not as written."""
        header = _HEADER.unpack(file.read(_HEADER.size, at))
        magic, rows, dimension, of_index, of_vectors = header
        at += _HEADER.size
        size = rows * (_INDEX_BYTES + self._width)
        if magic != _MAGIC or dimension != self._dimension or at + size > file.size:
            raise ValueError("a block was not written whole")
        index = rows * _INDEX_BYTES
        if zlib.crc32(file.read(index, at)) != of_index:
            raise ValueError("keys were altered")
        if whole and zlib.crc32(file.read(size - index, at + index)) != of_vectors:
            raise ValueError("vectors were altered")
        return int(rows)

    def _sweep(self) -> None:
        """Delete the files that are not used any more."""
        for path in self._folder.glob("pooled-*.bin"):
            if path != self._path:
                with suppress(OSError):  # a reader has it open on Windows
                    path.unlink()


def _block(keys: Int64s, ids: Int64s, halves: NDArray[np.float16]) -> bytes:
    index = keys.tobytes() + ids.tobytes()
    vectors = np.ascontiguousarray(halves, np.float16).tobytes()
    header = _HEADER.pack(
        _MAGIC, len(keys), halves.shape[1], zlib.crc32(index), zlib.crc32(vectors)
    )
    return header + index + vectors


def _write(path: Path, end: int, block: bytes) -> None:
    """Write a block at the end of what counts of a file."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "r+b") as file:
        file.truncate(end)
        file.seek(end)
        file.write(block)
        file.flush()
        faults.reached("pooled-written")
        os.fsync(file.fileno())
