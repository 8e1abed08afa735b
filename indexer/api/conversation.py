"""A conversation with the engine: numbered requests out, messages back to whoever waits for them.

Owns the connection, the thread that reads it and who is told what. Asking blocks, sending does
not; both may go on side by side. It must not know what the requests mean (``indexer.api.client``).
Standard library only.
"""

from __future__ import annotations

import itertools
import logging
import threading
from multiprocessing import Pipe
from multiprocessing.connection import wait
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from indexer.api.errors import Cancelled, LecternError, WorldError, from_wire
from indexer.api.progress import CancelToken, Progress, ignore
from indexer.api.protocol import MAX_MESSAGE_BYTES, MAX_REQUEST_BYTES, pack, unpack
from indexer.api.wire import from_wire as rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection

    from indexer.api.protocol import Header

    Listener = Callable[[Header], None]

log = logging.getLogger(__name__)

# How long a request waits before it looks at its token again, and lets signals through.
LOOK_S = 0.05


class Conversation:
    """An open connection to an engine. Thread-safe.

    Args:
        connection: After the hello of both sides.
        greeting: The engine's hello: ``pid``, ``library``, ``offline``, ``version``.
    """

    def __init__(self, connection: Connection, greeting: Header) -> None:
        self.greeting = greeting
        self._connection = connection
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()
        self._guard = threading.Lock()
        self._listeners: dict[int, Listener] = {}
        self._gone = False
        self._wake, self._waker = Pipe(duplex=False)
        self._reader = threading.Thread(target=self._read, name="engine replies", daemon=True)
        self._reader.start()

    def send(self, header: Mapping[str, Any], listener: Listener) -> int:
        """Send a request and return its number at once.

        Args:
            header: Its ``type`` and its fields, see ``indexer.server.requests``.
            listener: Called on the reading thread with each ``progress`` message and then with
                the last one: ``reply``, ``cancelled`` or ``error``. When the engine goes first
                that is the error ``engine_gone``; if it has gone already, before this returns.

        Raises:
            WorldError: ``bad_request``, if the request is too large to be sent.
        """
        number = next(self._numbers)
        message = pack({**header, "id": number})
        if len(message) > MAX_REQUEST_BYTES:
            raise WorldError("bad_request", reason="it is too large")
        with self._guard:
            gone = self._gone
            if not gone:
                self._listeners[number] = listener
        if gone:
            _tell(listener, _gone_message(number))
        else:
            self._put(message)
        return number

    def cancel(self, number: int) -> None:
        """Forget a request: its listener hears no more, and the engine ends it early."""
        with self._guard:
            known = self._listeners.pop(number, None)
        if known is not None:
            self._put(pack({"type": "cancel", "id": number}))

    def ask(
        self,
        header: Mapping[str, Any],
        token: CancelToken | None = None,
        report: Callable[[Progress], None] = ignore,
    ) -> Header:
        """Send a request and wait for its last message.

        Raises:
            LecternError: What the engine answers; ``engine_gone`` if it goes first.
            Cancelled: If the token was cancelled.
        """
        box: SimpleQueue[Header] = SimpleQueue()
        number = self.send(header, box.put)
        told = False
        while True:
            if token is not None and token.cancelled and not told:
                self._put(pack({"type": "cancel", "id": number}))
                told = True
            try:
                message = box.get(timeout=LOOK_S)
            except Empty:
                continue
            match message.get("type"):
                case "reply":
                    return message
                case "progress":
                    report(rebuild(Progress, message.get("progress", {})))
                case "cancelled":
                    raise Cancelled
                case _:
                    raise from_wire(message.get("error", {}))

    def wait_until_gone(self, timeout: float) -> bool:
        """Wait for the engine to hang up; return whether it did."""
        self._reader.join(timeout)
        return self._gone

    def close(self) -> None:
        """Leave; the engine stays."""
        self._waker.close()
        self._reader.join()
        self._connection.close()
        self._wake.close()

    def _put(self, message: bytes) -> None:
        try:
            with self._sending:
                self._connection.send_bytes(message)
        except OSError:
            # The reading thread meets the same end, and tells everyone.
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
            for number, listener in left.items():
                _tell(listener, _gone_message(number))

    def _dispatch(self, header: Header) -> None:
        number = header.get("id", -1)
        with self._guard:
            if header.get("type") == "progress":
                listener = self._listeners.get(number)
            else:
                listener = self._listeners.pop(number, None)
        if listener is not None:
            _tell(listener, header)


def _tell(listener: Listener, message: Header) -> None:
    try:
        listener(message)
    except Exception:
        # One listener's fault must not silence the others.
        log.exception("a listener failed")


def _gone_message(number: int) -> Header:
    return {"type": "error", "id": number, "error": WorldError("engine_gone").to_wire()}
