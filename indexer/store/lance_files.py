"""What Lance's files must say before Lance may read them.

Lance does not check that the footer of a file was written: where that fails, as a disk is full for
a moment, a file without one is committed and none of its rows can be read. And it trusts lengths:
one flipped bit in a footer makes it ask for 34 GB and more, and Rust ends the process for that.
Owns finding both, and putting right what would end the process, lists of deleted rows
(``deletions``) among it: a footer's places say what its counts are. It must not know tables.
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

# Rows lie below the first, indices below the second.
_FOLDERS = ("data", "_indices")
_SUFFIXES = (".lance", ".idx")
_MAGIC = b"LANC"
# Where the columns' metadata and the tables of columns and of global buffers begin; how many global
# buffers and columns there are; the version; the magic. The two tables end where the next part
# begins, and have one entry (its place and length) each.
_FOOTER = struct.Struct("<QQQIIHH4s")
_ENTRY_BYTES = 16
_KNOWN_VERSIONS = ((0, 3), (2, 0), (2, 1), (2, 2))


def footed_files(table: Path) -> set[Path]:
    """The files of a table's directory that end with a footer."""
    found = (file for folder in _FOLDERS for file in (table / folder).rglob("*"))
    return {file for file in found if file.suffix in _SUFFIXES}


def truncated(written: Iterable[Path]) -> list[Path]:
    """Those files that do not end with one; what is gone by now is not among them."""
    found = []
    for path in written:
        try:
            if not _last(path)[1].endswith(_MAGIC):
                found.append(path)
        except FileNotFoundError:
            continue
    return found


def mend(table: Path, *, writable: bool = True) -> list[Path]:
    """Put right what would end the process; gives the files that were changed for it.

    What the system does not let us read is left to whoever reads it.

    Raises:
        WorldError: ``library_damaged``, if nothing may be written.
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
    """Files, how many of their bytes are right, and what ought to follow."""
    for path in footed_files(table):
        with suppress(OSError):
            size, footer = _last(path)
            right = _right(size, footer)
            if right != footer:
                yield path, size - len(right), right


def _last(path: Path) -> tuple[int, bytes]:
    """The size of a file, and as many bytes at its end as a footer has."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _FOOTER.size))
        return size, file.read()


def _right(size: int, footer: bytes) -> bytes:
    """A footer as it ought to be, as far as its places tell; others are Lance's to refuse."""
    if len(footer) < _FOOTER.size:
        return footer
    metadata, columns, buffers, buffer_count, column_count, *version, magic = _FOOTER.unpack(footer)
    if magic != _MAGIC or tuple(version) not in _KNOWN_VERSIONS:
        return footer
    end = size - _FOOTER.size
    if column_count * _ENTRY_BYTES > size:
        column_count = max(0, buffers - columns) // _ENTRY_BYTES
    if buffer_count * _ENTRY_BYTES > size:
        buffer_count = max(0, end - buffers) // _ENTRY_BYTES
    return _FOOTER.pack(metadata, columns, buffers, buffer_count, column_count, *version, magic)
