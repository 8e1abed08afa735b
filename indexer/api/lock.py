"""The library lock: at most one engine a library, as the operating system sees it.

Owns the lock file, the note beside it, and what tells one holding of one folder from all others.
It is a lock of the operating system, so a killed holder never leaves it behind; the note may be
stale, or a copy. It must not know what is done under the lock. Needs the standard library only,
but for taking the lock.

A library that cannot be written is shared by its readers: each holds the lock file's shared lock,
which keeps every writer out, and an exclusive lock of its own outside the library, so that each
person still has one engine.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from indexer.api import outside
from indexer.api.atomic import DISK_FULL
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

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
    """The exclusive right to write to a library, held until ``release``. Thread-safe.

    Or the right to read one that cannot be written: ``refusal`` then says so.
    """

    def __init__(self, library: Path, lock: BaseFileLock, shared: int | None = None) -> None:
        self.library = library
        self.holding = Holding(*_numbers(library), secrets.token_hex(8))
        self._lock = lock
        self._shared = shared
        self._file = _numbers(_guard(library))
        # What the note beside the lock has to say: ours, or what the last writer left.
        self._signed = self.holding.taking if shared is None else _signed(library, "")

    @property
    def refusal(self) -> WorldError | None:
        """Why the library can only be read, None if it may be written."""
        if self._shared is None:
            return None
        return WorldError("library_read_only", library=str(self.library))

    @classmethod
    def acquire(cls, library: Path, program: str = "lectern") -> LibraryLock:
        """Take the lock, making the library's folder if need be, open to its owner only.

        Args:
            library: The folder of the library.
            program: What to call the holder in the messages of others.

        Raises:
            WorldError: ``library_locked``, ``library_unwritable`` or ``disk_full``.
        """
        from filelock import FileLock, Timeout

        try:
            library.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(library / LOCK_NAME, timeout=0, mode=0o600, thread_local=False)
            lock.acquire()
            taken = cls(library, lock)
        except Timeout as error:
            raise WorldError(
                "library_locked", library=str(library), holder=holder(library)
            ) from error
        except OSError as error:
            if error.errno in DISK_FULL:
                needed = "what the lock needs"
                raise WorldError("disk_full", needed=needed, path=str(library)) from error
            raise WorldError("library_unwritable", library=str(library)) from error
        taken._sign(program)
        return taken

    @classmethod
    def share(cls, library: Path) -> LibraryLock:
        """Take the right to read a library that cannot be written; nobody can write it meanwhile.

        Raises:
            WorldError: ``library_locked``, ``library_unwritable`` where writers cannot be kept out.
        """
        from filelock import FileLock, Timeout

        with contextlib.ExitStack() as unless_taken:
            try:
                own = outside.file(outside.named_after(*_numbers(library)), "lock")
                lock = FileLock(own, timeout=0, mode=0o600, thread_local=False)
                lock.acquire()
                unless_taken.callback(lock.release)
                shared = _share(_guard(library))
                unless_taken.callback(os.close, shared)
                taken = cls(library, lock, shared)
            except (Timeout, BlockingIOError) as error:
                raise WorldError(
                    "library_locked", library=str(library), holder=holder(library)
                ) from error
            except OSError as error:
                raise WorldError("library_unwritable", library=str(library)) from error
            unless_taken.pop_all()
        return taken

    def is_intact(self) -> bool:
        """Whether what is at the library's path still is what was locked.

        It is not once the folder was moved, deleted or replaced, its lock file too, or once
        another library was written over it. A drive that does not answer tells nothing.
        """
        try:
            there = _numbers(self.library), _numbers(_guard(self.library))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        signed = _signed(self.library, self._signed)
        return (there, signed) == ((self.holding[:2], self._file), self._signed)

    def check(self) -> None:
        """Make sure that what is written by path goes into this library.

        Raises:
            WorldError: ``library_moved``.
        """
        if not self.is_intact():
            raise WorldError("library_moved", library=str(self.library))

    def release(self) -> None:
        """Let go; harmless when done twice."""
        if self._shared is not None:
            if self._lock.is_locked:
                os.close(self._shared)
        elif self._lock.is_locked and self.is_intact():
            with contextlib.suppress(OSError):
                (self.library / HOLDER_NAME).unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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


def _guard(library: Path) -> Path:
    """What is locked: on a disk that can only be read there may be no file for it."""
    file = library / LOCK_NAME
    return library if not file.exists() and _is_read_only(library) else file


def _is_read_only(folder: Path) -> bool:
    return sys.platform != "win32" and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _share(guard: Path) -> int:
    """Take the shared lock of a file that may only be read, and give its descriptor.

    Raises:
        BlockingIOError: If a writer has it.
        OSError: If it cannot be taken.
    """
    descriptor = os.open(guard, os.O_RDONLY)
    try:
        if sys.platform == "win32":  # it has no shared ones for this; one reader at a time
            import msvcrt

            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except PermissionError as error:
                raise BlockingIOError from error
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _signed(library: Path, unknown: str) -> str:
    return str(_note(library).get("taking", unknown))


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
