"""Errors of the file system under the store: full disk, permissions, damage, unfinished tables.

Owns recognising them in the exceptions of Lance. It must not know tables.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Lance reports errors of the system only as text: full disk and quota, on each system.
_FULL = (
    "no space left on device",
    "disk quota exceeded",
    "not enough space on the disk",
    "(os error 112)",
)
# Lance's message for a table that a later version has written.
_LATER = "cannot be read by this version of lance"
_OS_ERROR = re.compile(r"(?:os error |Os \{ code: )(\d+)")  # of LanceDB and of tantivy
_WINDOWS = sys.platform == "win32"
#: A missing file; Windows has another code for a missing folder.
MISSING = {2, 3} if _WINDOWS else {errno.ENOENT}
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
        error: From reading the store.
        path: The folder of a table, or that of all.
    """
    if _LATER in str(error).lower():
        library = path.parents[path.suffix == ".lance"]
        known = f"LanceDB {metadata.version('lancedb')}"
        return WorldError(
            "library_newer", library=str(library), found="a later LanceDB", known=known
        )
    code = errno_of(error)
    if code is None or code in MISSING or _is_full(error):
        return None
    if code in _DENIED:
        return WorldError("path_denied", path=str(path))
    return WorldError("read_error", reason=f"error {code}" if _WINDOWS else os.strerror(code))


def _is_full(error: BaseException) -> bool:
    message = str(error).lower()
    return any(sign in message for sign in _FULL)


@contextmanager
def open_errors(path: Path) -> Iterator[None]:
    """Map the errors of opening tables.

    Raises:
        WorldError: ``library_damaged``, if Lance cannot read its files, or the result of
            ``system_error``.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if (refused := system_error(error, path)) is not None:
            raise refused from error
        # A table without any manifest is "not found".
        if not (str(error).startswith("lance error") or str(error).endswith("was not found")):
            raise
        reason = str(error).partition(", /")[0]  # the rest is a location in Lance's source
        raise WorldError("library_damaged", library=str(path.parent), reason=reason) from error


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


def drop_unfinished(path: Path) -> None:
    """Delete tables whose creation was interrupted before their first version; they are empty."""
    for table in unfinished(path):
        shutil.rmtree(table)


def unfinished(path: Path) -> list[Path]:
    """The folders of tables without a version: LanceDB lists them but cannot open them."""
    return [
        table
        for table in path.glob("*.lance")
        if not _holds(table / "_versions", ".manifest") and not _holds(table / "data", "")
    ]


def _holds(folder: Path, suffix: str) -> bool:
    """Whether a folder holds files with a suffix.

    Raises:
        WorldError: ``path_denied`` or ``read_error``.
    """
    try:
        return any(path.name.endswith(suffix) for path in folder.iterdir())
    except FileNotFoundError:
        return False
    except OSError as error:
        raise system_error(error, folder) or error from error


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
