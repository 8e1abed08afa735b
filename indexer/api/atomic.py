"""Writes files that only their owner may read, whole or not at all, and detects a full disk.

Files of a library that are not in its folder are in one that only this user can enter. Their names
have device and inode of the library's folder, so that a copy of a library has none.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


#: The errors of a full disk or quota.
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PROBE_BYTES = 64 << 10
_SHORT = Path("/tmp")  # noqa: S108  # what is in it is checked


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


# sun_path has 104 bytes on macOS and 108 on Linux, with the terminating zero.
MAX_ADDRESS_BYTES = 100


def library_prefix(device: int, inode: int) -> str:
    """The common prefix of the names of one library's files."""
    return f"lectern-{short_digest(f'{device}:{inode}'.encode())}"


def short_digest(named: bytes) -> str:
    return hashlib.blake2b(named, digest_size=8).hexdigest()


def private_file(name: str, kind: str) -> Path:
    """Return the path of a file, short enough for a socket.

    Raises:
        WorldError: ``library_unwritable``, if there is no folder that only this user can enter.
    """
    folder = Path(tempfile.gettempdir()) if sys.platform == "win32" else _private_folder(name)
    return folder / f"{name}.{kind}"


def _private_folder(name: str) -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and _is_private(Path(runtime)) and _fits(Path(runtime), name):
        return Path(runtime)
    # Somebody else may have made the one for all users; that in the home may be too long.
    shared, state = f"lectern-{os.getuid()}", os.environ.get("XDG_STATE_HOME", "~/.local/state")
    bases = Path(tempfile.gettempdir()), _SHORT
    for folder in (*(base / shared for base in bases), Path(state, "lectern", "run").expanduser()):
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
    return ours and not found.st_mode & 0o077


def _fits(folder: Path, name: str) -> bool:
    return len(os.fsencode(folder / f"{name}.sock")) < MAX_ADDRESS_BYTES
