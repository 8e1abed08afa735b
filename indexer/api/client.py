"""The client of an engine in another process, for commands (the window: ``ui.engine_client``)."""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

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
from indexer.api.errors import Cancelled, LecternError, WorldError
from indexer.api.progress import Progress, ignore_progress

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.codec import Header
    from indexer.api.contract import EngineApi, Request
    from indexer.api.endpoint import MessageStream
    from indexer.api.progress import CancelToken

A = TypeVar("A")
T = TypeVar("T")
Failed = Callable[[LecternError | Cancelled], None]

log = logging.getLogger(__name__)

# Seconds between checks of a waiting call for its token and for signals.
POLL_S = 0.05
_GONE = {"type": "error", "error": {"code": "engine_gone"}}
HELLO_S = 10.0
# Seconds to wait for an engine that holds the lock but does not answer: it is starting or ending.
PATIENCE_S = 15.0
RETRY_S = 0.1
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Listener:
    """The callbacks for the replies to a request."""

    request: Request[Any]
    done: Callable[[Any], None]
    failed: Failed
    report: Callable[[Progress], None]

    def hear(self, message: Header) -> None:
        """Dispatch a message; one that cannot be decoded is passed to ``failed``."""
        try:
            match message.get("type"):
                case "progress":
                    self.report(decode(Progress, message.get("progress")))
                case "reply":
                    self.done(decode(self.request.answer, message.get("answer")))
                case "cancelled":
                    self.failed(Cancelled())
                case _:
                    self.failed(decode_error(message.get("error")))
        except LecternError as error:
            self.failed(error)
        except Exception:
            # A fault in one callback must not end the reading thread.
            log.exception("a listener failed")


class Conversation:
    """An open connection to an engine: numbered requests, replies by callback. Thread-safe.

    ``call`` blocks, ``send`` does not.
    """

    def __init__(self, connection: MessageStream) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()
        self._guard = threading.Lock()
        self._listeners: dict[int, _Listener] = {}
        self._gone = False
        self._wake, self._waker = Pipe(duplex=False)
        self._reader = threading.Thread(target=self._read, name="engine replies", daemon=True)
        self._reader.start()

    def send(
        self,
        request: Request[A],
        done: Callable[[A], None],
        failed: Failed,
        report: Callable[[Progress], None] = ignore_progress,
    ) -> int:
        """Send a request and return its number at once.

        Args:
            request: The request.
            done: Called with the answer, on the reading thread.
            failed: Called with an error or ``Cancelled`` instead. If the engine ends first that is
                ``engine_gone``; if it has ended already, before this returns.
            report: Called with progress.

        Raises:
            WorldError: ``bad_request``, if the request is too large to be sent.
            TypeError: If it holds a value of an unsupported type.
        """
        number = next(self._numbers)
        message = pack(request.header(number))
        if len(message) > MAX_REQUEST_BYTES:
            raise WorldError("bad_request", reason="it is too large")
        with self._guard:
            gone = self._gone
            if not gone:
                self._listeners[number] = _Listener(request, done, failed, report)
        if gone:
            failed(WorldError("engine_gone"))
        else:
            self._put(message)
        return number

    def cancel(self, number: int) -> None:
        """Cancel a request: no callback is called any more, and the engine ends it early."""
        with self._guard:
            known = self._listeners.pop(number, None)
        if known is not None:
            self._put(_cancel(number))

    def call(
        self,
        request: Request[A],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> A:
        """Send a request and wait for its answer; see ``indexer.api.contract.EngineApi``."""
        box: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        number = self.send(
            request,
            lambda answer: box.put(("answer", answer)),
            lambda failure: box.put(("failure", failure)),
            lambda progress: box.put(("progress", progress)),
        )
        cancel_sent = False
        while True:
            if token is not None and token.cancelled and not cancel_sent:
                self._put(_cancel(number))
                cancel_sent = True
            try:
                kind, value = box.get(timeout=POLL_S)
            except Empty:
                continue
            match kind:
                case "progress":
                    (report or ignore_progress)(value)
                case "failure":
                    raise value
                case _:
                    return cast("A", value)

    def wait_until_gone(self, timeout: float) -> bool:
        """Wait for the engine to close the connection; return whether it did."""
        self._reader.join(timeout)
        return self._gone

    def close(self) -> None:
        """Close the connection; the engine keeps running."""
        self._waker.close()
        self._reader.join()
        self._connection.close()
        self._wake.close()

    def _put(self, message: bytes) -> None:
        try:
            with self._sending:
                self._connection.send_bytes(message)
        except OSError:
            # The reading thread gets the same error, and notifies every listener.
            log.debug("the engine does not listen", exc_info=True)

    def _read(self) -> None:
        try:
            while self._connection.is_readable(unless=self._wake):
                header, _binary = unpack(self._connection.recv_bytes(MAX_MESSAGE_BYTES))
                self._dispatch(header)
        except (EOFError, OSError):
            log.debug("the engine hung up")
        except LecternError:
            log.exception("the engine cannot be understood")
        finally:
            with self._guard:
                self._gone = True
                left, self._listeners = self._listeners, {}
            for listener in left.values():
                listener.hear(_GONE)

    def _dispatch(self, header: Header) -> None:
        number = header.get("id", -1)
        with self._guard:
            if header.get("type") == "progress":
                listener = self._listeners.get(number)
            else:
                listener = self._listeners.pop(number, None)
        if listener is not None:
            listener.hear(header)


class EngineClient(Conversation):
    """An ``EngineApi`` over a connection. Thread-safe; every call may raise ``engine_gone``."""

    def __init__(self, connection: MessageStream, greeting: Greeting) -> None:
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


def _cancel(number: int) -> bytes:
    return pack({"type": "cancel", "id": number})
