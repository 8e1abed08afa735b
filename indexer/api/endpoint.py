"""Where the engine of a library is reached: a local socket that only its owner can open.

Owns the socket's name, the note that tells others about it, connecting to
it, and the removal of both when they are stale. It must not know what is said over the socket.
Standard library only.

The note carries a secret beside the address. On Unix the socket's folder and mode keep others
out; a Windows pipe has no such folder, so a client also proves that it can read the library. The
note names the holding of the lock that it belongs to: a copied or moved library brings along a note
of an engine that has another one open. Where nothing may be written in the library, the note lies
outside it, beside the socket. The socket is named after the folder (device and inode), and
a name that somebody listens on is never taken nor removed.
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
# How long to stand in a queue that is full.
CONNECT_S = 10.0
RETRY_S = 0.05


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach an engine, and the holding of the library that it must have.

    ``pid`` is for messages only; the lock says who is alive.
    """

    address: str
    secret: str
    pid: int
    holding: Holding


def new_endpoint(held: Holding) -> Endpoint:
    """Choose the address for the engine that holds a library: short, in a private folder.

    It is the same for the same folder each time, unless another's socket is there: the numbers of a
    drive that was unplugged, or of a folder that was deleted, may be given to another while the
    engine of the first still ends.

    Raises:
        WorldError: ``library_unwritable``, if there is no folder that only we can enter.
    """
    address = _address(name := _name(held))
    if _is_socket(address) or _listens(address):
        address = _address(f"{name}-{held.taking[:6]}")
    return Endpoint(address, secrets.token_hex(16), os.getpid(), held)


def window_address(library: Path) -> str:
    """Where the window of a library listens, which may be there before its folder is."""
    address = _address(f"lectern-{outside.digest(os.fsencode(os.path.realpath(library)))}")
    return f"{address.removesuffix('.sock')}.win"


def _name(held: Holding) -> str:
    return outside.named_after(*held[:2])


def _address(name: str) -> str:
    if sys.platform == "win32":
        return rf"\\.\pipe\{name}"
    return str(outside.file(name, "sock"))


def publish(library: Path, endpoint: Endpoint, *, inside: bool = True) -> None:
    """Tell others where the engine is. Only the holder of the library lock may call this.

    Args:
        library: Its folder.
        endpoint: Where the engine is.
        inside: Whether the note may be in there; else, or where there is no room, it lies outside.
    """
    note = json.dumps(asdict(endpoint))
    if inside:
        with contextlib.suppress(OSError):
            write_file(library / NOTE_NAME, note)
            return
    write_file(_note_outside(endpoint.holding[:2]), note)


def published(library: Path) -> Endpoint | None:
    """Read where the engine is that holds a library; it may be long gone.

    A note that came with a copy, or was left by an earlier engine, is none. One outside cannot come
    with a copy; whether it is of the engine that listens, this tells by its holding.
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
    """Remove the notes about a library, and what an engine of this folder left behind when it died.

    Only the holder of the library lock may call this. The socket may stand in another folder than
    a new one would, so the notes are asked too; one that names the socket of another folder goes
    and leaves that socket alone.
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
    """Remove a socket nobody listens to; anything else under that name is left alone."""
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
        return True  # only a listener makes others wait
    return True


def connect(address: str, patience: float = CONNECT_S) -> Connection:
    """Connect to a socket, without waiting for one that nobody serves any more.

    Args:
        address: Where somebody may listen.
        patience: Seconds to try for while too many others wait there.

    Raises:
        OSError: ``ConnectionRefusedError`` or ``FileNotFoundError`` where nobody listens,
            ``BlockingIOError`` where whoever does has accepted nobody meanwhile.
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
    """Have a read or a write fail with ``BlockingIOError`` when nothing moves for so long.

    Waiting for a message to begin has no limit. Windows has none for its pipes.
    """
    if sys.platform != "win32":
        with socket.socket(fileno=os.dup(connection.fileno())) as ours:
            limit = struct.pack("ll", int(seconds), 0)
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                ours.setsockopt(socket.SOL_SOCKET, option, limit)


def stop_reading(connection: Connection) -> None:
    """Have a thread that reads from an open connection meet its end, or the next message's."""
    if sys.platform != "win32":
        with (
            contextlib.suppress(OSError),
            socket.socket(fileno=os.dup(connection.fileno())) as ours,
        ):
            ours.shutdown(socket.SHUT_RD)
