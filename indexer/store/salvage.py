"""Finds what of a table cannot be read, piece by piece, and takes it out.

Owns the proof that bytes are wrong or missing, and the look at single fragments, the files that
rows are in. Lance has no kind of error for damage, so a suspicion is not enough: what cannot be
read must fail again in a table that is opened anew, with nothing kept in memory, and its list of
files must be there before and after. A deletion only notes places and reads nothing, so it works
on a file that is damaged or gone; what is left of the table is whole. It must not know what the
rows are for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from indexer.errors import WorldError
from indexer.store import disk, runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from indexer.store.table import Table
    from indexer.store.values import Int64s

T = TypeVar("T")

#: Rows that are read at a time.
BLOCK = 1024
_FRAGMENT_BITS = 32
# Rust's own panics are no ``Exception``.
_PANICS = ("PanicException", "RustPanic")
# What Lance and Python say when something else than the bytes is the reason: no memory or threads
# left, a process at its end, a table of a later version of Lance.
_OTHER_REASONS = (
    "resources exhausted",
    "memory limit",
    "can't start new thread",
    "cannot schedule new futures",
    "event loop",
    "cannot be read by this version",
)


class DamagedError(Exception):
    """Bytes of a table are wrong or missing: this was proven, see ``proven``."""


def may_be_damage(error: BaseException) -> bool:
    """Whether an error may come from wrong or missing bytes. This is a suspicion, no proof."""
    told = str(error).lower()
    # What the system refuses (rights, room, too many open files) says nothing about the bytes.
    code = disk.os_error(error)
    if code is not None and code not in disk.MISSING:
        return False
    if any(reason in told for reason in _OTHER_REASONS):
        return False
    return isinstance(error, RuntimeError | ValueError | OSError) or (
        type(error).__name__ in _PANICS
    )


def proven(table: Table, work: Callable[[Any], T]) -> T:
    """Run something that reads files of a table, given the LanceDB table.

    Raises:
        DamagedError: If bytes that it needs are wrong or missing.
        WorldError: ``path_missing``, if the whole table is: a drive that is away is no damage.
            What the system refuses, see ``disk.refusal``.
    """
    try:
        return work(table.inner)
    except BaseException as error:  # noqa: BLE001  # a panic of Lance is no Exception
        _must_be_suspect(error, table)
    try:
        return work(_anew(table))
    except BaseException as error:
        _must_be_suspect(error, table)
        _anew(table)
        # The rest is a place in the source of Lance.
        raise DamagedError(str(error).partition(", /")[0]) from error


def _must_be_suspect(error: BaseException, table: Table) -> None:
    if not may_be_damage(error):
        raise disk.refusal(error, table.path) or error


def _anew(table: Table) -> Any:
    lists = table.path / "_versions"
    if not lists.is_dir():
        raise WorldError("path_missing", path=str(lists))
    return runtime.open_anew(table.path)


def fragments(inner: Any) -> dict[int, Int64s]:
    """The row ids of each fragment; no file of theirs is read for it."""
    found = inner.search().select(["_rowid", "_rowaddr"]).to_arrow()
    places = found.column("_rowaddr").to_numpy().astype(np.int64) >> _FRAGMENT_BITS
    rows = found.column("_rowid").to_numpy().astype(np.int64)
    return {int(number): rows[places == number] for number in np.unique(places)}


def blocks(table: Table, rows: Int64s) -> Iterator[Any]:
    """All columns of some rows, as Arrow tables.

    Raises:
        DamagedError: If they cannot be read.
    """
    for start in range(0, len(rows), BLOCK):
        yield proven(table, partial(_take, wanted=rows[start : start + BLOCK].tolist()))


def _take(inner: Any, wanted: list[int]) -> Any:
    return inner.take_row_ids(wanted).to_arrow()


def unreadable(table: Table, among: Container[int] | None = None) -> dict[int, str]:
    """The fragments that cannot be read, and why; of some only, if these are named."""
    damaged: dict[int, str] = {}
    for number, rows in fragments(table.inner).items():
        if among is not None and number not in among:
            continue
        try:
            for _ in blocks(table, rows):
                pass
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
