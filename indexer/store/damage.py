"""Finds the rows of a table that cannot be read, and deletes them.

Owns proving that bytes are wrong or missing, block by block: damage in one place of a file costs
only the rows there. Lance has no error class for damage, so a read must fail again in a table
reopened with an empty cache, and its manifests must exist before and after; it is read in another
process (``probe``), which damage may end. A deletion only records row addresses, so it works on a
damaged or missing file. It must not know what the rows mean.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from indexer.api.errors import WorldError
from indexer.store import disk, probe, runtime
from indexer.store.probe import DamagedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from indexer.store.metadata_copies import MetadataCopies
    from indexer.store.values import Int64s

T = TypeVar("T")

log = logging.getLogger(__name__)

#: Rows per block.
BLOCK = 1024
_FRAGMENT_BITS = 32
# Rust panics are not subclasses of ``Exception``.
_PANICS = ("PanicException", "RustPanic")
# Messages of Lance and Python with other causes than the bytes: no memory or threads left, a
# process that is ending, a table of a later version of Lance.
_OTHER_REASONS = (
    "resources exhausted",
    "memory limit",
    "can't start new thread",
    "cannot schedule new futures",
    "event loop",
    "cannot be read by this version of lance",
)


class OpenTable(Protocol):
    """What is needed of ``table.Table``, which itself deletes damaged rows by this module."""

    inner: Any
    path: Path
    copies: MetadataCopies

    def forget_rows(self) -> None:
        """Drop what is known of the places of rows."""


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Consecutive rows of one fragment.

    Attributes:
        number: The index among all blocks of the table.
        rows: Their ids.
        first: The address of the first row.
        last: The address of the last row.
    """

    number: int
    rows: Int64s
    first: int
    last: int


def may_be_damage(error: BaseException) -> bool:
    """Whether an error may be caused by wrong or missing bytes; ``confirmed`` verifies it."""
    message = str(error).lower()
    # Errors of the system (permissions, disk space, open files) do not concern the bytes.
    code = disk.errno_of(error)
    if code is not None and code not in disk.MISSING:
        return False
    if any(reason in message for reason in _OTHER_REASONS):
        return False
    return isinstance(error, RuntimeError | ValueError | OSError) or (
        type(error).__name__ in _PANICS
    )


def confirmed(table: Path, cache: int, work: Callable[[Any], T]) -> T:
    """Run a function that reads files of a table; it is given the LanceDB table.

    Args:
        table: The folder of the table.
        cache: The size of the index cache in bytes.
        work: The function.

    Raises:
        DamagedError: If bytes that it needs are wrong or missing.
        WorldError: ``path_missing``, if the whole table is missing, as on a drive that is not
            connected; errors of the system, see ``disk.system_error``.
    """
    try:
        return work(_opened(table, cache))
    except BaseException as error:  # noqa: BLE001  # a panic of Lance is no Exception
        _must_be_suspect(error, table)
    try:
        return work(_opened(table, cache))
    except BaseException as error:
        _must_be_suspect(error, table)
        _opened(table, cache)
        # The rest is a location in Lance's source.
        raise DamagedError(str(error).partition(", /")[0]) from error


def _must_be_suspect(error: BaseException, table: Path) -> None:
    if not may_be_damage(error):
        raise disk.system_error(error, table) or error


def _opened(table: Path, cache: int) -> Any:
    """Open a table with an empty cache."""
    lists = table / "_versions"
    if not lists.is_dir():
        raise WorldError("path_missing", path=str(lists))
    return runtime.connect(table.parent, 1, cache).open_table(table.stem)


def blocks(inner: Any) -> list[RowBlock]:
    """All rows of a table in blocks; reads the manifest alone."""
    found = inner.search().select(["_rowid", "_rowaddr"]).to_arrow()
    places = found.column("_rowaddr").to_numpy().astype(np.int64)
    rows = found.column("_rowid").to_numpy().astype(np.int64)
    order = np.argsort(places)
    made: list[RowBlock] = []
    for fragment in np.split(order, np.flatnonzero(np.diff(places[order] >> _FRAGMENT_BITS)) + 1):
        for start in range(0, len(fragment), BLOCK):
            part = fragment[start : start + BLOCK]
            made.append(
                RowBlock(len(made), rows[part], int(places[part[0]]), int(places[part[-1]]))
            )
    return made


def read(table: OpenTable, block: RowBlock) -> Any:
    """All columns of some rows, as an Arrow table.

    Raises:
        DamagedError: If they cannot be read.
    """
    return probe.rows(table.path, block.rows)


def unreadable(table: OpenTable, among: Iterable[RowBlock] | None = None) -> list[RowBlock]:
    """The unreadable blocks, of all or of those given."""
    damaged = []
    for block in blocks(table.inner) if among is None else among:
        try:
            read(table, block)
        except DamagedError:
            damaged.append(block)
    return damaged


def broken_indices(table: OpenTable, expected: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The names and columns of unreadable indices; of all ``expected`` if none can be listed."""
    try:
        listed = [(index.name, index.columns[0]) for index in table.inner.list_indices()]
    except BaseException as error:  # noqa: BLE001  # a panic of Lance is no Exception
        _must_be_suspect(error, table.path)
        return [(f"{column}_idx", column) for column in expected]
    broken = []
    for name, column in listed:
        try:
            probe.index(table.path, name)
        except DamagedError:
            broken.append((name, column))
    return broken


def take_out(table: OpenTable) -> int:
    """Delete unreadable rows and indices before anything else reads them; return how many rows."""
    with disk.write_errors(table.path.parent):
        rows = delete(table.inner, unreadable(table))
        table.copies.record()
        for name, _column in broken_indices(table):
            table.inner.drop_index(name)
            log.error("%s: %s is damaged and is made anew", table.path.stem, name)
    return rows


def delete_unreadable(table: OpenTable, rows: Iterable[RowBlock]) -> int:
    """Delete the blocks that are still unreadable; return the number of rows."""
    damaged = unreadable(table, rows)
    with disk.write_errors(table.path.parent):
        gone = delete(table.inner, damaged)
        table.copies.record()
    table.forget_rows()
    return gone


def delete(inner: Any, damaged: Iterable[RowBlock]) -> int:
    """Delete rows by their addresses; return how many."""
    ranges: list[list[int]] = []
    before = -2
    for block in damaged:
        fragment = block.first >> _FRAGMENT_BITS
        if block.number == before + 1 and ranges[-1][1] >> _FRAGMENT_BITS == fragment:
            ranges[-1][1] = block.last
        else:
            ranges.append([block.first, block.last])
        before = block.number
    rows = 0
    for first, last in ranges:
        gone = inner.delete(f"_rowaddr >= {first} AND _rowaddr <= {last}")
        rows += int(gone.num_deleted_rows)
    return rows
