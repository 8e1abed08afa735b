"""One connection to the engine: a thread that reads, a thread that writes, no work.

Owns the hello, the order of what is sent and the end of the connection. It must not know what the
requests mean; it hands them on. A client that does not read what it is sent costs itself only:
progress it is too slow for is replaced by newer progress.
"""

from __future__ import annotations

import hmac
import logging
import threading
from collections import deque
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from indexer.errors import InternalError, LecternError, WorldError
from indexer.protocol import MAX_MESSAGE_BYTES, check_hello, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from indexer.lanes import Job
    from indexer.protocol import Header

log = logging.getLogger(__name__)


class Session:
    """A client, seen from the engine.

    Args:
        connection: An open connection that nobody has read from yet.
        number: Tells this client from others.
        wake: Becomes readable when the engine closes.
        secret: What the client's hello must carry.
    """

    def __init__(self, connection: Connection, number: int, wake: Connection, secret: str) -> None:
        self.number = number
        self.jobs: dict[int, Job] = {}
        self._connection = connection
        self._wake = wake
        self._secret = secret
        self._changed = threading.Condition()
        self._unsent: deque[Header] = deque()
        self._progress: dict[int, Header] = {}
        self._ended = False

    def start(
        self,
        greeting: Header,
        handle: Callable[[Session, Header], None],
        ended: Callable[[Session], None],
    ) -> None:
        """Read and write from now on, on threads of the session's own."""

        def read() -> None:
            writer = threading.Thread(target=self._write, name="session write", daemon=True)
            writer.start()
            try:
                self._read(greeting, handle)
            finally:
                self._end()
                ended(self)
                writer.join()
                self._connection.close()

        threading.Thread(target=read, name="session read", daemon=True).start()

    def reply(self, number: int | None, kind: str, **body: Any) -> None:
        """Queue the last message about a request, behind its last progress."""
        with self._changed:
            if number is not None:
                self.jobs.pop(number, None)
                if (last := self._progress.pop(number, None)) is not None:
                    self._unsent.append(last)
            self._unsent.append({"type": kind, "id": number, **body})
            self._changed.notify_all()

    def fail(self, number: int | None, error: LecternError) -> None:
        self.reply(number, "error", error=error.to_wire())

    def progress(self, number: int, body: dict[str, Any]) -> None:
        """Queue a report; only the newest unsent one of each request is kept."""
        with self._changed:
            if number in self.jobs:
                self._progress[number] = {"type": "progress", "id": number, "progress": body}
                self._changed.notify_all()

    def _read(self, greeting: Header, handle: Callable[[Session, Header], None]) -> None:
        try:
            self._greet(greeting)
            while (header := self._next()) is not None:
                handle(self, header)
        except LecternError as error:
            self.fail(None, error)
        except (EOFError, OSError):
            log.debug("client %d hung up", self.number)
        except Exception:
            log.exception("client %d could not be served", self.number)

    def _greet(self, greeting: Header) -> None:
        header = self._next()
        if header is None:
            raise EOFError
        check_hello(header)
        secret = header.get("secret")
        if not isinstance(secret, str) or not hmac.compare_digest(
            secret.encode("utf-8", "replace"), self._secret.encode()
        ):
            raise WorldError("bad_request", reason="the client cannot read the library")
        self.reply(None, "hello", **{k: v for k, v in greeting.items() if k != "type"})

    def _next(self) -> Header | None:
        """Wait for a message; None when the engine closes."""
        ready = wait([self._connection, self._wake])
        if self._connection not in ready:
            return None
        header, _binary = unpack(self._connection.recv_bytes(MAX_MESSAGE_BYTES))
        return header

    def _write(self) -> None:
        while (batch := self._outgoing()) is not None:
            try:
                for header in batch:
                    self._connection.send_bytes(_packed(header))
            except OSError:
                log.debug("client %d does not listen", self.number, exc_info=True)
                self._end()
                return

    def _outgoing(self) -> list[Header] | None:
        """Wait for messages to send; None once the session has ended and all are sent."""
        with self._changed:
            self._changed.wait_for(lambda: self._unsent or self._progress or self._ended)
            if self._ended and not self._unsent:
                return None
            batch = [*self._unsent, *self._progress.values()]
            self._unsent.clear()
            self._progress.clear()
            return batch

    def _end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def _packed(header: Header) -> bytes:
    """Pack a message; one that cannot cross becomes an error, so that its client is not left."""
    try:
        return pack(header)
    except (LecternError, ValueError, TypeError) as error:
        log.exception("an answer of type %s cannot cross", header.get("type"))
        failure = InternalError("internal", reason=type(error).__name__)
        return pack({"type": "error", "id": header.get("id"), "error": failure.to_wire()})
