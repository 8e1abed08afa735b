"""The client of an engine in another process.

Owns attaching to a running engine, and the choice between that and one opened in this process. It
must not know how an engine is opened (the caller passes a function) nor how requests are handled.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import TYPE_CHECKING, TypeVar

from indexer.api.codec import decode_error
from indexer.api.conversation import Conversation
from indexer.api.endpoint import Endpoint, connect, published
from indexer.api.errors import WorldError
from indexer.api.protocol import (
    MAX_MESSAGE_BYTES,
    Greeting,
    Hello,
    check_hello,
    hello,
    pack,
    program_version,
    unpack,
)
from indexer.api.requests import Shutdown

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from pathlib import Path

    from indexer.api.contract import EngineApi

T = TypeVar("T")

HELLO_S = 10.0
# Seconds to wait for an engine that holds the lock but does not answer: it is starting or ending.
PATIENCE_S = 15.0
RETRY_S = 0.1
ATTEMPTS = 3


class EngineClient(Conversation):
    """An ``EngineApi`` over a connection. Thread-safe; every call may raise ``engine_gone``."""

    def __init__(self, connection: Connection, greeting: Greeting) -> None:
        super().__init__(connection)
        self.greeting = greeting

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


def attach_or_end(library: Path) -> EngineClient | None:
    """Attach to a library's engine if it is of this version; end one of another.

    A command's engine of another version is used if it speaks this protocol.

    Returns:
        None if no engine is running now.

    Raises:
        WorldError: As ``EngineClient.attach``; ``busy``, if the engine cannot be ended yet.
    """
    try:
        client = EngineClient.attach(library)
    except WorldError as error:
        if error.code != "engine_version":
            raise
        _end_other(library, error.detail.get("known"))
        return None
    if client is None or client.greeting.version == program_version():
        return client
    try:
        client.call(Shutdown())
    except WorldError as error:
        if error.code == "busy":
            return client
    with contextlib.closing(client):
        client.wait_until_gone(PATIENCE_S)
    return None


def _end_other(library: Path, protocol: object) -> None:
    """End an engine of another protocol version; hello and shutdown are the same in all."""
    endpoint = published(library)
    if endpoint is None:
        return
    with contextlib.suppress(OSError, EOFError), connect(endpoint.address) as connection:
        greeting = {**hello(Hello("client", secret=endpoint.secret)), "protocol": protocol}
        connection.send_bytes(pack(greeting))
        connection.send_bytes(pack(Shutdown().header(1)))
        while connection.poll(PATIENCE_S):
            header, _binary = unpack(connection.recv_bytes(MAX_MESSAGE_BYTES))
            if header.get("type") == "error":
                raise decode_error(header.get("error"))


def _greet(connection: Connection, endpoint: Endpoint) -> Greeting:
    # An engine that refuses us may have closed the connection after sending the reason.
    with contextlib.suppress(OSError):
        connection.send_bytes(pack(hello(Hello("client", secret=endpoint.secret))))
    if not connection.poll(HELLO_S):
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
