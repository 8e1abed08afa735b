"""A conversation with the engine: sends numbered requests, dispatches the replies to callbacks.

Owns the connection, and the thread that reads it. ``call`` blocks, ``send`` does not; both may be
used concurrently. It must not know what the requests mean, nor how an engine is found
(``indexer.api.client``).
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import wait
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

from indexer.api.codec import decode, decode_error
from indexer.api.errors import Cancelled, LecternError, WorldError
from indexer.api.progress import Progress, ignore
from indexer.api.protocol import MAX_MESSAGE_BYTES, MAX_REQUEST_BYTES, pack, unpack

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from indexer.api.contract import Request
    from indexer.api.progress import CancelToken
    from indexer.api.protocol import Header

A = TypeVar("A")
Failed = Callable[[LecternError | Cancelled], None]

log = logging.getLogger(__name__)

# Seconds between checks of a waiting call for its token and for signals.
POLL_S = 0.05
_GONE = {"type": "error", "error": {"code": "engine_gone"}}


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
    """An open connection to an engine, after the hello of both sides. Thread-safe."""

    def __init__(self, connection: Connection) -> None:
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
        report: Callable[[Progress], None] = ignore,
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
                    (report or ignore)(value)
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
            while self._connection in wait([self._connection, self._wake]):
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


def _cancel(number: int) -> bytes:
    return pack({"type": "cancel", "id": number})
