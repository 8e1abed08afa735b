"""Files that are either the old ones or the new ones, never half of each.

Owns the writing of small owner-only files, and how a full disk shows; it must not know what is in
them. Standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: What the system says of a disk or a quota that is full.
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PROBE_BYTES = 64 << 10


def write_file(path: Path, text: str) -> None:
    """Write a file for its owner's eyes only, all at once.

    Args:
        path: What to write or replace; its folder exists.
        text: The content, written as UTF-8; what is not UTF-8 becomes escapes.

    Raises:
        OSError: If it cannot be written; the old file, if any, is then still there.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def is_full(folder: Path) -> bool:
    """Whether there is no room in a folder, by writing a little: libraries hide why they failed."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in DISK_FULL
    return False
