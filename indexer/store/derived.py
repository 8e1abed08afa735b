"""Files beside a table from which queries read; LanceDB needs milliseconds for any of its rows.

They are derived from the table, and without them every answer is the same. A derived file consists
of parts, each written once; a stamp lists them. Owns their format, and which of their rows are
valid: those whose key and row id the table still has, as long as it has the data files from which
they were read. Other rows are read from LanceDB. What a file holds is a ``Layout``, see
``vector_places`` and ``records``. It must not know when parts are made or merged; see
``derived_upkeep``.

The file is read, not mapped: a drive that is taken away then is an error and not the end of the
process.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from indexer.arrays import find_sorted
from indexer.store.deletions import data_files
from indexer.store.pooled_file import pread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from indexer.store.lacking import Lacking
    from indexer.store.rowmap import ById
    from indexer.store.table import Table
    from indexer.store.values import Int32s, Int64s, Mask

FOLDER = "_derived"
#: Of the files.
FORMAT = 5
_NUMBER_BYTES = 8
# Keys and row ids come first.
_COLUMNS = 2
# A place is one number: an offset, and above it a length or which file it is in.
_OFFSET_BITS = 40
_OFFSETS = (1 << _OFFSET_BITS) - 1
MOST_BYTES = 1 << 23  # lengths are below
_BLOCK_BYTES = 1 << 20
_ALL = slice(None)


def copied(parts: Sequence[PartFile]) -> Iterator[bytes]:
    """The stored bytes of parts, one part after the other."""
    for part in parts:
        for start in range(0, part.stored, _BLOCK_BYTES):
            yield part.read(start, min(_BLOCK_BYTES, part.stored - start))


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file holds of the rows of a table: bytes, and some numbers of each row.

    Attributes:
        name: Of the file.
        numbers: How many int64 each row has, -1 where there is none.
        made: Yields bytes to store in a part and the numbers, (``numbers``, k), of its next k rows,
            given the table, the keys and row ids of the part, and the sorted names of data files.
        merged: Yields the bytes to store in the part that takes the place of some parts, whose rows
            it has one part after the other, with their numbers. If the first number is an offset
            there, it must be ``copied``.
        places: What the first number has an offset in: the bytes stored, as ``join_place`` has it
            with a length, or data files, with the index of their name.
    """

    name: str
    numbers: int
    made: Callable[[Table, Int64s, Int64s, Sequence[str]], Iterator[tuple[bytes, Int64s]]]
    merged: Callable[[Sequence[PartFile]], Iterator[bytes]] = copied
    places: Literal["", "stored", "files"] = ""

    @property
    def stamp(self) -> str:
        """The name of the file that lists the parts."""
        return f"{self.name}.json"


@dataclass(frozen=True, slots=True)
class PartStamp:
    """What the stamp says of a part.

    Attributes:
        file: Its name.
        rows: How many it has.
        last: The greatest of their ids.
        stored: Bytes beside keys, row ids and numbers.
        checksum: CRC-32 of the whole file.
        files: Data files, if the numbers have places in such.
    """

    file: str
    rows: int
    last: int
    stored: int
    checksum: int
    files: Sequence[str]


