"""Files that only their owner may read and that are replaced atomically, and the lock of a library.

Some files of a library are not in its folder but in one that only this user can enter. Their names
contain the device and inode of the library's folder, so they do not belong to a copy of it.

At most one engine holds a library. A file beside the lock file names the holder and has an id of
this acquisition of the lock. The operating system releases the lock of a killed process; the file
with the holder may be stale, or copied. A read-only library is shared by its readers: each holds
the lock file's shared lock, which excludes writers, and an exclusive lock outside the library, so
that each person still has one engine.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import platform
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from filelock import BaseFileLock

#: The errors of a full disk or quota.
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PROBE_BYTES = 64 << 10
_MOST_SMALL_BYTES = 64 << 20
_SHORT = Path("/tmp")  # noqa: S108  # what is in it is checked


def small_file(path: Path) -> bytes:
    """Return the content of a file that other programs may have put there.

    Raises ``ValueError`` if the file is too large, or not a regular file (reading a pipe might
    never end), and ``OSError`` if the system does not let it be read.
    """
    at_once = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_SMALL_BYTES:
            raise ValueError("no file, or a large one")
        return file.read(_MOST_SMALL_BYTES)


def write_file(path: Path, text: str) -> None:
    """Write a text file as UTF-8, with escapes for surrogates; see ``replacing``."""
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing and reading that replaces ``path`` at the end of the block.

    Only the owner may read the new file. The folder must exist. Raises ``OSError`` if the file
    cannot be written; an old file is then unchanged.
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
    """Whether a folder has no room; tested by writing, as libraries hide the cause of errors."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in DISK_FULL
    return False


def bytes_under(*folders: Path) -> int:
    """The bytes of all files below some folders; a file that vanishes meanwhile counts as 0."""
    total = 0
    for place, _, names in chain.from_iterable(map(os.walk, folders)):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(place, name).lstat().st_size
    return total


def gigabytes(size: int) -> str:
    """Return a number of bytes as text for the error ``disk_full``."""
    return f"{size / 1e9:.1f} GB"


def check_room(size: int, disk: Path) -> None:
    """Check that the disk of a folder has room for a number of bytes. Raises ``disk_full``."""
    if shutil.disk_usage(disk).free < size:
        raise WorldError("disk_full", needed=gigabytes(size), path=str(disk))


@contextlib.contextmanager
def library_errors(
    library: Path, *, needed: str = "a copy", disk: Path | None = None
) -> Iterator[None]:
    """Translate errors of the file system that occur while a library is changed.

    Args:
        needed: The purpose of the room on the disk, in words.
        disk: A folder on that disk; None for the library.

    Raises ``disk_full`` or ``library_unwritable``.
    """
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL:
            raise WorldError("disk_full", needed=needed, path=str(disk or library)) from error
        raise WorldError("library_unwritable", library=str(library)) from error


# sun_path has 104 bytes on macOS and 108 on Linux, with the terminating zero.
MAX_ADDRESS_BYTES = 100


def library_prefix(device: int, inode: int) -> str:
    """The common prefix of the names of one library's files."""
    return f"lectern-{short_digest(f'{device}:{inode}'.encode())}"


def short_digest(named: bytes) -> str:
    return hashlib.blake2b(named, digest_size=8).hexdigest()


def private_file(name: str, kind: str) -> Path:
    """Return the path of a private file, short enough for a socket.

    Raises ``library_unwritable``, if there is no folder that only this user can enter.
    """
    folder = Path(tempfile.gettempdir()) if sys.platform == "win32" else _private_folder(name)
    return folder / f"{name}.{kind}"


def _private_folder(name: str) -> Path:
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if _is_private(runtime) and _fits(runtime, name):
        return runtime
    # Somebody else may have made the folder in /tmp, and a path in the home may be too long.
    shared, state = f"lectern-{os.getuid()}", os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    # The folder of ``tempfile`` is not used, as it is inside the library if that is encrypted.
    bases = Path(os.environ.get("TMPDIR", "")), _SHORT
    for folder in (*(base / shared for base in bases), Path(state, "lectern", "run").expanduser()):
        if folder.is_absolute():
            with contextlib.suppress(OSError):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(folder) and _fits(folder, name):
            return folder
    raise WorldError("library_unwritable", library=str(folder))


