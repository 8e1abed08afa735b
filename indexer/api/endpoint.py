"""The address of a library's engine, a local socket that only its owner can open, and its client.

A file beside the library holds the address and a secret. On Unix the socket's folder and mode
exclude other users; a Windows pipe has no folder, so a client also proves by the secret that it can
read the library. A copied library contains the file of the engine that has the original open;
therefore the file names the holding of the lock that it belongs to. For a read-only library the
file is outside it, beside the socket. The socket is named after the folder (device and inode), and
a name with a listener is never reused nor removed. Commands use the client in this module, the
window uses ``ui.engine_client``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import socket
import stat
import struct
import sys
import threading
import time
from multiprocessing.connection import Client, Connection, Listener, wait
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from msgspec import Struct

from indexer.api.codec import (
    MAX_MESSAGE_BYTES,
    MAX_REQUEST_BYTES,
    Greeting,
    Hello,
    check_hello,
    decode,
    decode_error,
    from_json,
    hello,
    pack,
    to_json,
    unpack,
)
from indexer.api.errors import Cancelled, WorldError
from indexer.api.private_files import (
    Holding,
    holding,
    identity,
    library_prefix,
    private_file,
    short_digest,
    small_file,
    write_file,
)
from indexer.api.progress import CancelToken, Progress, Report, ignore_progress
from indexer.api.requests import Shutdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.codec import Header
    from indexer.api.contract import Request

A = TypeVar("A")

NOTE_NAME = "engine.json"
# Seconds to retry while the socket's backlog is full.
CONNECT_S = 10.0
RETRY_S = 0.05
_LENGTH = struct.Struct(">I")
_CHUNK_BYTES = 1 << 16


class Endpoint(Struct, frozen=True):
    """The address of an engine, and the holding of the library lock that it belongs to.

    ``pid`` is only for messages; whether the engine is alive is known from the lock.
    """

    address: str
    secret: str
    pid: int
    holding: Holding


def new_endpoint(held: Holding) -> Endpoint:
    """Choose a short address in a private folder for the engine that holds a library.

    A folder always has the same address, unless another engine's socket has that name: the device
    and inode of an unplugged drive or a deleted folder may be reused while its engine is ending.
    Raises ``library_unwritable``, if there is no folder that only this user can enter.
    """
    address = _address(name := library_prefix(*held[:2]))
    if _is_socket(address) or _listens(address):
        address = _address(f"{name}-{held.taking[:6]}")
    return Endpoint(address, secrets.token_hex(16), os.getpid(), held)


def window_address(library: Path) -> str:
    """The address of a library's window, whose folder may not exist yet."""
    address = _address(f"lectern-{short_digest(os.fsencode(os.path.realpath(library)))}")
    return f"{address.removesuffix('.sock')}.win"


def _address(name: str) -> str:
    if sys.platform == "win32":
        return rf"\\.\pipe\{name}"
    return str(private_file(name, "sock"))


def publish(library: Path, endpoint: Endpoint, *, inside: bool = True) -> None:
    """Publish the address of the engine. Only the holder of the library lock may call this.

    The file goes into the library if ``inside`` and its disk has room, else outside it.
    """
    note = to_json(endpoint).decode()
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
    return private_file(library_prefix(*folder), "json")


def _noted(place: Path) -> Endpoint | None:
    try:
        return decode(Endpoint, from_json(small_file(place)))
    except (OSError, ValueError, WorldError):
        return None


def clear(library: Path, held: Holding, *, inside: bool = True) -> None:
    """Delete the published addresses of a library, and the socket of an engine that has died.

    Only the holder of the library lock may call this. The socket may be in another folder than a
    new one would be, so the published address is used too. If that belongs to another library, only
    the file is deleted.
    """
    left = {_address(name := library_prefix(*held[:2]))}
    places = [_note_outside(held[:2]), library / NOTE_NAME]
    for place in places if inside else places[:1]:
        endpoint = _noted(place)
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        if endpoint is not None and Path(endpoint.address).name.startswith(name):
            left.add(endpoint.address)
    for address in left:
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


