"""The library lock: at most one engine a library, as the operating system sees it.

Owns the lock file and the note that names its holder. It is a lock of the operating system, so a
killed holder never leaves it behind; the note beside it is for messages only and may be stale. It
must not know what is done under the lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from typing import TYPE_CHECKING, Self

from indexer.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from filelock import BaseFileLock

LOCK_NAME = "lock"
# Beside the lock, not in it: whoever tries to take a lock file may empty it.
HOLDER_NAME = "lock.json"


class LibraryLock:
    """The exclusive right to write to a library, held until ``release``. Thread-safe."""

    def __init__(self, library: Path, lock: BaseFileLock) -> None:
        self.library = library
        self._lock = lock

    @classmethod
    def acquire(cls, library: Path, program: str = "lectern") -> LibraryLock:
        """Take the lock, making the library's folder if need be, open to its owner only.

        Args:
            library: The folder of the library.
            program: What to call the holder in the messages of others.

        Raises:
            WorldError: ``library_locked`` or ``library_unwritable``.
        """
        from filelock import FileLock, Timeout

        try:
            library.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(library / LOCK_NAME, timeout=0, mode=0o600, thread_local=False)
            lock.acquire()
        except Timeout as error:
            raise WorldError(
                "library_locked", library=str(library), holder=holder(library)
            ) from error
        except OSError as error:
            raise WorldError("library_unwritable", library=str(library)) from error
        _sign(library, program)
        return cls(library, lock)

    def release(self) -> None:
        """Let go; harmless when done twice."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):
                (self.library / HOLDER_NAME).unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def holder(library: Path) -> str:
    """Name whoever holds the lock, as well as the note beside it can tell."""
    try:
        note = json.loads((library / HOLDER_NAME).read_text(encoding="utf-8"))
        process = f"{note['program']} (process {int(note['pid'])}"
        host, since = str(note.get("host", "")), float(note.get("since", 0.0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "another program"
    # A library on a shared drive may be held from another machine, where its number means nothing.
    elsewhere = f" on {host}" if host not in {"", platform.node()} else ""
    began = time.strftime(", since %Y-%m-%d %H:%M", time.localtime(since)) if since > 0 else ""
    return f"{process}{elsewhere}{began})"


def _sign(library: Path, program: str) -> None:
    note = {
        "program": program,
        "pid": os.getpid(),
        "host": platform.node(),
        "since": time.time(),
    }
    # Only messages depend on the note, so a full disk must not cost the lock.
    with contextlib.suppress(OSError):
        path = library / HOLDER_NAME
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(note, file)
