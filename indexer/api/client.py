"""The client of an engine in another process, for commands (the window: ``ui.engine_client``)."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from typing import TYPE_CHECKING, TypeVar, cast

from indexer.api.codec import (
    MAX_MESSAGE_BYTES,
    MAX_REQUEST_BYTES,
    Greeting,
    Hello,
    check_hello,
    decode,
    decode_error,
    hello,
    pack,
    unpack,
)
from indexer.api.endpoint import Endpoint, connect, published
from indexer.api.errors import Cancelled, WorldError
from indexer.api.progress import Progress, ignore_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from indexer.api.codec import Header
    from indexer.api.contract import EngineApi, Request
    from indexer.api.endpoint import MessageStream
    from indexer.api.progress import CancelToken

A = TypeVar("A")
T = TypeVar("T")

# Seconds between checks of a waiting call for its token and for signals.
POLL_S = 0.05
HELLO_S = 10.0
# Seconds to wait for an engine that holds the lock but does not answer: it is starting or ending.
PATIENCE_S = 15.0
RETRY_S = 0.1
ATTEMPTS = 3


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
        self,
        request: Request[A],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> A:
        """Send a request and wait for its answer; see ``indexer.api.contract.EngineApi``.

        Raises:
            WorldError: ``bad_request`` too, if the request is too large to be sent.
            TypeError: If it holds a value of an unsupported type.
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
        # An engine that has gone is noticed by the next read.
        with contextlib.suppress(OSError):
            self._connection.send_bytes(message)

    def _replies(self, number: int, token: CancelToken | None) -> Iterator[Header]:
        """Yield the messages on a request, and pass a cancel on."""
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

        An engine that has another folder open does not count, even at the same address.

        Raises:
            WorldError: ``engine_version``, if it speaks another protocol; ``engine_gone``, if it
                does not answer in time; ``busy``, if it serves too many others.
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
                if error.code == "bad_request":  # it has another secret
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


def reach(
    library: Path,
    open_here: Callable[[], EngineApi],
    *,
    patience: float = PATIENCE_S,
    offline: bool = False,
) -> EngineApi:
    """Attach to the engine that serves a library, or open one in this process.

    Args:
        library: The folder of the library.
        open_here: Opens an engine under the library lock.
        patience: Seconds to wait for the holder of the lock to answer or to release it.
        offline: Refuse an engine that may use the network.

    Raises:
        LecternError: What ``open_here`` raises; ``library_locked`` once patience has run out;
            ``busy``, if the running engine is not offline and ought to be.
    """
    deadline = time.monotonic() + patience
    while True:
        client = EngineClient.attach(library)
        if client is not None:
            if offline and not client.greeting.offline:
                client.close()
                raise WorldError("busy", reason="not_offline")
            return client
        try:
            return open_here()
        except WorldError as error:
            if error.code != "library_locked" or time.monotonic() >= deadline:
                raise
        time.sleep(RETRY_S)


def with_engine(
    library: Path,
    open_here: Callable[[], EngineApi],
    action: Callable[[EngineApi], T],
    *,
    offline: bool = False,
) -> T:
    """Call a function with a library's engine, in this process or another.

    An engine that another command opened may end meanwhile; every request is idempotent, so the
    function is then called again with the next engine.
    """
    for attempt in itertools.count(1):
        engine = reach(library, open_here, offline=offline)
        with contextlib.closing(engine):
            try:
                return action(engine)
            except WorldError as error:
                if error.code != "engine_gone" or attempt >= ATTEMPTS:
                    raise
    raise AssertionError  # the loop only ends by returning or raising
