"""What the file system may do to the store: run out of room, refuse, damage it, keep half a table.

Owns how such errors are recognised in what Lance raises. It must not know tables.
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
    from collections.abc import Iterator
    from pathlib import Path

# Lance passes on what the system said, in words only: full disk and quota, on each system.
_FULL = (
    "no space left on device",
    "disk quota exceeded",
    "not enough space on the disk",
    "(os error 112)",
)
# What Lance says of a table that a later version of it wrote; LanceDB ships it.
_LATER = "cannot be read by this version of lance"
_OS_ERROR = re.compile(r"os error (\d+)")
_WINDOWS = sys.platform == "win32"
#: A missing file; Windows tells a missing folder apart.
MISSING = {2, 3} if _WINDOWS else {errno.ENOENT}
_DENIED = {5} if _WINDOWS else {errno.EACCES, errno.EPERM}


def errno_of(error: BaseException) -> int | None:
    """The number of the system's error behind another, if there is one."""
    found = _OS_ERROR.search(str(error))
    if found is not None:
        return int(found[1])
    return error.errno if isinstance(error, OSError) else None


def system_error(error: BaseException, path: Path) -> WorldError | None:
    """The error to raise where the system, not the bytes, is the reason; None otherwise.

    Args:
        error: What reading the store met.
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
    """Open tables and read what is needed at once.

    Raises:
        WorldError: ``library_damaged``, if Lance cannot make sense of its files, or what
            ``system_error`` gives.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if (refused := system_error(error, path)) is not None:
            raise refused from error
        # A table without any list of files is "not found".
        if not (str(error).startswith("lance error") or str(error).endswith("was not found")):
            raise
        reason = str(error).partition(", /")[0]  # the rest is a place in the source of Lance
        raise WorldError("library_damaged", library=str(path.parent), reason=reason) from error


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Do something that writes below a folder.

    Raises:
        WorldError: ``disk_full``, or what ``system_error`` gives.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if not _is_full(error):
            raise system_error(error, path) or error from error
        raise WorldError("disk_full", needed="what the store needs", path=str(path)) from error


def drop_unfinished(path: Path) -> None:
    """Remove tables whose making was interrupted before their first version; they hold no row."""
    for table in unfinished(path):
        shutil.rmtree(table)


def unfinished(path: Path) -> list[Path]:
    """The folders of such tables: LanceDB lists them and then cannot open them."""
    return [
        table
        for table in path.glob("*.lance")
        if not _holds(table / "_versions", ".manifest") and not _holds(table / "data", "")
    ]


def _holds(folder: Path, suffix: str) -> bool:
    """Whether a folder holds such files; that it cannot be looked into does not say so.

    Raises:
        WorldError: ``path_denied`` or ``read_error``.
    """
    try:
        return any(path.name.endswith(suffix) for path in folder.iterdir())
    except FileNotFoundError:
        return False
    except OSError as error:
        raise system_error(error, folder) or error from error
