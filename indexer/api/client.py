"""The engine of another process, behind the interface of our own.

Owns the client's side of the requests and the choice between a running engine and one opened here.
It must not know how an engine is made (the caller brings that) nor how requests are answered.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.api.conversation import Conversation
from indexer.api.endpoint import Endpoint, connect, published
from indexer.api.errors import WorldError, from_wire
from indexer.api.protocol import MAX_MESSAGE_BYTES, check_hello, hello, pack, unpack
from indexer.api.types import FileRow, SearchResult, Summary
from indexer.api.wire import from_wire as rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from indexer.api.contract import EngineApi
    from indexer.api.progress import CancelToken, Progress
    from indexer.api.protocol import Header

T = TypeVar("T")

HELLO_S = 10.0
# How long to wait for an engine that holds the lock but does not answer yet: it is starting, or
# about to leave.
PATIENCE_S = 15.0
RETRY_S = 0.1
ATTEMPTS = 3


class EngineClient(Conversation):
    """An ``EngineApi`` over a connection. Thread-safe; every method may raise ``engine_gone``."""

    @classmethod
    def attach(cls, library: Path) -> EngineClient | None:
        """Connect to the engine that serves a library; None where there is none.

        An engine that has another folder open is none, however it came to stand at the address.

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
        greeting: Header = {}
        with contextlib.ExitStack() as unless_ours:
            unless_ours.callback(connection.close)
            try:
                greeting = _greet(connection, endpoint)
            except (EOFError, OSError):
                return None
            except WorldError as error:
                if error.code == "bad_request":  # it does not know our secret
                    return None
                raise
            if greeting.get("holding") != list(endpoint.holding):
                return None
            unless_ours.pop_all()
        return cls(connection, greeting)

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
        scan: bool = True,
        patterns: Sequence[str] | None = None,
        kept: bool = False,
    ) -> Summary:
        """See ``EngineApi``; ``kept`` lets the run go on when this client leaves."""
        header: Header = {"type": "index", "paths": _texts(paths), "rescan": rescan, "scan": scan}
        header |= {"patterns": _list(patterns), "kept": kept}
        return rebuild(Summary, self.ask(header, token, report)["summary"])

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
        return rebuild(SearchResult, self.ask(header, token)["result"])

    def explain(self, text: str, path: Path, start: int) -> dict[str, Any]:
        header = {"type": "explain", "text": text, "path": str(path), "start": start}
        return dict(self.ask(header)["explanation"])

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        header = {"type": "compare", "first": first, "second": second, "limit": limit}
        return dict(self.ask(header, token)["comparison"])

    def status(self) -> dict[str, Any]:
        return dict(self.ask({"type": "status"})["status"])

    def files(
        self,
        state: str | None,
        root: str | None,
        offset: int,
        limit: int,
        *,
        order: str = "path",
        text: str = "",
    ) -> list[FileRow]:
        header = {"type": "files", "offset": offset, "limit": limit, "order": order, "text": text}
        header |= {"state": state or "", "root": root or ""}
        return [rebuild(FileRow, row) for row in self.ask(header)["files"]]

    def total(self, state: str | None, root: str | None, *, text: str = "") -> int:
        header = {"type": "files", "limit": 1, "text": text}
        header |= {"state": state or "", "root": root or ""}
        return int(self.ask(header)["total"])

    def estimate(
        self,
        paths: Sequence[Path],
        *,
        token: CancelToken,
        patterns: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        header = {"type": "estimate", "paths": _texts(paths), "patterns": _list(patterns)}
        return dict(self.ask(header, token)["estimate"])

    def retry(self, paths: Sequence[Path]) -> int:
        return int(self.ask({"type": "retry", "paths": _texts(paths)})["queued"])

    def unlock(self, path: Path, password: str) -> int:
        header = {"type": "unlock", "path": str(path), "password": password}
        return int(self.ask(header)["queued"])

    def patterns(self, root: Path, patterns: Sequence[str] | None) -> list[str]:
        header = {"type": "patterns", "root": str(root), "patterns": _list(patterns)}
        return list(self.ask(header)["patterns"])

    def watch(self, *, on: bool | None) -> dict[str, Any]:
        return dict(self.ask({"type": "watch", "on": on})["watch"])

    def activity(self) -> dict[str, Any]:
        return dict(self.ask({"type": "activity"})["activity"])

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        header = {"type": "pace", "speed": speed, "paused": paused, "typing": typing}
        return dict(self.ask(header)["activity"])

    def document(self, path: Path) -> dict[str, Any]:
        return dict(self.ask({"type": "document", "path": str(path)})["document"])

    def passage_spans(self, path: Path, start: int, end: int) -> list[tuple[int, int]]:
        header = {"type": "passage_spans", "path": str(path), "start": start, "end": end}
        return [(first, last) for first, last in self.ask(header)["sentences"]]

    def reindex_cost(self, model: str | None, precision: str | None) -> dict[str, Any]:
        header: Header = {"type": "reindex_cost", "model": model, "precision": precision}
        return dict(self.ask(header)["cost"])

    def reindex(
        self,
        model: str | None,
        precision: str | None,
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
    ) -> Summary:
        header: Header = {"type": "reindex", "model": model, "precision": precision}
        return rebuild(Summary, self.ask(header, token, report)["summary"])

    def roll_back(self) -> dict[str, Any]:
        return dict(self.ask({"type": "roll_back"})["rolled_back"])

    def discard(self) -> dict[str, Any]:
        return dict(self.ask({"type": "discard"})["discarded"])

    def verify(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        return dict(self.ask({"type": "verify"}, token, report)["verified"])

    def repair(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        return dict(self.ask({"type": "repair"}, token, report)["repaired"])

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        return dict(self.ask({"type": "remove", "paths": _texts(paths)})["removed"])

    def doctor(self) -> list[dict[str, Any]]:
        return list(self.ask({"type": "doctor"})["checks"])

    def shut_down(self) -> None:
        """Ask the engine's process to end, cleanly."""
        self.ask({"type": "shutdown"})


def _greet(connection: Connection, endpoint: Endpoint) -> Header:
    # Whoever turns us away may have hung up already, and left a word about it.
    with contextlib.suppress(OSError):
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


def _list(patterns: Sequence[str] | None) -> list[str] | None:
    return None if patterns is None else list(patterns)


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
