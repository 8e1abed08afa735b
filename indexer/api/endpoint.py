"""The address of a library's engine: a local socket that only its owner can open.

Owns the socket's name, the file that publishes it, connecting to it, and removing both when stale.
It must not know the messages.

The file holds the address and a secret. On Unix the socket's folder and mode exclude other users; a
Windows pipe has no folder, so a client also proves by the secret that it can read the library. The
file names the holding of the lock that it belongs to, since a copied library contains the file of
an engine that has the original open. For a read-only library the file is outside it, beside the
socket. The socket is named after the folder (device and inode), and a name with a listener is never
reused nor removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import stat
import struct
import sys
import time
from dataclasses import asdict, dataclass
from multiprocessing.connection import Client, Connection
from pathlib import Path

from indexer.api import outside
from indexer.api.atomic import write_file
from indexer.api.errors import WorldError
from indexer.api.lock import Holding, holding, identity

NOTE_NAME = "engine.json"
FAMILY = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"
# Seconds to retry while the socket's backlog is full.
CONNECT_S = 10.0
RETRY_S = 0.05


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of an engine, and the holding of the library that it must have.

    ``pid`` is for messages only; the lock shows which process is alive.
    """

    address: str
    secret: str
    pid: int
    holding: Holding


def new_endpoint(held: Holding) -> Endpoint:
    """Choose the address for the engine that holds a library: short, in a private folder.

    It is the same for a folder each time, unless another engine's socket has the name: device and
    inode of an unplugged drive or a deleted folder may be reused while its engine is ending.

    Raises:
        WorldError: ``library_unwritable``, if there is no folder that only this user can enter.
    """
    address = _address(name := _name(held))
    if _is_socket(address) or _listens(address):
        address = _address(f"{name}-{held.taking[:6]}")
    return Endpoint(address, secrets.token_hex(16), os.getpid(), held)


def window_address(library: Path) -> str:
    """The address of a library's window, whose folder may not exist yet."""
    address = _address(f"lectern-{outside.digest(os.fsencode(os.path.realpath(library)))}")
    return f"{address.removesuffix('.sock')}.win"


def _name(held: Holding) -> str:
    return outside.named_after(*held[:2])


def _address(name: str) -> str:
    if sys.platform == "win32":
        return rf"\\.\pipe\{name}"
    return str(outside.file(name, "sock"))


def publish(library: Path, endpoint: Endpoint, *, inside: bool = True) -> None:
    """Publish the address of the engine. Only the holder of the library lock may call this.

    Args:
        library: Its folder.
        endpoint: The address.
        inside: Whether to write into the library; otherwise, or on a full disk, outside it.
    """
    note = json.dumps(asdict(endpoint))
    if inside:
        with contextlib.suppress(OSError):
            write_file(library / NOTE_NAME, note)
            return
    write_file(_note_outside(endpoint.holding[:2]), note)


def published(library: Path) -> Endpoint | None:
    """Read the published address of a library's engine, which may have ended.

    A file that was copied with the library, or left by an earlier engine, is recognised by its
    holding of the lock and ignored.
    """
    folder = identity(library)
    if folder is not None:
        with contextlib.suppress(WorldError):
            endpoint = _noted(_note_outside(folder))
            if endpoint is not None and endpoint.holding[:2] == folder:
                return endpoint
    endpoint = _noted(library / NOTE_NAME)
    if endpoint is None or endpoint.holding != holding(library):
        return None
    return endpoint


def _note_outside(folder: tuple[int, int]) -> Path:
    return outside.file(outside.named_after(*folder), "json")


def _noted(place: Path) -> Endpoint | None:
    try:
        note = json.loads(place.read_text(encoding="utf-8"))
        device, inode, taking = note["holding"]
        held = Holding(int(device), int(inode), str(taking))
        return Endpoint(str(note["address"]), str(note["secret"]), int(note["pid"]), held)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def clear(library: Path, held: Holding, *, inside: bool = True) -> None:
    """Delete the published addresses of a library, and the socket of an engine that has died.

    Only the holder of the library lock may call this. The socket may be in another folder than a
    new one would, so the published address is used too; if that is the socket of another library,
    only the file is deleted.
    """
    left = {_address(_name(held))}
    places = [_note_outside(held[:2]), library / NOTE_NAME]
    for place in places if inside else places[:1]:
        endpoint = _noted(place)
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        if endpoint is not None and Path(endpoint.address).name.startswith(_name(held)):
            left.add(endpoint.address)
    for address in left:
        _remove_dead(address)


def _remove_dead(address: str) -> None:
    """Delete a socket without a listener; anything else of that name is kept."""
    with contextlib.suppress(OSError):
        if _is_socket(address) and not _listens(address):
            Path(address).unlink()


def _is_socket(address: str) -> bool:
    try:
        return stat.S_ISSOCK(Path(address).lstat().st_mode)
    except OSError:
        return False


def _listens(address: str) -> bool:
    try:
        connect(address, patience=0.0).close()
    except (ConnectionRefusedError, FileNotFoundError):
        return False
    except OSError:
        return True  # only a listener has a backlog
    return True


def connect(address: str, patience: float = CONNECT_S) -> Connection:
    """Connect to a socket; fails at once if it has no listener.

    Args:
        address: Of the socket.
        patience: Seconds to retry while its backlog is full.

    Raises:
        OSError: ``ConnectionRefusedError`` or ``FileNotFoundError`` without a listener,
            ``BlockingIOError`` if the listener has accepted no connection meanwhile.
    """
    if sys.platform == "win32":
        return Client(address, family=FAMILY)
    deadline = time.monotonic() + patience
    with socket.socket(socket.AF_UNIX) as ours:
        ours.settimeout(0)
        while True:
            try:
                ours.connect(address)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(RETRY_S)
        ours.settimeout(None)
        return Connection(ours.detach())


def limit_waits(connection: Connection, seconds: float) -> None:
    """Make a read or a write fail with ``BlockingIOError`` after so long without progress.

    Waiting for a message to begin has no limit. Windows pipes support no such limit.
    """
    if sys.platform != "win32":
        with socket.socket(fileno=os.dup(connection.fileno())) as ours:
            limit = struct.pack("ll", int(seconds), 0)
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                ours.setsockopt(socket.SOL_SOCKET, option, limit)


def stop_reading(connection: Connection) -> None:
    """Make a thread that reads from an open connection end, at the latest after a message."""
    if sys.platform != "win32":
        with (
            contextlib.suppress(OSError),
            socket.socket(fileno=os.dup(connection.fileno())) as ours,
        ):
            ours.shutdown(socket.SHUT_RD)
