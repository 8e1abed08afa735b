"""Where the engine of a library is reached: a local socket that only its owner can open.

Owns the socket's place and name, the note in the library that tells others about it, and the
removal of both when they are stale. It must not know what is said over the socket. Standard
library only.

The note carries a secret beside the address. On Unix the socket's folder and mode keep others
out; a Windows pipe has no such folder, so a client also proves that it can read the library.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from indexer.atomic import write_file
from indexer.errors import WorldError

NOTE_NAME = "engine.json"
# sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
MAX_ADDRESS_BYTES = 100
FAMILY = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach an engine. ``pid`` is for messages only; the lock says who is alive."""

    address: str
    secret: str
    pid: int


def new_endpoint(library: Path) -> Endpoint:
    """Choose the address for a library's engine: the same each time, short, in a private folder.

    Raises:
        WorldError: ``library_unwritable``, if there is no folder that only we can enter.
    """
    name = f"lectern-{_digest(library)}"
    if sys.platform == "win32":
        address = rf"\\.\pipe\{name}"
    else:
        address = str(_private_folder(name) / f"{name}.sock")
    return Endpoint(address, secrets.token_hex(16), os.getpid())


def _digest(library: Path) -> str:
    real = os.fsencode(os.path.realpath(library))
    return hashlib.blake2b(real, digest_size=8).hexdigest()


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


def publish(library: Path, endpoint: Endpoint) -> None:
    """Tell others where the engine is. Only the holder of the library lock may call this."""
    note = {"address": endpoint.address, "secret": endpoint.secret, "pid": endpoint.pid}
    write_file(library / NOTE_NAME, json.dumps(note))


def published(library: Path) -> Endpoint | None:
    """Read where a library's engine says it is; it may be long gone."""
    try:
        note = json.loads((library / NOTE_NAME).read_text(encoding="utf-8"))
        return Endpoint(str(note["address"]), str(note["secret"]), int(note["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def clear(library: Path) -> None:
    """Remove the note and the socket it names. Only the holder of the library lock may call this.

    The socket may stand in another folder than a new one would, so the note is what counts.
    """
    endpoint = published(library)
    with contextlib.suppress(OSError):
        (library / NOTE_NAME).unlink(missing_ok=True)
    if endpoint is not None:
        remove_socket(endpoint.address)


def remove_socket(address: str) -> None:
    """Remove a socket nobody listens to; anything else under that name is left alone."""
    with contextlib.suppress(OSError):
        if stat.S_ISSOCK(Path(address).lstat().st_mode):
            Path(address).unlink()