class PartFile:
    """An open part. Any thread may read; it is closed with the last reference.

    It has all keys, all row ids, the stored bytes, and all first numbers, second numbers and so on.

    Raises:
        OSError: Of all methods, if the file cannot be read or has another size.
    """

    def __init__(self, folder: Path, stamp: PartStamp, layout: Layout) -> None:
        self.stamp = stamp
        self.rows, self.stored = stamp.rows, stamp.stored
        self._begin = _COLUMNS * self.rows * _NUMBER_BYTES
        self._descriptor = -1
        self._descriptor = os.open(folder / stamp.file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        numbers = layout.numbers * self.rows * _NUMBER_BYTES
        if os.fstat(self._descriptor).st_size != self._begin + self.stored + numbers:
            raise OSError("a derived file has another size")

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._descriptor)

    def keys(self, rows: slice = _ALL) -> Int64s:
        return self._column(0, rows)

    def ids(self, rows: slice = _ALL) -> Int64s:
        """The row ids."""
        return self._column(1, rows)

    def numbers(self, which: int, rows: slice = _ALL) -> Int64s:
        """One of the numbers of rows."""
        return self._column(_COLUMNS + which, rows)

    def read(self, offset: int, count: int) -> bytes:
        """Some of the ``stored`` bytes."""
        return self._read(self._begin + offset, count)

    def _column(self, which: int, rows: slice) -> Int64s:
        first, end, _ = rows.indices(self.rows)
        begin = (which * self.rows + first) * _NUMBER_BYTES
        if which >= _COLUMNS:
            begin += self.stored
        return np.frombuffer(self._read(begin, (end - first) * _NUMBER_BYTES), np.int64)

    def _read(self, offset: int, count: int) -> bytes:
        content = pread(self._descriptor, count, offset)
        if len(content) != count:
            raise OSError("a derived file was cut short")
        return content


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the rows of a file are among the keys of a table.

    Attributes:
        keys: Of the table, ascending, (n,).
        at: For each part, the indices of its rows among the keys, -1 of rows that are stale.
        lacking: Which keys are in no part, (n,).
    """

    keys: Int64s
    at: Sequence[Int32s]
    lacking: Mask


@dataclass(frozen=True, slots=True)
class Aligned:
    """The keys of a table, ascending, and the numbers of each; -1 where the file has none.

    ``lacking`` are the keys without numbers.
    """

    keys: Int64s
    numbers: Int64s
    lacking: Int64s


class Derived:
    """The valid parts of a file, as if it were one. Any thread may read.

    Use ``load``. ``OSError`` is raised by a file that cannot be read any more.
    """

    def __init__(self, parts: Sequence[PartFile], layout: Layout, present: Collection[str]) -> None:
        self.parts, self.layout = tuple(parts), layout
        #: The data files of the table when the parts were last found to be valid.
        self.present = frozenset(present)
        #: The data files that places are in.
        self.files = list(dict.fromkeys(name for part in parts for name in part.stamp.files))
        self.rows = sum(part.rows for part in parts)
        #: Rows that the table had no more at the last look.
        self.stale = 0
        self._begins = [0, *accumulate(part.stored for part in parts)]
        #: Rows as they were last read, by their number; see ``records``.
        self.kept: OrderedDict[int, Mapping[str, Any]] = OrderedDict()
        #: Rows of the table that are not in it; see ``lacking``.
        self.lacked: Lacking | None = None
        nothing = np.empty(0, np.int64)
        self._placed = Placed(nothing, [], nothing > 0)
        self._aligned = Aligned(nothing, np.empty((layout.numbers, 0), np.int64), nothing)

    @classmethod
    def load(cls, table: Path, layout: Layout) -> Self | None:
        """Open a file of a table; None if no part is valid."""
        folder, present = table / FOLDER, data_files(table)
        try:
            files, stamps = read_stamp(folder / layout.stamp)
        except (OSError, ValueError):
            return None
        in_files = layout.places == "files"
        if present is None or not (in_files or present.keys() >= set(files)):
            return None
        parts = []
        for stamp in stamps:
            if not in_files or present.keys() & set(stamp.files):
                with suppress(OSError, TypeError, ValueError):
                    parts.append(PartFile(folder, stamp, layout))
        return cls(parts, layout, present) if parts else None

    def find(self, table: Table, keys: Int64s) -> tuple[Int64s, Int64s]:
        """The numbers of the keys that the table has, and the indices of these among ``keys``."""
        aligned = self.aligned(table)
        at, found = find_sorted(aligned.keys, keys)
        return aligned.numbers[:, at], found

    def aligned(self, table: Table) -> Aligned:
        """All keys of the table with their numbers."""
        aligned = self._aligned
        if aligned.keys is not table.rows.keys():
            placed = self.placed(table.rows.by_id())
            numbers = np.full((self.layout.numbers, len(placed.keys)), -1, np.int64)
            for part, at in enumerate(placed.at):
                live = at >= 0
                for which, row in enumerate(numbers):
                    row[at[live]] = self.numbers(part, which)[live]
            without = placed.keys[(numbers < 0).any(axis=0)]
            self._aligned = aligned = Aligned(placed.keys, numbers, without)
        return aligned

    def placed(self, rows: ById) -> Placed:
        """Where the rows of the parts are among those of the table."""
        placed = self._placed
        if placed.keys is not rows.keys:
            every = [rows.indices_of(part.keys(), part.ids()) for part in self.parts]
            lacking = np.ones(len(rows.keys), bool)
            for part, at in zip(self.parts, every, strict=True):
                if self.layout.places == "files":
                    there = [name in self.present for name in part.stamp.files]
                    # What was not found in any file is looked for again when one is another.
                    at[~np.array([*there, all(there)])[_files_of(part)]] = -1
                lacking[at[at >= 0]] = False
            self.stale = sum(int(np.count_nonzero(at < 0)) for at in every)
            self._placed = placed = Placed(rows.keys, every, lacking)
        return placed

    def numbers(self, part: int, which: int, rows: slice = _ALL) -> Int64s:
        """One of the numbers of a part's rows, if the file were one."""
        numbers = self.parts[part].numbers(which, rows)
        if which or not self.layout.places:
            return numbers
        if self.layout.places == "stored":
            return np.where(numbers < 0, -1, numbers + self._begins[part])
        moved = [self.files.index(name) for name in self.parts[part].stamp.files]
        files = np.array([*moved, -1])[_files_of(self.parts[part], rows)]
        return np.where(numbers < 0, -1, join_place(numbers & _OFFSETS, files))

    def read(self, offset: int, count: int) -> bytes:
        """Some of the stored bytes, at an offset that a number has."""
        part = bisect_right(self._begins, offset) - 1
        return self.parts[part].read(offset - self._begins[part], count)


def _files_of(part: PartFile, rows: slice = _ALL) -> Int64s:
    """The index of the data file that each row has its first place in; -1 where there is none."""
    files: Int64s = np.clip(part.numbers(0, rows) >> _OFFSET_BITS, -1, len(part.stamp.files) - 1)
    return files


def read_stamp(path: Path) -> tuple[Sequence[str], Sequence[PartStamp]]:
    """The data files of a table at the time of a stamp, and what it says of the parts.

    A stamp of another version says nothing.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it is no stamp.
    """
    said = json.loads(path.read_text(encoding="utf-8"))
    try:
        if said["format"] != FORMAT:
            return [], []
        return said["files"], [PartStamp(**part) for part in said["parts"]]
    except (KeyError, TypeError) as error:
        raise ValueError(str(error)) from error


def join_place(offset: Any, above: Any) -> Any:
    """One number, or array of them, of an offset and a length or file."""
    return above << _OFFSET_BITS | offset


def split_place(place: int) -> tuple[int, int]:
    """The offset, and the length or file."""
    return place & _OFFSETS, place >> _OFFSET_BITS
