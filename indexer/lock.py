"""The library lock: at most one engine a library, as the operating system sees it.

Owns the lock file, the note beside it, and what tells one holding of one folder from all others.
It is a lock of the operating system, so a killed holder never leaves it behind; the note may be
stale, or a copy. It must not know what is done under the lock. Needs the standard library only,
but for taking the lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from indexer.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from filelock import BaseFileLock

LOCK_NAME = "lock"
# Beside the lock, not in it: whoever tries to take a lock file may empty it.
HOLDER_NAME = "lock.json"


class Holding(NamedTuple):
    """Which folder is locked, as the system numbers it, and the taking of its lock.

    A copy of a folder, another folder in its place and a restored backup differ from it; the
    same folder under another name, through a link or another mount, does not.
    """

    device: int
    inode: int
    taking: str


class LibraryLock:
    """The exclusive right to write to a library, held until ``release``. Thread-safe."""

    def __init__(self, library: Path, lock: BaseFileLock, program: str) -> None:
        self.library = library
        self._lock = lock
        self._file = _numbers(library / LOCK_NAME)
        self.holding = Holding(*_numbers(library), secrets.token_hex(8))
        self._sign(program)

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
            return cls(library, lock, program)
        except Timeout as error:
            raise WorldError(
                "library_locked", library=str(library), holder=holder(library)
            ) from error
        except OSError as error:
            raise WorldError("library_unwritable", library=str(library)) from error

    def is_intact(self) -> bool:
        """Whether what is at the library's path still is what was locked.

        It is not once the folder was moved, deleted or replaced, its lock file too, or once
        another library was written over it. A drive that does not answer tells nothing.
        """
        try:
            there = _numbers(self.library), _numbers(self.library / LOCK_NAME)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        signed = str(_note(self.library).get("taking", self.holding.taking))
        return (there, signed) == ((self.holding[:2], self._file), self.holding.taking)

    def check(self) -> None:
        """Make sure that what is written by path goes into this library.

        Raises:
            WorldError: ``library_moved``.
        """
        if not self.is_intact():
            raise WorldError("library_moved", library=str(self.library))

    def release(self) -> None:
        """Let go; harmless when done twice."""
        if self._lock.is_locked and self.is_intact():
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

    def _sign(self, program: str) -> None:
        note = {
            "program": program,
            "pid": os.getpid(),
            "host": platform.node(),
            "since": time.time(),
            "taking": self.holding.taking,
        }
        # A full disk must not cost the lock; without the note, nobody can share it.
        with contextlib.suppress(OSError):
            path = self.library / HOLDER_NAME
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(note, file)


def holding(library: Path) -> Holding | None:
    """Tell which holding of a library an engine that serves it must have; None without one."""
    try:
        return Holding(*_numbers(library), str(_note(library)["taking"]))
    except (OSError, KeyError):
        return None


def identity(library: Path) -> tuple[int, int] | None:
    """The folder of a library as the system numbers it: device and inode; None if it is not there.

    Names may differ, through links and mounts; a copy has another number.
    """
    try:
        return _numbers(library)
    except OSError:
        return None


def holder(library: Path) -> str:
    """Name whoever holds the lock, as well as the note beside it can tell."""
    note = _note(library)
    try:
        process = f"{note['program']} (process {int(note['pid'])}"
        host, since = str(note.get("host", "")), float(note.get("since", 0.0))
    except (ValueError, KeyError, TypeError):
        return "another program"
    # A library on a shared drive may be held from another machine, where its number means nothing.
    elsewhere = f" on {host}" if host not in {"", platform.node()} else ""
    began = time.strftime(", since %Y-%m-%d %H:%M", time.localtime(since)) if since > 0 else ""
    return f"{process}{elsewhere}{began})"


def _note(library: Path) -> dict[str, Any]:
    try:
        note = json.loads((library / HOLDER_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


def _numbers(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
