"""Connections to the engine. One thread accepts them, and each has a reading and a writing thread.

A session does no work itself. A slow client affects only itself: newer progress replaces unsent
progress, and a connection is closed if it has too many unsent bytes or its client reads nothing for
a while. It is also closed if the client sends no hello or stalls inside a message.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api import endpoint as places
from indexer.api.codec import MAX_REQUEST_BYTES, Hello, check_hello, hello, pack, unpack
from indexer.api.endpoint import Endpoint, MessageStream, StreamListener, connect
from indexer.api.errors import InternalError, LecternError, WorldError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from indexer.api.codec import Greeting, Header
    from indexer.api.private_files import LibraryLock
    from indexer.api.progress import Progress
    from indexer.server.work_queues import Job


log = logging.getLogger(__name__)

# The limit of a hello, and the seconds to wait for it.
MAX_HELLO_BYTES = 10_000
HELLO_S = 10.0
# The seconds for which a client may read nothing, or pause inside a message.
STALL_S = 30.0
# The limit of queued bytes without the message that is being sent. The largest answer to the window
# has a few megabytes.
MAX_UNSENT_BYTES = 16 * 1024 * 1024
_OVERHEAD_BYTES = 64  # memory of a message without its content


class Session:
    """A client, as seen by the engine.

    Args:
        connection: An open connection, from which nothing was read.
        wake: A connection that becomes readable when the engine closes.
        secret: The secret that the client's hello must contain.
    """

    def __init__(
        self, connection: MessageStream, number: int, wake: Connection, secret: str
    ) -> None:
        self.number = number
        self.jobs: dict[int, Job] = {}
        self._connection = connection
        self._wake = wake
        self._secret = secret
        self._changed = threading.Condition()
        self.greeted = False
        self._unsent: deque[bytes] = deque()
        self._unsent_bytes = 0
        self._progress: dict[int, Header] = {}
        self._ended = False

    def start(
        self,
        greeting: Greeting,
        handle: Callable[[Session, Header], None],
        ended: Callable[[Session], None],
    ) -> None:
        """Start the session's reading and writing threads.

        Raises ``RuntimeError`` if the system refuses another thread.
        """
        self._connection.limit_waits(STALL_S)
        writer = threading.Thread(target=self._write, name="session write", daemon=True)

        def read() -> None:
            try:
                self._read(greeting, handle)
            finally:
                self._end()
                ended(self)
                writer.join()
                with self._changed:
                    self._connection.close()

        writer.start()
        try:
            threading.Thread(target=read, name="session read", daemon=True).start()
        except RuntimeError:
            self._end()
            raise

    def refuse(self, error: LecternError) -> None:
        """Send an error to a client that cannot be served, and close the connection."""
        with contextlib.closing(self._connection), contextlib.suppress(OSError):
            self._connection.send_bytes(_packed({"type": "error", "error": error.failure()}))

    def cut(self, error: LecternError) -> None:
        """Close the connection of a client, after trying to send it an error."""
        with self._changed:
            self._cut(error)

    def reply(self, number: int | None, kind: str, **body: Any) -> None:
        """Queue the final message of a request, after its last progress."""
        message = _packed({"type": kind, "id": number, **body})
        with self._changed:
            if number is not None:
                self.jobs.pop(number, None)
                if (last := self._progress.pop(number, None)) is not None:
                    self._queue(_packed(last))
            self._queue(message)

    def fail(self, number: int | None, error: LecternError) -> None:
        self.reply(number, "error", error=error.failure())

    def progress(self, number: int, progress: Progress) -> None:
        """Queue a report. Only the newest unsent report of each request is kept."""
        with self._changed:
            if number in self.jobs:
                self._progress[number] = {"type": "progress", "id": number, "progress": progress}
                self._changed.notify_all()

    def _read(self, greeting: Greeting, handle: Callable[[Session, Header], None]) -> None:
        try:
            self._greet(greeting)
            while (header := self._next(MAX_REQUEST_BYTES)) is not None:
                handle(self, header)
        except LecternError as error:
            self.fail(None, error)
        except (EOFError, OSError):
            log.debug("client %d hung up", self.number)
        except Exception:
            log.exception("client %d could not be served", self.number)

    def _greet(self, greeting: Greeting) -> None:
        header = self._next(MAX_HELLO_BYTES, HELLO_S)
        if header is None:
            raise EOFError
        secret = check_hello(header, Hello).secret.encode("utf-8", "replace")
        if not hmac.compare_digest(secret, self._secret.encode()):
            raise WorldError("bad_request", reason="the client cannot read the library")
        self.greeted = True
        answer = hello(greeting)
        self.reply(None, answer.pop("type"), **answer)

    def _next(self, most: int, patience: float | None = None) -> Header | None:
        """Wait for a message of at most ``most`` bytes; None when the engine closes."""
        if not self._connection.is_readable(patience, unless=self._wake):
            if self._wake.poll():
                return None
            raise WorldError("bad_request", reason="the client did not say hello")
        if self._ended:
            return None
        try:
            header, _binary = unpack(self._connection.recv_bytes(most))
        except BlockingIOError as error:
            raise WorldError("bad_request", reason="the message is cut off") from error
        return header

    def _queue(self, message: bytes) -> None:
        """Queue an encoded message. Called with the lock held."""
        if self._ended:
            return
        if self._unsent_bytes > MAX_UNSENT_BYTES:
            log.warning("client %d does not read what it is sent", self.number)
            self._cut(WorldError("busy", reason="many_waiting"))
            return
        self._unsent.append(message)
        self._unsent_bytes += len(message) + _OVERHEAD_BYTES
        self._changed.notify_all()

    def _cut(self, error: LecternError) -> None:
        """Drop the queue and end the reading thread. Called with the lock held."""
        if self._ended:
            return
        self._unsent.clear()
        self._progress.clear()
        self._unsent.append(_packed({"type": "error", "id": None, "error": error.failure()}))
        self._ended = True
        self._changed.notify_all()
        self._connection.stop_reading()

    def _write(self) -> None:
        while (message := self._outgoing()) is not None:
            try:
                self._connection.send_bytes(message)
            except OSError:
                log.debug("client %d does not listen", self.number, exc_info=True)
                with self._changed:
                    self._cut(WorldError("engine_gone"))
                    self._unsent.clear()
                return
            with self._changed:
                self._unsent_bytes -= len(message) + _OVERHEAD_BYTES

    def _outgoing(self) -> bytes | None:
        """Wait for a message to send; None once the session has ended and all messages are sent."""
        with self._changed:
            self._changed.wait_for(lambda: self._unsent or self._progress or self._ended)
            if self._unsent:
                return self._unsent.popleft()
            if self._ended:
                return None
            message = _packed(self._progress.pop(next(iter(self._progress))))
            self._unsent_bytes += len(message) + _OVERHEAD_BYTES
            return message

    def _end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def _packed(header: Header) -> bytes:
    """Encode a message; replace one that is too large by an error, so that there is a reply."""
    try:
        return pack(header)
    except (LecternError, TypeError) as error:
        log.exception("an answer of type %s cannot cross", header.get("type"))
        failure = InternalError("internal", reason=type(error).__name__)
        return pack({"type": "error", "id": header.get("id"), "error": failure.failure()})


BACKLOG = 128
RETRY_S = 0.05


class Acceptor:
    """Accepts clients from ``open`` to ``close``.

    ``stopping`` says whether no more clients are accepted.
    """

    def __init__(self, library: Path, lock: LibraryLock, stopping: Callable[[], bool]) -> None:
        self._library = library
        self._lock = lock
        self._stopping = stopping
        self._listener: StreamListener | None = None
        self._address = ""

    def open(self, welcome: Callable[[MessageStream, Endpoint], None]) -> None:
        """Start listening.

        Raises ``library_unwritable`` if there is no private folder for the socket, ``busy`` if it
        cannot be created there.
        """
        may_write = self._lock.refusal is None
        places.clear(self._library, self._lock.holding, inside=may_write)
        endpoint = places.new_endpoint(self._lock.holding)
        try:
            listener = StreamListener(endpoint.address, BACKLOG)
            self._listener, self._address = listener, endpoint.address
            threading.Thread(
                target=self._accept, args=(listener, endpoint, welcome), name="accept", daemon=True
            ).start()
            places.publish(self._library, endpoint, inside=may_write)
        except OSError as error:
            raise WorldError("busy", reason="no_socket", said=error.strerror) from error

    def close(self) -> None:
        """Stop accepting clients; ``stopping`` must already return True."""
        if self._listener is None:
            return
        # Closing a socket does not wake a thread that is accepting, but a connection does.
        with contextlib.suppress(OSError):
            connect(self._address).close()
        with contextlib.suppress(OSError):
            self._listener.close()
        if self._lock.is_intact():
            inside = self._lock.refusal is None
            places.clear(self._library, self._lock.holding, inside=inside)

    def _accept(
        self,
        listener: StreamListener,
        endpoint: Endpoint,
        welcome: Callable[[MessageStream, Endpoint], None],
    ) -> None:
        while not self._stopping():
            try:
                connection = listener.accept()
            except OSError:
                # The client disconnected, the listener was closed (which ends the loop), or too
                # many files are open (which is tried again after a delay).
                log.debug("a client could not be accepted", exc_info=True)
                time.sleep(RETRY_S)
                continue
            if self._stopping():
                connection.close()
            else:
                welcome(connection, endpoint)
