"""One tantivy index in a folder: opening, checking, commits, and its errors.

tantivy maps its files, so a file whose drive is taken away ends the engine, which is then started
again. Flipped bytes may end it too, or give wrong answers; so every segment file is compared with
the CRC-32 in its footer before its first use. Merges are waited for at each commit: between commits
no thread of tantivy works, so pauses reach it, and a full disk is an error of the commit.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import tantivy

from indexer.api.atomic import is_full
from indexer.store.disk import write_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

META = "meta.json"
_MAGIC = 1337  # ends each of tantivy's files, after the length of its footer
_KILLED = "index writer was killed"
_BLOCK = 1 << 20
# Of the one thread that inverts; a larger one makes fewer, larger segments.
_HEAP_BYTES = 48 << 20
_LINKED = (".idx", ".pos", ".term", ".fast", ".fieldnorm", ".store", ".del")
_SEGMENT_FILES = _LINKED[:-1]


class AlteredIndexError(Exception):
    """The files of an index are missing, or have other bytes than were written."""


class TantivyIndex:
    """An index that one thread writes and any thread searches.

    Raises:
        AlteredIndexError: If the files in the folder are no such index.
        WorldError: ``disk_full``, or another error of the system.
    """

    def __init__(self, folder: Path, schema: tantivy.Schema) -> None:
        self.folder = folder
        self.schema = schema
        new = not (folder / META).exists()
        if not new and (altered := altered_files(folder)):
            raise AlteredIndexError(", ".join(altered))
        with write_errors(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._index = tantivy.Index(schema, str(folder))
                self._index.config_reader("manual")
                self._index.reload()
            except BaseException as error:
                if new or not is_tantivys(error):
                    raise
                raise AlteredIndexError(str(error)) from error
        self.searcher = self._index.searcher()

    @contextmanager
    def committing(self) -> Iterator[tantivy.IndexWriter]:
        """Add and delete in one commit; then all searches see it.

        Raises:
            WorldError: ``disk_full``, or another error of the system; nothing is then changed.
        """
        with write_errors(self.folder):
            _remove_leftovers(self.folder)
            writer = self._index.writer(_HEAP_BYTES, 1)
            try:
                yield writer
                writer.commit()
            except BaseException as error:
                with suppress(Exception):
                    writer.rollback()
                if _KILLED in str(error):  # its thread met an error that is not passed on
                    code = errno.ENOSPC if is_full(self.folder) else errno.EIO
                    raise OSError(code, os.strerror(code)) from error
                raise
            finally:
                with suppress(ValueError):  # a merge may fail for want of room; nothing is lost
                    writer.wait_merging_threads()
                del writer
            self._index.reload()
            self.searcher = self._index.searcher()

    def checksum(self) -> int:
        """The CRC-32 of its list of segments."""
        return zlib.crc32((self.folder / META).read_bytes())


def _remove_leftovers(folder: Path) -> None:
    """Delete what a failed commit left: the next one would write files of the same names."""
    segments = json.loads((folder / META).read_bytes())["segments"]
    listed = {name for segment in segments for name in _files_of(segment)}
    for path in folder.iterdir():
        if path.suffix in _LINKED and path.name not in listed:
            with suppress(OSError):  # a reader has it open on Windows
                path.unlink()


def is_tantivys(error: BaseException) -> bool:
    """Whether an exception is tantivy's, a panic included."""
    return isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException"


def deleted_share(folder: Path) -> float:
    """The share of the entries of an index that are deleted, but not merged."""
    segments = json.loads((folder / META).read_bytes())["segments"]
    gone = sum(((one["deletes"] or {}).get("num_deleted_docs", 0)) for one in segments)
    return float(gone / max(1, sum(one["max_doc"] for one in segments)))


def altered_files(folder: Path) -> list[str]:
    """The names of an index's files that are missing, or have other bytes than were written."""
    try:
        meta: dict[str, Any] = json.loads((folder / META).read_bytes())
        names = [name for segment in meta["segments"] for name in _files_of(segment)]
    except (OSError, ValueError, LookupError, TypeError):
        return [META]
    return [name for name in names if not _is_whole(folder / name)]


def _files_of(segment: dict[str, Any]) -> Iterator[str]:
    stem = segment["segment_id"].replace("-", "")
    yield from (stem + ending for ending in _SEGMENT_FILES)
    if segment["deletes"]:
        yield f"{stem}.{segment['deletes']['opstamp']}.del"


def _is_whole(path: Path) -> bool:
    """Whether a file of tantivy has the CRC-32 that its footer names."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 8))
            ending = file.read(8)
            length = int.from_bytes(ending[:4], "little")
            if int.from_bytes(ending[4:], "little") != _MAGIC or length + 8 > size:
                return False
            file.seek(size - 8 - length)
            expected = json.loads(file.read(length))["crc"]
            file.seek(0)
            left, checksum = size - 8 - length, 0
            while left and (block := file.read(min(left, _BLOCK))):
                checksum = zlib.crc32(block, checksum)
                left -= len(block)
            return bool(checksum == expected and not left)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def linked_copy(folder: Path) -> Path:
    """A new temporary folder with what a folder of indexes has: links to segments, copies else.

    tantivy wants to write a lock file beside an index, also if it only reads.
    """
    copy = folder.__class__(tempfile.mkdtemp(prefix="lectern-words-"))
    for path in folder.rglob("*") if folder.is_dir() else ():
        target = copy / path.relative_to(folder)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif path.suffix != ".lock":
            target.parent.mkdir(exist_ok=True)
            try:
                if path.suffix not in _LINKED:
                    raise NotImplementedError
                target.symlink_to(path.absolute())
            except (OSError, NotImplementedError):
                shutil.copyfile(path, target)
    return copy