class MessageStream:
    """Messages over a local socket or a named pipe of Windows, each after its length in 4 bytes.

    One thread may read while another one writes.
    """

    def __init__(self, raw: socket.socket | Connection) -> None:
        self._raw = raw
        self._unread = bytearray()

    def fileno(self) -> int:
        return self._raw.fileno()

    def send_bytes(self, message: bytes) -> None:
        """Send a message.

        Raises ``OSError`` if the other side has closed the stream or reads nothing for too long.
        """
        data = _LENGTH.pack(len(message)) + message
        if isinstance(self._raw, socket.socket):
            self._raw.sendall(data)
        else:
            self._raw.send_bytes(data)

    def recv_bytes(self, most: int = MAX_MESSAGE_BYTES) -> bytes:
        """Wait for a message.

        Raises ``bad_request`` for more than ``most`` bytes, ``EOFError`` at the end of the stream,
        ``BlockingIOError`` if it pauses too long inside the message, or another ``OSError``.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if length > most:
            reason = f"a message of more than {most} bytes is too large"
            raise WorldError("bad_request", reason=reason)
        return self._read(length)

    def is_readable(self, seconds: float | None = None, unless: Connection | None = None) -> bool:
        """Wait until a message begins or the stream ends; return whether that happened in time.

        Args:
            seconds: How long to wait; None waits for ever.
            unless: Waiting also ends when this becomes readable.
        """
        if self._unread:
            return True
        others = [] if unless is None else [unless]
        return self._raw in wait([self._raw, *others], seconds)

    def limit_waits(self, seconds: float) -> None:
        """Make reads and writes raise ``BlockingIOError`` after this time without progress.

        Waiting for a message to begin is not limited, and neither is a pipe on Windows.
        """
        if isinstance(self._raw, socket.socket):
            limit = struct.pack("ll", int(seconds), 0)
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                self._raw.setsockopt(socket.SOL_SOCKET, option, limit)

    def stop_reading(self) -> None:
        """End a thread that reads from the stream, at the latest after its next message."""
        if isinstance(self._raw, socket.socket):
            with contextlib.suppress(OSError):
                self._raw.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        self._raw.close()

    def _read(self, size: int) -> bytes:
        while len(self._unread) < size:
            if isinstance(self._raw, socket.socket):
                part = self._raw.recv(min(size - len(self._unread), _CHUNK_BYTES))
            else:
                part = self._raw.recv_bytes()  # one write of the other side
            if not part and isinstance(self._raw, socket.socket):
                raise EOFError
            self._unread += part
        found = bytes(self._unread[:size])
        del self._unread[:size]
        return found


class StreamListener:
    """Accepts connections at an address that only this user can open.

    Raises ``OSError`` if it cannot listen there.
    """

    def __init__(self, address: str, backlog: int) -> None:
        self._address = address
        self._listener: socket.socket | Listener
        if sys.platform == "win32":
            self._listener = Listener(address, family="AF_PIPE", backlog=backlog)
            return
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(address)
            Path(address).chmod(0o600)
            self._listener.listen(backlog)
        except BaseException:
            self._listener.close()
            raise

    def accept(self) -> MessageStream:
        """Wait for a client.

        Raises ``OSError`` if the client hung up, too many files are open or the listener is closed.
        """
        if isinstance(self._listener, socket.socket):
            return MessageStream(self._listener.accept()[0])
        return MessageStream(self._listener.accept())

    def close(self) -> None:
        self._listener.close()
        if isinstance(self._listener, socket.socket):
            with contextlib.suppress(OSError):
                Path(self._address).unlink()


def connect(address: str, patience: float = CONNECT_S) -> MessageStream:
    """Connect to a socket. Without a listener this fails at once.

    Args:
        patience: Seconds to retry while the socket's backlog is full.

    Raises ``ConnectionRefusedError`` or ``FileNotFoundError`` without a listener,
    ``BlockingIOError`` if the backlog was full all that time.
    """
    if sys.platform == "win32":
        return MessageStream(Client(address, family="AF_PIPE"))
    deadline = time.monotonic() + patience
    ours = socket.socket(socket.AF_UNIX)
    try:
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
    except BaseException:
        ours.close()
        raise
    return MessageStream(ours)


# A waiting call checks its token and signals after this many seconds.
POLL_S = 0.05
HELLO_S = 10.0


class EngineClient:
    """An ``EngineApi`` over a connection, one request at a time. Thread-safe.

    Every call may raise ``engine_gone``.
    """

    def __init__(self, connection: MessageStream, greeting: Greeting) -> None:
        self.greeting = greeting
        self._connection = connection
        self._numbers = itertools.count(1)
        self._speaking = threading.Lock()

    def call(
        self, request: Request[A], *, token: CancelToken | None = None, report: Report | None = None
    ) -> A:
        """Send a request and wait for its answer; see ``indexer.api.contract.EngineApi``.

        Also raises ``bad_request`` if the request is too large to be sent, and ``TypeError`` if it
        holds a value of an unsupported type.
        """
        number = next(self._numbers)
        message = pack(request.header(number))
        if len(message) > MAX_REQUEST_BYTES:
            raise WorldError("bad_request", reason="it is too large")
        with self._speaking:
            self._send(message)
            replies = self._replies(number, token)
            while True:
                reply = next(replies)
                match reply.get("type"):
                    case "progress":
                        (report or ignore_progress)(decode(Progress, reply.get("progress")))
                    case "reply":
                        return cast("A", decode(request.answer, reply.get("answer")))
                    case "cancelled":
                        raise Cancelled
                    case _:
                        raise decode_error(reply.get("error"))

    def wait_until_gone(self, timeout: float) -> bool:
        """Wait for the engine to close the connection; return whether it did."""
        try:
            return self._connection.is_readable(timeout) and not self._connection.recv_bytes()
        except (EOFError, OSError):
            return True

    def close(self) -> None:
        """Close the connection; the engine keeps running."""
        self._connection.close()

    def _send(self, message: bytes) -> None:
        # The next read notices an engine that has gone.
        with contextlib.suppress(OSError):
            self._connection.send_bytes(message)

    def _replies(self, number: int, token: CancelToken | None) -> Iterator[Header]:
        """Yield the messages about a request, and tell the engine if it is cancelled."""
        cancel_sent = False
        try:
            while True:
                if token is not None and token.cancelled and not cancel_sent:
                    self._send(pack({"type": "cancel", "id": number}))
                    cancel_sent = True
                if not self._connection.is_readable(POLL_S):
                    continue
                header, _binary = unpack(self._connection.recv_bytes(MAX_MESSAGE_BYTES))
                if header.get("id") == number:
                    yield header
        except (EOFError, OSError) as error:
            raise WorldError("engine_gone") from error

    @classmethod
    def attach(cls, library: Path) -> EngineClient | None:
        """Connect to the engine that serves a library; None if there is none.

        An engine that has another folder open does not count, even at the same address. Raises
        ``engine_version`` if the engine speaks another protocol, ``engine_gone`` if it does not
        answer in time, ``busy`` if it has too many clients.
        """
        endpoint = published(library)
        if endpoint is None:
            return None
        try:
            connection = connect(endpoint.address)
        except BlockingIOError as error:
            raise WorldError("engine_gone") from error
        except OSError:
            return None
        with contextlib.ExitStack() as unless_ours:
            unless_ours.callback(connection.close)
            try:
                greeting = _greet(connection, endpoint)
            except (EOFError, OSError):
                return None
            except WorldError as error:
                if error.code == "bad_request":  # the engine has another secret
                    return None
                raise
            if greeting.holding != endpoint.holding:
                return None
            unless_ours.pop_all()
        return cls(connection, greeting)


def _greet(connection: MessageStream, endpoint: Endpoint) -> Greeting:
    # An engine that refuses us may have closed the connection after sending the reason.
    with contextlib.suppress(OSError):
        connection.send_bytes(pack(hello(Hello("client", secret=endpoint.secret))))
    if not connection.is_readable(HELLO_S):
        raise WorldError("engine_gone")
    header, _binary = unpack(connection.recv_bytes(MAX_MESSAGE_BYTES))
    if header.get("type") == "error":
        raise decode_error(header.get("error"))
    return check_hello(header, Greeting)


def end_engine(library: Path, patience: float, *, only_staying: bool = False) -> bool:
    """End the engine that serves a library, and wait until it has; False if there is none.

    Args:
        patience: Seconds to wait.
        only_staying: End the engine only if it does nothing but wait for the next question.

    Raises ``busy`` if the engine does not end in time, and the errors of ``EngineClient``.
    """
    client = EngineClient.attach(library)
    if client is None:
        return False
    with contextlib.closing(client):
        if only_staying and not client.greeting.staying:
            return False
        client.call(Shutdown())
        if not client.wait_until_gone(patience):
            raise WorldError("busy", reason="finishing")
    return True
