"""Copies of the small files of a table whose damage would cost all of it, or end the process.

Lance reads its lists of versions and deleted rows and the ends of its files without checks: one
flipped bit makes it ask for 34 GB, at which Rust aborts the process. All these files are written
once. So after each commit the newest list, all lists of deleted rows and the end of every other
file are copied into one archive, and what differs is put back before Lance reads it. Nothing of
Lance's formats is known here but that its files end with four letters.
"""

from __future__ import annotations

import logging
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.api.atomic import replacing
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

FOLDER = "_copies"
_ARCHIVE = "copies.zip"
_LISTS, _DELETED = "_versions", "_deletions"
# The folders of rows and of indices, whose files end with the magic.
_FOOTED, _SUFFIXES, _MAGIC = ("data", "_indices"), (".lance", ".idx"), b"LANC"
_TAIL_BYTES = 512


@dataclass(frozen=True, slots=True)
class _Copy:
    """The last bytes of a file, or all of them, and its size."""

    size: int
    tail: bytes


class MetadataCopies:
    """The copies of one table. For the thread that writes it, and whoever opens it.

    Args:
        table: The folder of the table.
        writable: Whether copies may be made and put back.
    """

    def __init__(self, table: Path, *, writable: bool) -> None:
        self._table, self._archive = table, table / FOLDER / _ARCHIVE
        self._writable = writable
        self._copies = self._read()

    def record(self) -> list[Path]:
        """Copy what is new after a commit.

        Returns:
            The files that were cut short, as on a disk that was full for a moment.
        """
        copies, cut = {}, []
        for path in self._files():
            name = path.relative_to(self._table).as_posix()
            known = self._copies.get(name)
            with suppress(FileNotFoundError):  # deleted meanwhile
                if known is None or not name.endswith(_SUFFIXES):
                    known = _copy_of(path, whole=path.parent.name in {_LISTS, _DELETED})
                    if name.endswith(_SUFFIXES) and not known.tail.endswith(_MAGIC):
                        cut.append(path)
                        continue
                copies[name] = known
        if self._writable and copies != self._copies:
            self._write(copies)
        return cut

    def restore(self) -> list[Path]:
        """Put back what differs from its copy; return the files that were changed.

        Files that the system refuses to read are skipped: reading them fails without an abort.

        Raises:
            WorldError: ``library_damaged``, if the library is read-only.
        """
        restored = []
        for name, copy in self._copies.items():
            path = self._table / name
            with suppress(OSError):
                if self._is_wrong(path, copy):
                    if not self._writable:
                        library = str(self._table.parents[1])
                        raise WorldError("library_damaged", library=library, reason=path.name)
                    _put_back(path, copy)
                    log.error("%s: %s was altered and is put back", self._table.stem, path.name)
                    restored.append(path)
        return restored

    def forget(self) -> None:
        """Delete the copies, as when an earlier version is the newest again."""
        self._copies = {}
        with suppress(OSError):
            self._archive.unlink(missing_ok=True)

    def _is_wrong(self, path: Path, copy: _Copy) -> bool:
        """Whether a file differs from its copy where that can be put back."""
        whole = len(copy.tail) == copy.size
        try:
            size = path.stat().st_size
            if size < copy.size and not whole:
                return False  # its rows are unreadable
            with path.open("rb") as file:
                file.seek(copy.size - len(copy.tail))
                return file.read() != copy.tail
        except FileNotFoundError:
            newest = min((self._table / _LISTS).glob("*.manifest"), default=None)
            if path.parent.name == _LISTS:
                return newest is None or newest.name > path.name
            recorded = newest is not None and f"{_LISTS}/{newest.name}" in self._copies
            return self._writable and recorded and path.parent.name == _DELETED

    def footed_files(self) -> set[Path]:
        """The files that must end with the magic."""
        return {path for path in self._files() if path.suffix in _SUFFIXES}

    def _files(self) -> Iterator[Path]:
        yield from sorted((self._table / _LISTS).glob("*.manifest"))[:1]  # newer ones come first
        yield from (self._table / _DELETED).glob("*")
        for folder in _FOOTED:
            for path in (self._table / folder).rglob("*"):
                if path.suffix in _SUFFIXES:
                    yield path

    def _read(self) -> dict[str, _Copy]:
        copies = {}
        try:
            with zipfile.ZipFile(self._archive) as archive:
                for entry in archive.infolist():
                    copies[entry.filename] = _Copy(int(entry.comment), archive.read(entry))
        except (OSError, ValueError, zipfile.BadZipFile):
            return {}
        return copies

    def _write(self, copies: dict[str, _Copy]) -> None:
        try:
            self._archive.parent.mkdir(mode=0o700, exist_ok=True)
            with replacing(self._archive) as file, zipfile.ZipFile(file, "w") as archive:
                for name, copy in copies.items():
                    entry = zipfile.ZipInfo(name)
                    entry.comment = str(copy.size).encode()
                    archive.writestr(entry, copy.tail)
        except OSError as error:  # the older copies stay, and protect what they can
            log.warning("%s has no new copies: %s", self._table.stem, error)
        else:
            self._copies = copies


def _copy_of(path: Path, *, whole: bool) -> _Copy:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0 if whole else max(0, size - _TAIL_BYTES))
        return _Copy(size, file.read())


def _put_back(path: Path, copy: _Copy) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.seek(copy.size - len(copy.tail))
        file.write(copy.tail)
        file.truncate()
