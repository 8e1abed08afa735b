"""Recognises errors of the file system, such as a full disk, in those of LanceDB and tantivy."""

from __future__ import annotations

import errno
import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# LanceDB reports errors of the system only as text: full disk and quota, on each system.
_FULL = (
    "no space left on device",
    "disk quota exceeded",
    "not enough space on the disk",
    "(os error 112)",
)
_OS_ERROR = re.compile(r"(?:os error |Os \{ code: )(\d+)")  # of LanceDB and of tantivy
_WINDOWS = sys.platform == "win32"
# A missing file; Windows has another code for a missing folder.
_MISSING = {2, 3} if _WINDOWS else {errno.ENOENT}
_DENIED = {5} if _WINDOWS else {errno.EACCES, errno.EPERM}


def errno_of(error: BaseException) -> int | None:
    """The errno of the system error that caused another, if there is one."""
    found = _OS_ERROR.search(str(error))
    if found is not None:
        return int(found[1])
    return error.errno if isinstance(error, OSError) else None


def system_error(error: BaseException, path: Path) -> WorldError | None:
    """The error to raise if the system, not the bytes, is the cause; None otherwise.

    Args:
        error: Of LanceDB, tantivy or Python.
        path: The folder that was used.
    """
    code = errno_of(error)
    if code is None or code in _MISSING or _is_full(error):
        return None
    if code in _DENIED:
        return WorldError("path_denied", path=str(path))
    return WorldError("read_error", reason=f"error {code}" if _WINDOWS else os.strerror(code))


def _is_full(error: BaseException) -> bool:
    message = str(error).lower()
    return any(sign in message for sign in _FULL)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Map the errors of writing below a folder.

    Raises:
        WorldError: ``disk_full``, or the result of ``system_error``.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if not _is_full(error):
            raise system_error(error, path) or error from error
        raise WorldError("disk_full", needed="what the store needs", path=str(path)) from error


def bytes_under(directories: Iterable[Path]) -> int:
    """The bytes of all files below directories; files deleted meanwhile are skipped."""
    total = 0
    for directory in directories:
        for path in directory.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except FileNotFoundError:
                continue
    return total
