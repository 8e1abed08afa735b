"""Where the vectors of an embedding space lie in LanceDB's files; queries read them there.

A data file is written once and holds both columns as they were given, one value after the other.
Each value is looked for by its bytes, so nothing of the format is taken for granted: what is not
found is read by LanceDB. Owns finding and reading them; see ``derived`` for the file of places.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from indexer.store import deletions
from indexer.store.derived import MOST_BYTES, Layout, join_place, pread, split_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from indexer.store.table import Table
    from indexer.store.values import Float32s, Int64s

    DataFiles = Sequence[str]

_DATA = "data"
#: The columns whose places it knows.
COLUMNS = ("vector", "sentence_codes")
_VECTOR, _CODES = range(2)
_HALF_BYTES = 2
# The place of a vector has its file above the offset, that of codes their length.
# Rows read from the table at a time, and bytes of a data file.
_BATCH, _BLOCK_BYTES = 4096, 4 << 20
_FRAGMENT_BITS = 32
# Every float16 by its bits; numpy's own conversion takes four times as long.
_FLOATS = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def find(table: Table, keys: Int64s) -> tuple[DataFiles, Int64s, Int64s]:
    """The data files of a table, the places of passages there, and these passages' indices."""
    derived = table.derived
    if derived is None:
        return [], np.empty((len(COLUMNS), 0), np.int64), np.empty(0, np.int64)
    try:
        numbers, there = derived.find(table, keys)
    except OSError:
        table.derived = None
        return find(table, keys)
    known = (numbers >= 0).all(axis=0)
    # Of some hundred files a query opens a few; a ``Path`` of each takes a millisecond.
    folder = f"{table.path / _DATA}{os.sep}"
    return [folder + name for name in derived.files], numbers[:, known], there[known]


def vectors_at(files: DataFiles, numbers: Int64s, dimension: int) -> Float32s:
    """The pooled vectors of n rows with places, float32 (n, dim); see ``Derived.find``."""
    wanted, rows = np.unique(numbers[_VECTOR], return_inverse=True)
    width = dimension * _HALF_BYTES
    starts = np.flatnonzero(np.diff(wanted, prepend=-1 - width) != width)
    runs = zip(wanted[starts].tolist(), np.diff(starts, append=len(wanted)).tolist(), strict=True)
    with _opened(files) as read:
        blocks = [read(*split_place(at), count * width) for at, count in runs]
    bits = np.frombuffer(b"".join(blocks), np.uint16).reshape(-1, dimension)
    return _FLOATS.take(bits[rows])


def codes_at(files: DataFiles, numbers: Int64s) -> list[bytes]:
    """The quantised sentences of rows with places, one after the other each."""
    codes: list[bytes] = []
    with _opened(files) as read:
        for of_vector, of_codes in numbers.T.tolist():
            offset, length = split_place(of_codes)
            codes.append(read(offset, split_place(of_vector)[1], length))
    return codes


@contextmanager
def _opened(files: DataFiles) -> Iterator[Callable[[int, int, int], bytes]]:
    """Read from data files by offset, number of the file, and length.

    They are closed at the end, or Windows would not let LanceDB delete them.
    """
    opened: dict[int, int] = {}

    def read(offset: int, file: int, count: int) -> bytes:
        if file not in opened:
            opened[file] = os.open(files[file], os.O_RDONLY | getattr(os, "O_BINARY", 0))
        content = pread(opened[file], count, offset)
        if len(content) != count:
            raise OSError("a data file was cut short")
        return content

    try:
        yield read
    finally:
        for descriptor in opened.values():
            os.close(descriptor)


def _made(
    table: Table, keys: Int64s, rows: Int64s, files: Sequence[str]
) -> Iterator[tuple[bytes, Int64s]]:
    numbers = np.full((len(COLUMNS), len(keys)), -1, np.int64)
    addresses = table.addresses(rows)
    fragments = addresses >> _FRAGMENT_BITS
    for name, fragment in (deletions.data_files(table.path) or {}).items():
        inside = np.flatnonzero(fragments == fragment)
        if len(inside) and name in files:
            inside = inside[np.argsort(addresses[inside], kind="stable")]
            with (table.path / _DATA / name).open("rb") as opened:
                _look(table, keys, inside, numbers, opened)
            found = inside[numbers[_VECTOR, inside] >= 0]
            numbers[_VECTOR, found] = join_place(numbers[_VECTOR, found], files.index(name))
    numbers[_CODES, numbers[_VECTOR] < 0] = -1  # the file is known by the vector
    yield b"", numbers


def _look(table: Table, keys: Int64s, inside: Int64s, numbers: Int64s, file: BinaryIO) -> None:
    """Find the values of rows, in the order of their addresses, in their data file."""
    vectors, codes = _Values(file), _Values(file)
    for start in range(0, len(inside), _BATCH):
        batch = inside[start : start + _BATCH]
        found, places = table.take(keys[batch], COLUMNS)
        order = np.argsort(places)
        halves = found.column(COLUMNS[_VECTOR]).combine_chunks().flatten().to_numpy()
        packed = found.column(COLUMNS[_CODES]).to_pylist()
        halves = halves.reshape(len(packed), -1)
        for row, at in zip(batch[places[order]].tolist(), order.tolist(), strict=True):
            numbers[_VECTOR, row] = vectors.place(halves[at].tobytes())
            length = len(packed[at])
            if length < MOST_BYTES and (offset := codes.place(packed[at])) >= 0:
                numbers[_CODES, row] = join_place(offset, length)


class _Values:
    """The values of a column in a file, which are asked for in their order there."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._block, self._begin, self._at = b"", 0, 0
        self._lost = False

    def place(self, value: bytes) -> int:
        """Where a value begins; -1 from the first on that does not lie there as it is."""
        while not self._lost:
            at = self._block.find(value, self._at)
            if at >= 0:
                self._at = at + len(value)
                return self._begin + at
            # The end of the block may be the beginning of the value.
            kept = min(len(value) - 1, len(self._block) - self._at)
            self._begin += len(self._block) - kept
            self._file.seek(self._begin)
            self._block, self._at = self._file.read(_BLOCK_BYTES), 0
            self._lost = len(self._block) <= kept
        return -1


LAYOUT = Layout("rows", len(COLUMNS), made=_made, places="files")
