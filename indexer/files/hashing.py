"""The hash of a file's bytes, and checking that they did not change while they were read."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.api.errors import Cancelled, WorldError
from indexer.catalog.stamps import Stamp, mtime_ns
from indexer.files.excludes import is_away

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_BYTES = 1 << 20
# The file may have been replaced by a pipe, whose opening must not wait for a writer.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class ContentHash:
    """The SHA-256 of a file's bytes, in hexadecimal, and its ``Stamp`` at that time."""

    content_id: str
    stamp: Stamp


def size_and_time(path: bytes, *, follow_links: bool = True) -> tuple[int, int] | None:
    """Return size and time, which nearly every change of a file alters; None without a file.

    Callers that need certainty hash the bytes; readers compare the whole ``Stamp``.
    """
    try:
        found = os.stat(path, follow_symlinks=follow_links)
    except OSError:
        return None
    return found.st_size, mtime_ns(found)


def content_id(path: bytes, *, stopping: Callable[[], bool] = lambda: False) -> ContentHash:
    """Hash a file.

    Args:
        path: Absolute, as the operating system takes it.
        stopping: Called between chunks of a megabyte.

    Raises:
        Cancelled: Once ``stopping`` returns True.
        WorldError: ``changed_while_read``, ``placeholder`` for bytes that would have to be fetched,
            or ``read_error`` unless it is a regular file.
        OSError: If the file cannot be opened or read.
    """
    if is_away(os.stat(path)):
        raise WorldError("placeholder")
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise WorldError("read_error", reason="not_a_file")
        digest = hashlib.sha256()
        buffer = bytearray(min(CHUNK_BYTES, before.st_size + 1))
        view = memoryview(buffer)
        read = 0
        while size := file.readinto(buffer):
            digest.update(view[:size])
            read += size
            if stopping():
                raise Cancelled
        after = os.fstat(descriptor)
    if Stamp.from_status(after) != Stamp.from_status(before) or read != before.st_size:
        raise WorldError("changed_while_read")
    return ContentHash(digest.hexdigest(), Stamp.from_status(before))


def unchanged(path: bytes, stamp: Stamp) -> bool:
    """Return whether a file still has this stamp; False if it does not exist."""
    try:
        return Stamp.from_status(os.stat(path)) == stamp
    except OSError:
        return False