def _is_private(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return ours and not found.st_mode & 0o077 and folder.is_absolute()


def _fits(folder: Path, name: str) -> bool:
    return len(os.fsencode(folder / f"{name}.sock")) < MAX_ADDRESS_BYTES


LOCK_NAME = "lock"
# A file that marks the copy of a published library, which nothing changes.
COPY_NAME = "published"
# The holder is named in a file of its own, as an attempt to lock may truncate the lock file.
HOLDER_NAME = "lock.json"


def is_copy(library: Path) -> bool:
    """Whether a library is a copy of a published library."""
    return (library / COPY_NAME).exists()


class Holding(NamedTuple):
    """The device and inode of a locked folder, and a random id of the acquisition of its lock.

    A copy, another folder at the same path and a restored backup have another holding. The same
    folder has the same one at another path, through a link or another mount.
    """

    device: int
    inode: int
    taking: str


class LibraryLock:
    """The exclusive right to write to a library, held until ``release``. Thread-safe.

    For a read-only library it is the right to read; ``refusal`` is then the reason.
    """

    def __init__(self, library: Path, lock: BaseFileLock, shared: int | None = None) -> None:
        self.library = library
        self.holding = Holding(*file_identity(library), secrets.token_hex(8))
        self._lock = lock
        self._shared = shared
        self._file = file_identity(_guard(library))
        # The id of the acquisition in the holder's file: our own, or the last writer's.
        self._signed = self.holding.taking if shared is None else _signed(library, "")

    @property
    def refusal(self) -> WorldError | None:
        """Why the library is read-only, None if it is writable."""
        if self._shared is None:
            return None
        code = "library_published" if is_copy(self.library) else "library_read_only"
        return WorldError(code, library=str(self.library))

    @classmethod
    def acquire(cls, library: Path, program: str = "lectern") -> LibraryLock:
        """Acquire the lock; the library's folder is created if missing, for its owner only.

        Args:
            program: The name by which messages of other processes call the holder.

        Raises ``library_locked``, ``library_unwritable`` or ``disk_full``.
        """
        from filelock import FileLock, Timeout

        with library_errors(library, needed="what the lock needs"):
            try:
                library.mkdir(mode=0o700, parents=True, exist_ok=True)
                lock = FileLock(library / LOCK_NAME, timeout=0, mode=0o600, thread_local=False)
                lock.acquire()
                taken = cls(library, lock)
            except Timeout as error:
                raise WorldError(
                    "library_locked", library=str(library), holder=holder(library)
                ) from error
        taken._sign(program)
        return taken

    @classmethod
    def share(cls, library: Path) -> LibraryLock:
        """Acquire the shared lock of a read-only library, which excludes writers.

        Raises ``library_locked``, or ``library_unwritable`` if writers cannot be excluded.
        """
        from filelock import FileLock, Timeout

        with contextlib.ExitStack() as unless_taken:
            try:
                own = private_file(library_prefix(*file_identity(library)), "lock")
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
        """Whether the folder at the library's path is still the locked one.

        It is not once the folder or its lock file was moved, deleted, replaced or overwritten by
        another library. A drive that does not respond counts as intact.
        """
        try:
            there = file_identity(self.library), file_identity(_guard(self.library))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        signed = _signed(self.library, self._signed)
        return (there, signed) == ((self.holding[:2], self._file), self._signed)

    def check(self) -> None:
        """Check that files written by path go into this library. Raises ``library_moved``."""
        if not self.is_intact():
            raise WorldError("library_moved", library=str(self.library))

    def release(self) -> None:
        """Release the lock; idempotent."""
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
        # On a full disk the lock is held without the holder's file, and cannot be shared.
        with contextlib.suppress(OSError):
            path = self.library / HOLDER_NAME
            # Do not follow a link, and do not wait for a pipe that nobody reads.
            plain = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | plain, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(note, file)


def holding(library: Path) -> Holding | None:
    """Return the current holding of a library's lock; None if nobody has held it."""
    try:
        return Holding(*file_identity(library), str(_note(library)["taking"]))
    except (OSError, KeyError):
        return None


def identity(library: Path) -> tuple[int, int] | None:
    """The device and inode of a library's folder; None if it does not exist.

    The same for all paths to the folder, through links and mounts; different for a copy.
    """
    try:
        return file_identity(library)
    except OSError:
        return None


def _guard(library: Path) -> Path:
    """The file to lock; on a read-only disk without a lock file, the library's folder.

    The folder stands in on Windows too, where releasing the lock deletes its file.
    """
    file = library / LOCK_NAME
    may_lack = sys.platform == "win32" or bool(os.statvfs(library).f_flag & os.ST_RDONLY)
    return library if may_lack and not file.exists() else file


def _share(guard: Path) -> int:
    """Acquire a shared lock on a read-only file or folder, and return its descriptor.

    Raises ``BlockingIOError`` if a writer has it; ``OSError`` if it cannot be acquired.
    """
    if sys.platform == "win32" and guard.is_dir():  # folders cannot be locked there
        return os.open(os.devnull, os.O_RDONLY)
    descriptor = os.open(guard, os.O_RDONLY)
    try:
        if sys.platform == "win32":  # no shared locks: one reader at a time
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
    """Describe the holder of the lock, as the file beside it names it."""
    note = _note(library)
    try:
        process = f"{note['program']} (process {int(note['pid'])}"
        host, since = str(note.get("host", "")), float(note.get("since", 0.0))
    except (ValueError, KeyError, TypeError):
        return "another program"
    # The holder of a library on a network drive may be on another machine, with another pid space.
    elsewhere = f" on {host}" if host not in {"", platform.node()} else ""
    began = time.strftime(", since %Y-%m-%d %H:%M", time.localtime(since)) if since > 0 else ""
    return f"{process}{elsewhere}{began})"


def _note(library: Path) -> dict[str, Any]:
    try:
        note = json.loads(small_file(library / HOLDER_NAME).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


def file_identity(path: Path) -> tuple[int, int]:
    """Return the device and inode of a file or folder. Raises ``OSError`` if there is none."""
    found = path.stat()
    return found.st_dev, found.st_ino
