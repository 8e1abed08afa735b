"""Replaces files that only their owner may read, and detects a full disk."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

#: The errors of a full disk or quota.
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PROBE_BYTES = 64 << 10


def write_file(path: Path, text: str) -> None:
    """Write a text file as UTF-8, with escapes for surrogates; see ``replacing``."""
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing and reading that replaces ``path`` at the end of the block.

    Only its owner may read it. The folder must exist.

    Raises:
        OSError: If it cannot be written; the old file, if any, is then unchanged.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def is_full(folder: Path) -> bool:
    """Whether a folder has no room, by writing some bytes: libraries hide the cause of errors."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in DISK_FULL
    return False
