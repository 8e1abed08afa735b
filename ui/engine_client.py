"""The window's end of the connection to the engine: non-blocking, callbacks on Qt's thread.

Owns one connection, the thread that opens it and sends, and the requests that wait for an answer.
It must not know what is asked, nor how an engine is started (``ui.supervisor``).
"""

from __future__ import annotations

import functools
import itertools
import logging
import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from indexer.api.client import EngineClient, attach_or_end
from indexer.api.errors import Cancelled, InternalError, LecternError, WorldError
from indexer.api.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.api.contract import Request
    from indexer.api.protocol import Greeting

A = TypeVar("A")

# An answer, progress, or a failure.
Outcome = Any

log = logging.getLogger(__name__)

# Seconds that closing waits for the thread; a thread in its handshake ends by itself later.
CLOSE_S = 2.0
_WATCH_S = 3600.0


@dataclass(frozen=True, slots=True)
class _Pending:
    """A request without its last answer."""

    done: Callable[[Any], None]
    failed: Callable[[LecternError], None] | None
    progress: Callable[[Progress], None] | None


class EngineLink(QObject):
    """Implements ``ports.EnginePort`` over ``indexer.api.client``.

    Signals:
        connected: Requests are answered from now on.
        disconnected: The engine has gone; what waited has failed with ``engine_gone``.
        absent: An attempt to attach found no engine.
        refused: An attempt to attach failed, with a ``LecternError``.
    """

    connected = Signal()
    disconnected = Signal()
    absent = Signal()
    refused = Signal(object)
    _posted = Signal(object)

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._numbers = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._channel: _Channel | None = None
        self._greeting: Greeting | None = None
        # Queued also within this thread, so that no callback comes from within ``ask``.
        self._posted.connect(self._run_posted, Qt.ConnectionType.QueuedConnection)

    @property
    def is_connected(self) -> bool:
        return self._greeting is not None

    @property
    def greeting(self) -> Greeting | None:
        """The hello of the attached engine; None without one."""
        return self._greeting

    def attach(self) -> None:
        """Try to attach to a running engine; one of the signals reports the outcome."""
        if self._channel is None:
            self._channel = _Channel(self._library, self._post)
            self._channel.start(self._attached, self._lost)

    def ask(
        self,
        request: Request[A],
        *,
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> int:
        """See ``ports.EnginePort``. A search that a newer one replaced fails with ``busy``."""
        number = next(self._numbers)
        self._pending[number] = _Pending(done, failed, progress)
        if self._channel is not None and self.is_connected:
            self._channel.send(number, request, self._dispatch)
        else:
            self._post(self._fail, number, WorldError("engine_gone"))
        return number

    def cancel(self, number: int) -> None:
        """See ``ports.EnginePort``."""
        if self._pending.pop(number, None) is not None and self._channel is not None:
            self._channel.cancel(number)

    def close(self) -> None:
        """Leave the engine. No callback comes any more."""
        self._pending.clear()
        channel, self._channel = self._channel, None
        was_connected, self._greeting = self.is_connected, None
        if channel is not None:
            channel.close()
        if was_connected:
            self.disconnected.emit()

    def _post(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function later on the main thread; thread-safe."""
        self._posted.emit(functools.partial(function, *arguments))

    def _run_posted(self, call: Callable[[], None]) -> None:
        call()

    def _attached(self, channel: _Channel, greeting: Greeting) -> None:
        if channel is self._channel:
            self._greeting = greeting
            self.connected.emit()

    def _lost(self, channel: _Channel, reason: LecternError | None) -> None:
        """Handle a lost connection, or a failed attempt."""
        if channel is not self._channel:
            return
        self._channel = None
        was_connected, self._greeting = self.is_connected, None
        channel.close()
        for number in list(self._pending):
            self._fail(number, WorldError("engine_gone"))
        if was_connected:
            self.disconnected.emit()
        elif reason is not None:
            self.refused.emit(reason)
        else:
            self.absent.emit()

    def _dispatch(self, channel: _Channel, number: int, outcome: Outcome) -> None:
        """Route an answer, a progress report or a failure to its callback."""
        pending = self._pending.get(number)
        if isinstance(outcome, Progress):
            if pending is not None and pending.progress is not None:
                pending.progress(outcome)
            return
        channel.forget(number)
        if pending is None:
            return
        if isinstance(outcome, Cancelled):
            self._fail(number, WorldError("busy", reason="replaced"))
        elif isinstance(outcome, LecternError):
            self._fail(number, outcome)
        else:
            del self._pending[number]
            pending.done(outcome)

    def _fail(self, number: int, error: LecternError) -> None:
        pending = self._pending.pop(number, None)
        if pending is not None and pending.failed is not None:
            pending.failed(error)


class _Channel:
    """An attempt to attach and, if it succeeds, the connection. To be called on the main thread.

    It opens and sends on a thread of its own, because both may block.
    """

    def __init__(self, library: Path, post: Callable[..., None]) -> None:
        self._library = library
        self._post_to_main = post
        self._orders: SimpleQueue[Callable[[EngineClient], None] | None] = SimpleQueue()
        self._closed = threading.Event()
        self._sent: dict[int, int] = {}  # numbers of the link: numbers of the client
        self._thread: threading.Thread | None = None

    def start(
        self,
        attached: Callable[[_Channel, Greeting], None],
        lost: Callable[[_Channel, LecternError | None], None],
    ) -> None:
        self._thread = threading.Thread(
            target=self._work, args=(attached, lost), name="engine link", daemon=True
        )
        self._thread.start()

    def send(
        self, number: int, request: Request[Any], outcome: Callable[[_Channel, int, Outcome], None]
    ) -> None:
        def listen(what: Outcome) -> None:
            self._post(outcome, self, number, what)

        def order(client: EngineClient) -> None:
            try:
                self._sent[number] = client.send(request, listen, listen, listen)
            except LecternError as error:
                listen(error)
            except (TypeError, ValueError):
                log.exception("a request %s cannot cross", request.wire_name)
                listen(InternalError("internal", reason="request"))

        self._orders.put(order)

    def cancel(self, number: int) -> None:
        def order(client: EngineClient) -> None:
            sent = self._sent.pop(number, None)
            if sent is not None:
                client.cancel(sent)

        self._orders.put(order)

    def forget(self, number: int) -> None:
        def order(_client: EngineClient) -> None:
            self._sent.pop(number, None)

        self._orders.put(order)

    def close(self) -> None:
        self._closed.set()
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def _post(self, function: Callable[..., None], *arguments: Any) -> None:
        if not self._closed.is_set():
            try:
                self._post_to_main(function, *arguments)
            except RuntimeError:  # the QObject is being destroyed
                log.debug("an answer came after the window was closed")

    def _work(
        self,
        attached: Callable[[_Channel, Greeting], None],
        lost: Callable[[_Channel, LecternError | None], None],
    ) -> None:
        try:
            client = attach_or_end(self._library)
        except LecternError as error:
            self._post(lost, self, error)
            return
        if client is None:
            self._post(lost, self, None)
            return
        watch = threading.Thread(
            target=self._watch, args=(client, lost), name="engine watch", daemon=True
        )
        watch.start()
        self._post(attached, self, client.greeting)
        while (order := self._orders.get()) is not None:
            try:
                order(client)
            except LecternError:
                log.debug("a request was not sent: the engine has gone")
        client.close()
        watch.join()

    def _watch(
        self, client: EngineClient, lost: Callable[[_Channel, LecternError | None], None]
    ) -> None:
        while not client.wait_until_gone(_WATCH_S):
            pass
        self._post(lost, self, None)
