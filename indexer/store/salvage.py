"""Finds what of a table cannot be read, piece by piece, and takes it out.

Owns the look at single fragments, the files that rows are in. A deletion only notes places and
reads nothing, so it works on a file that is damaged or gone; what is left of the table is whole.
It must not know what the rows are for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from indexer.store.values import Int64s

#: Rows that are read at a time.
BLOCK = 1024
_FRAGMENT_BITS = 32
_OS_ERROR = re.compile(r"os error (\d+)")
# Rust's own panics are no ``Exception``.
_PANICS = ("PanicException", "RustPanic")


def may_be_damage(error: BaseException) -> bool:
    """Whether an error may come from a damaged file: Lance has no kind of its own for these."""
    if type(error).__name__ in _PANICS:
        return True
    # What the system refuses (rights, room, too many open files) says nothing about the bytes.
    refused = _OS_ERROR.search(str(error))
    if refused is not None and refused[1] != "2":
        return False
    return isinstance(error, RuntimeError | ValueError | OSError)


def fragments(inner: Any) -> dict[int, Int64s]:
    """The row ids of each fragment; no file of theirs is read for it."""
    found = inner.search().select(["_rowid", "_rowaddr"]).to_arrow()
    places = found.column("_rowaddr").to_numpy().astype(np.int64) >> _FRAGMENT_BITS
    rows = found.column("_rowid").to_numpy().astype(np.int64)
    return {int(number): rows[places == number] for number in np.unique(places)}


def blocks(inner: Any, rows: Int64s) -> Iterator[Any]:
    """All columns of some rows, as Arrow tables.

    Raises:
        DamagedError: If they cannot be read.
    """
    for start in range(0, len(rows), BLOCK):
        wanted = rows[start : start + BLOCK].tolist()
        try:
            yield inner.take_row_ids(wanted).to_arrow()
        except BaseException as error:
            if not may_be_damage(error):
                raise
            raise DamagedError(str(error).partition(", /")[0]) from error


class DamagedError(Exception):
    """A fragment that cannot be read."""


def unreadable(inner: Any, tick: Callable[[], None] = lambda: None) -> dict[int, str]:
    """The fragments that cannot be read, and why."""
    damaged: dict[int, str] = {}
    for number, rows in fragments(inner).items():
        try:
            for _ in blocks(inner, rows):
                tick()
        except DamagedError as error:
            damaged[number] = str(error)
    return damaged


def take_out(inner: Any, damaged: Iterable[int]) -> int:
    """Delete all rows of some fragments; gives how many."""
    rows = 0
    for number in damaged:
        first, last = number << _FRAGMENT_BITS, (number + 1) << _FRAGMENT_BITS
        gone = inner.delete(f"_rowaddr >= {first} AND _rowaddr < {last}")
        rows += int(gone.num_deleted_rows)
    return rows
