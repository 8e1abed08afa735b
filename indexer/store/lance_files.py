"""Validates the footers of Lance's files before Lance reads them.

Lance does not check that the footer of a file was written: on a disk that is full for a moment it
commits a file without one, and none of its rows is readable. Nor does it validate lengths: one
flipped bit in a footer makes it allocate 34 GB and more, at which Rust aborts the process. Owns
finding both, and correcting whatever would abort the process, deletion lists (``deletions``)
included: a footer's offsets determine its counts, and these one of the offsets. It must not know
tables.
"""

from __future__ import annotations

import itertools
import logging
import os
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.store import deletions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

# The folders of rows and of indices.
_FOLDERS = ("data", "_indices")
_SUFFIXES = (".lance", ".idx")
_MAGIC = b"LANC"
# Offsets of the columns' metadata and of the tables of columns and of global buffers; the numbers
# of global buffers and columns; the version; the magic. Each table ends where the next part begins;
# an entry is an offset and a length.
_FOOTER = struct.Struct("<QQQIIHH4s")
_ENTRY_BYTES = 16
_KNOWN_VERSIONS = ((0, 3), (2, 0), (2, 1), (2, 2))


def footed_files(table: Path) -> set[Path]:
    """The files of a table that must end with a footer."""
    found = (file for folder in _FOLDERS for file in (table / folder).rglob("*"))
    return {file for file in found if file.suffix in _SUFFIXES}


def truncated(written: Iterable[Path]) -> list[Path]:
    """The files that do not end with a footer; files deleted meanwhile are left out."""
    found = []
    for path in written:
        try:
            if not _last(path)[1].endswith(_MAGIC):
                found.append(path)
        except FileNotFoundError:
            continue
    return found


def mend(table: Path, *, writable: bool = True) -> list[Path]:
    """Correct files that would abort the process; return those that were changed.

    Files that the system refuses to read are skipped: reading them fails without an abort.

    Raises:
        WorldError: ``library_damaged``, if the library is read-only.
    """
    mended = []
    for path, kept, right in itertools.chain(_wrong_footers(table), deletions.wrong_lists(table)):
        if not writable:
            raise WorldError("library_damaged", library=str(table.parents[1]), reason=path.name)
        with path.open("r+b") as file:
            file.seek(kept)
            file.write(right)
            file.truncate()
        log.error("%s: %s would have ended the engine and is mended", table.stem, path.name)
        mended.append(path)
    return mended


def _wrong_footers(table: Path) -> Iterator[tuple[Path, int, bytes]]:
    """Yield files with wrong footers, the number of bytes to keep, and the right footer."""
    for path in footed_files(table):
        with suppress(OSError):
            size, footer = _last(path)
            right = _right(size, footer)
            if right != footer:
                yield path, size - len(right), right


def _last(path: Path) -> tuple[int, bytes]:
    """The size of a file, and its last bytes, as many as a footer has."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _FOOTER.size))
        return size, file.read()


def _right(size: int, footer: bytes) -> bytes:
    """A footer with the counts that follow from its offsets, and the offset from a count.

    Lance refuses other errors.
    """
    if len(footer) < _FOOTER.size:
        return footer
    metadata, columns, buffers, buffer_count, column_count, *version, magic = _FOOTER.unpack(footer)
    if magic != _MAGIC or tuple(version) not in _KNOWN_VERSIONS:
        return footer
    end = size - _FOOTER.size
    if columns > buffers >= column_count * _ENTRY_BYTES:
        columns = buffers - column_count * _ENTRY_BYTES  # Lance would panic at single columns
    if column_count * _ENTRY_BYTES > size:
        column_count = max(0, buffers - columns) // _ENTRY_BYTES
    if buffer_count * _ENTRY_BYTES > size:
        buffer_count = max(0, end - buffers) // _ENTRY_BYTES
    return _FOOTER.pack(metadata, columns, buffers, buffer_count, column_count, *version, magic)
