"""The engine of another process, behind the interface of our own.

Owns the client's side of the socket and the choice between a running engine and one opened here.
It must not know how an engine is made (the caller brings that) nor how requests are answered.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
from multiprocessing import Pipe
from multiprocessing.connection import Client, wait
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.endpoint import FAMILY, Endpoint, published
from indexer.errors import Cancelled, LecternError, WorldError, from_wire
from indexer.progress import CancelToken, Progress, ignore
from indexer.protocol import MAX_MESSAGE_BYTES, check_hello, hello, pack, unpack
from indexer.types import FileRow, SearchResult, Summary
from indexer.wire import from_wire as rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from indexer.api import EngineApi
    from indexer.protocol import Header

T = TypeVar("T")

log = logging.getLogger(__name__)

HELLO_S = 10.0
# How long a request waits before it looks at its token again.
LOOK_S = 0.05
# How long to wait for an engine that holds the lock but does not answer yet: it is starting, or
# about to leave.
PATIENCE_S = 15.0
RETRY_S = 0.1
ATTEMPTS = 3


class EngineClient:
    """An ``EngineApi`` over a connection. Thread-safe; every method may raise ``engine_gone``."""

    def __init__(self, connection: Connection, greeting: Header) -> None:
        self.greeting = greeting
        self._connection = connection
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()
        self._boxes: dict[int, SimpleQueue[Header]] = {}
        self._gone = False
        self._wake, self._waker = Pipe(duplex=False)
        self._reader = threading.Thread(target=self._read, name="engine replies", daemon=True)
        self._reader.start()

    @classmethod
    def attach(cls, library: Path) -> EngineClient | None:
        """Connect to the engine that serves a library; None where there is none.

        Raises:
            WorldError: ``engine_version``, if it speaks another protocol; ``engine_gone``, if it
                does not answer in time.
        """
        endpoint = published(library)
        if endpoint is None:
            return None
        try:
            connection = Client(endpoint.address, family=FAMILY)
        except OSError:
            return None
        try:
            greeting = _greet(connection, endpoint)
        except (EOFError, OSError):
            connection.close()
            return None
        except LecternError:
            connection.close()
            raise
        return cls(connection, greeting)

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
        kept: bool = False,
    ) -> Summary:
        """See ``EngineApi``; ``kept`` lets the run go on when this client leaves."""
        header = {"type": "index", "paths": _texts(paths), "rescan": rescan, "kept": kept}
        return rebuild(Summary, self._ask(header, token, report)["summary"])

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        token: CancelToken | None = None,
        explain: bool = False,
        full_text: bool,
    ) -> SearchResult:
        header = {
            "type": "search",
            "text": text,
            "limit": limit,
            "explain": explain,
            "full_text": full_text,
        }
        return rebuild(SearchResult, self._ask(header, token)["result"])

    def status(self) -> dict[str, Any]:
        return dict(self._ask({"type": "status"})["status"])

    def files(self, state: str | None, root: str | None, offset: int, limit: int) -> list[FileRow]:
        header = {"type": "files", "offset": offset, "limit": limit}
        header |= {"state": state or "", "root": root or ""}
        return [rebuild(FileRow, row) for row in self._ask(header)["files"]]

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        return dict(self._ask({"type": "remove", "paths": _texts(paths)})["removed"])

    def doctor(self) -> list[dict[str, Any]]:
        return list(self._ask({"type": "doctor"})["checks"])

    def shut_down(self) -> None:
        """Ask the engine's process to end, cleanly."""
        self._ask({"type": "shutdown"})

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

    def _ask(
        self,
        header: Header,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] = ignore,
    ) -> Header:
        """Send a request and wait for its last message."""
        number = next(self._numbers)
        box: SimpleQueue[Header] = SimpleQueue()
        self._boxes[number] = box
        try:
            self._send({**header, "id": number})
            return self._outcome(number, box, token, report)
        finally:
            del self._boxes[number]

    def _outcome(
        self,
        number: int,
        box: SimpleQueue[Header],
        token: CancelToken | None,
        report: Callable[[Progress], None],
    ) -> Header:
        told = False
        while True:
            if token is not None and token.cancelled and not told:
                self._send({"type": "cancel", "id": number})
                told = True
            gone = self._gone  # before looking: the last reply may stand in the box
            try:
                header = box.get(timeout=LOOK_S)
            except Empty:
                if gone:
                    raise WorldError("engine_gone") from None
                continue
            match header.get("type"):
                case "reply":
                    return header
                case "progress":
                    report(rebuild(Progress, header.get("progress", {})))
                case "cancelled":
                    raise Cancelled
                case _:
                    raise from_wire(header.get("error", {}))

    def _send(self, header: Header) -> None:
        message = pack(header)
        try:
            with self._sending:
                self._connection.send_bytes(message)
        except OSError as error:
            raise WorldError("engine_gone") from error

    def _read(self) -> None:
        try:
            while self._connection in wait([self._connection, self._wake]):
                header, _binary = unpack(self._connection.recv_bytes(MAX_MESSAGE_BYTES))
                box = self._boxes.get(header.get("id", -1))
                if box is not None:
                    box.put(header)
        except (EOFError, OSError):
            log.debug("the engine hung up")
        except LecternError:
            log.exception("the engine cannot be understood")
        finally:
            self._gone = True


def _greet(connection: Connection, endpoint: Endpoint) -> Header:
    connection.send_bytes(pack(hello("client", secret=endpoint.secret)))
    if not connection.poll(HELLO_S):
        raise WorldError("engine_gone")
    header, _binary = unpack(connection.recv_bytes(MAX_MESSAGE_BYTES))
    if header.get("type") == "error":
        raise from_wire(header.get("error", {}))
    check_hello(header)
    return header


def _texts(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths]


def reach(
    library: Path,
    open_here: Callable[[], EngineApi],
    *,
    patience: float = PATIENCE_S,
    offline: bool = False,
) -> EngineApi:
    """Attach to the engine that serves a library, else open one in this process.

    Args:
        library: The folder of the library.
        open_here: Opens an engine under the library lock.
        patience: Seconds to wait for whoever holds the lock to answer or to let go.
        offline: Refuse an engine that may use the network.

    Raises:
        LecternError: What ``open_here`` raises; ``library_locked`` once patience has run out;
            ``busy``, if the running engine is not offline and ought to be.
    """
    deadline = time.monotonic() + patience
    while True:
        client = EngineClient.attach(library)
        if client is not None:
            if offline and not client.greeting.get("offline"):
                client.close()
                raise WorldError("busy", reason="it was started without --offline")
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
    patience: float = PATIENCE_S,
    offline: bool = False,
) -> T:
    """Do something with a library's engine, wherever it runs.

    An engine that another command opened may leave in the middle; every request is idempotent, so
    the action is then done again with the next one.
    """
    for attempt in itertools.count(1):
        engine = reach(library, open_here, patience=patience, offline=offline)
        with contextlib.closing(engine):
            try:
                return action(engine)
            except WorldError as error:
                if error.code != "engine_gone" or attempt >= ATTEMPTS:
                    raise
    raise AssertionError  # the loop only ends by returning or raising
