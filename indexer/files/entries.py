"""Single directory entries: their status, their row, and errors on them.

Owns the system calls on one entry, and reading files of patterns. It must not know walks.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.phrases import reason_of
from indexer.catalog.records import FoundFile
from indexer.catalog.stamps import mtime_ns
from indexer.files.excludes import MAX_IGNORE_BYTES
from indexer.files.kinds import is_away

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.api.types import FileState

ABSENT = (FileNotFoundError, NotADirectoryError)
_NOFOLLOW = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def status_of(entry: bytes | os.DirEntry[bytes]) -> os.stat_result | OSError:
    """Return the status of an entry itself, not of a link's target, or the error."""
    try:
        if isinstance(entry, bytes):
            return os.lstat(entry)
        return entry.stat(follow_symlinks=False)
    except OSError as error:
        return error


def ignore_lines(path: bytes) -> list[str]:
    """Read a file of patterns; a link, a huge file or a placeholder counts as empty."""
    found = first_bytes(path, MAX_IGNORE_BYTES + 1)
    if len(found) > MAX_IGNORE_BYTES:
        return []
    return found.decode("utf-8-sig", "replace").splitlines()


def first_bytes(path: bytes, most: int) -> bytes:
    """Read the beginning of a file; a link, a placeholder or an unreadable one counts as empty."""
    try:
        with os.fdopen(os.open(path, _NOFOLLOW), "rb") as file:
            found = os.fstat(file.fileno())
            there = stat.S_ISREG(found.st_mode) and not is_away(found)
            return file.read(most) if there else b""
    except OSError:
        return b""


def row(
    name: bytes,
    found: os.stat_result,
    volume: int,
    state: FileState | None,
    code: str,
    detail: Mapping[str, str],
    file_format: str = "",
) -> FoundFile:
    """Make the record of an entry for the catalog."""
    # The times of folders and links are left out, as their changes are irrelevant.
    counts = stat.S_ISREG(found.st_mode)
    # On Windows the status of a listed entry has neither volume nor inode.
    return FoundFile(
        name,
        found.st_size if counts else 0,
        mtime_ns(found) if counts else 0,
        found.st_dev or volume,
        found.st_ino,
        file_format,
        state,
        code,
        detail,
    )


def code_of(error: OSError) -> str:
    """Return the reason code of an error of a system call."""
    return "path_denied" if isinstance(error, PermissionError) else "read_error"


def error_of_root(error: OSError, path: bytes) -> WorldError:
    """Return the error of a root that cannot be walked."""
    code = "path_missing" if isinstance(error, ABSENT) else code_of(error)
    return WorldError(code, path=os.fsdecode(path), reason=reason_of(error))
