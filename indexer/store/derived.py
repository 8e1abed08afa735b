"""Files beside a table from which queries read; LanceDB needs milliseconds for any of its rows.

They are derived from the table, and without them every answer is the same. Owns their format, and
which of their rows are valid: those whose key and row id the table still has, as long as it has all
data files from which the rows were read. Other rows are read from LanceDB. What a file holds is a
``Layout``, see ``vector_places``, ``records`` and ``word_parts``. It must not know when files are
made; see ``derived_upkeep``.

The file is read, not mapped: a drive that is taken away then is an error and not the end of the
process.
"""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from indexer.arrays import find_sorted
from indexer.store.deletions import data_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from indexer.store.lacking import Lacking
    from indexer.store.table import Table
    from indexer.store.values import Int64s

FOLDER = "_derived"
#: Of the files, and the bytes of the name at the begin of each.
FORMAT, NAME_BYTES = 3, 16
_NUMBER_BYTES = 8
# A place is one number: an offset, and above it a length or which file it is in.
_OFFSET_BITS = 40
MOST_BYTES = 1 << 23  # lengths are below
_SEEKING = threading.Lock()  # for systems that cannot read at a place by themselves


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file holds of the rows of a table.

    Attributes:
        name: Of the file.
        numbers: How many int64 each row has, -1 where there is none.
        of_files: Whether they are places in the data files, and void without them.
        parts: Yields bytes to store and the numbers, (``numbers``, k), of the next k rows, given
            the table, all keys and row ids, and the sorted names of the data files.
        always: Whether nothing else has what is in it: then it is made while there is other work,
            too, and for tables of any size.
    """

    name: str
    numbers: int
    of_files: bool
    parts: Callable[[Table, Int64s, Int64s, Sequence[str]], Iterator[tuple[bytes, Int64s]]]
    always: bool = False

    @property
    def files(self) -> tuple[str, str]:
        """The names of the file, and of the other one, which says what is in it."""
        return f"{self.name}.bin", f"{self.name}.json"


@dataclass(frozen=True, slots=True)
class Aligned:
    """The keys of a table, ascending, and the numbers of each; -1 for rows not in the file.

    ``stale`` is how many rows of the file the table has no more; ``lacking`` are the keys that the
    file lacks.
    """

    keys: Int64s
    numbers: Int64s
    stale: int
    lacking: Int64s


class Derived:
    """An open file. Any thread may read; it is closed with the last reference.

    Use ``load``. ``OSError`` is raised by a file that cannot be read any more.
    """

    def __init__(self, descriptor: int, stamp: dict[str, Any], layout: Layout) -> None:
        self.files: list[str] = stamp["files"]
        self._descriptor = descriptor
        self.rows, self.stored = int(stamp["rows"]), int(stamp["stored"])
        self._layout = layout
        #: Rows as they were last read, by their number; see ``records``.
        self.kept: OrderedDict[int, Mapping[str, Any]] = OrderedDict()
        #: Rows of the table that are not in it; see ``lacking``.
        self.lacked: Lacking | None = None
        nothing = np.empty(0, np.int64)
        self._aligned = Aligned(nothing, np.empty((layout.numbers, 0), np.int64), 0, nothing)

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._descriptor)

    @classmethod
    def load(cls, table: Path, layout: Layout) -> Self | None:
        """Open a file of a table; None if there is none that is valid."""
        content, said = (table / FOLDER / name for name in layout.files)
        try:
            stamp = json.loads(said.read_text(encoding="utf-8"))
            descriptor = os.open(content, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except (OSError, ValueError):
            return None
        try:
            numbers = (2 + layout.numbers) * int(stamp["rows"])
            present = data_files(table)
            valid = (
                stamp["format"] == FORMAT
                and os.fstat(descriptor).st_size
                == NAME_BYTES + numbers * _NUMBER_BYTES + stamp["stored"]
                and os.read(descriptor, NAME_BYTES).hex() == stamp["name"]
                and present is not None
                and present.keys() >= set(stamp["files"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            valid = False
        if not valid:
            os.close(descriptor)
            return None
        return cls(descriptor, stamp, layout)

    def find(self, table: Table, keys: Int64s) -> tuple[Int64s, Int64s]:
        """The numbers of the keys that the table has, and the indices of these among ``keys``."""
        aligned = self.aligned(table)
        at, found = find_sorted(aligned.keys, keys)
        return aligned.numbers[:, at], found

    def aligned(self, table: Table) -> Aligned:
        """All keys of the table with their numbers."""
        keys, rows = table.rows.pairs()
        aligned = self._aligned
        if aligned.keys is not keys:
            known, ids, stored = self.stored_rows()
            at, found = find_sorted(known, keys)
            same = ids[at] == rows[found]
            numbers = np.full((self._layout.numbers, len(keys)), -1, np.int64)
            numbers[:, found[same]] = stored[:, at[same]]
            stale = self.rows - int(np.count_nonzero(same))
            self._aligned = aligned = Aligned(keys, numbers, stale, keys[(numbers < 0).any(axis=0)])
        return aligned

    def stored_rows(self) -> tuple[Int64s, Int64s, Int64s]:
        """The keys of the file's rows, ascending, their row ids, and the numbers of each."""
        keys, rows = self._numbers(NAME_BYTES, 2)
        return keys, rows, self._numbers(self._begin + self.stored, self._layout.numbers)

    def read(self, offset: int, count: int) -> bytes:
        """Some of the ``stored`` bytes."""
        return self._read(self._begin + offset, count)

    @property
    def _begin(self) -> int:
        return NAME_BYTES + 2 * self.rows * _NUMBER_BYTES

    def _numbers(self, offset: int, columns: int) -> Int64s:
        stored = self._read(offset, columns * self.rows * _NUMBER_BYTES)
        return np.frombuffer(stored, np.int64).reshape(columns, self.rows)

    def _read(self, offset: int, count: int) -> bytes:
        content = pread(self._descriptor, count, offset)
        if len(content) != count:
            raise OSError("a derived file was cut short")
        return content


def join_place(offset: Any, above: Any) -> Any:
    """One number, or array of them, of an offset and a length or file."""
    return above << _OFFSET_BITS | offset


def split_place(place: int) -> tuple[int, int]:
    """The offset, and the length or file."""
    return place & ((1 << _OFFSET_BITS) - 1), place >> _OFFSET_BITS


def pread(descriptor: int, count: int, offset: int) -> bytes:
    """Read at a place of a file."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, offset)
    with _SEEKING:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, count)
