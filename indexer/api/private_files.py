"""Files of a library that are not in its folder but in one that only this user can enter.

Their names have device and inode of the library's folder, so that a copy of a library has none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from indexer.api.errors import WorldError

# sun_path has 104 bytes on macOS and 108 on Linux, with the terminating zero.
MAX_ADDRESS_BYTES = 100


def library_prefix(device: int, inode: int) -> str:
    """The common prefix of the names of one library's files."""
    return f"lectern-{digest(f'{device}:{inode}'.encode())}"


def digest(named: bytes) -> str:
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
    for base in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108  # checked below
        folder = base / f"lectern-{os.getuid()}"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
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
