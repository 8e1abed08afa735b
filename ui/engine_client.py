"""The window's end of the connection to the engine: non-blocking, callbacks on Qt's thread.

``ui.supervisor`` starts engines.
"""

from __future__ import annotations

import itertools
import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtNetwork import QLocalSocket

from indexer.api.codec import (
    MAX_REQUEST_BYTES,
    PROTOCOL_VERSION,
    FrameReader,
    Greeting,
    Header,
    Hello,
    check_hello,
    decode,
    decode_error,
    frame,
    hello,
    program_version,
)
from indexer.api.contract import LibraryPart, Request
from indexer.api.endpoint import Endpoint, published
from indexer.api.errors import InternalError, LecternError, WorldError
from indexer.api.progress import Progress
from indexer.api.requests import GetActivity, SetPace, Shutdown
from ui.requests import LatestRequest
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.api.status import Activity
    from ui.ports import EnginePort


A = TypeVar("A")

log = logging.getLogger(__name__)

# Milliseconds for an engine to say hello, and for one of another version to end.
HELLO_MS, END_MS = 10_000, 15_000


class _SentRequest(Struct, frozen=True):
    """A request that was sent and has not got its last answer."""

    answer: Any
    done: Callable[[Any], None]
    failed: Callable[[LecternError], None] | None
    progress: Callable[[Progress], None] | None


class EngineLink(QObject):
    """Implements ``ports.EnginePort`` over a local socket; the engine uses the same numbers.

    Signals:
        connected: Requests are answered from now on.
        disconnected: The engine has gone; requests that waited have failed with ``engine_gone``.
        absent: An attempt to attach found no engine.
        refused: An attempt to attach failed with a ``LecternError``.
        changed: These ``LibraryPart``s have changed; emitted after the answer that says so.
    """

    connected = Signal()
    disconnected = Signal()
    absent = Signal()
    refused = Signal(object)
    changed = Signal(object)
    _located = Signal(object, object)

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._numbers = itertools.count(1)
        self._sent: dict[int, _SentRequest] = {}
        self._attempt: object = None  # while there is a connection, or one is being made
        self._endpoint: Endpoint | None = None
        self._socket: QLocalSocket | None = None
        self._reader = FrameReader()
        self._protocol = PROTOCOL_VERSION
        self._is_ending = False  # whether an engine of another version was asked to end
        self._spare: Greeting | None = None  # the greeting of such an engine, if usable
        self.greeting: Greeting | None = None
        self._patience = timer(self, HELLO_MS, self._lose_patience)
        self._located.connect(self._connect, Qt.ConnectionType.QueuedConnection)

    @property
    def is_connected(self) -> bool:
        return self.greeting is not None

    def attach(self) -> None:
        """Try to attach to a running engine; one of the signals reports the outcome.

        An engine of another version is ended first.
        """
        if self._attempt is None:
            self._attempt = attempt = object()
            # In a thread, as the drive of the library may not respond.
            threading.Thread(target=self._locate, args=(attempt,), daemon=True).start()

    def send_request(
        self,
        request: Request[A],
        *,
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> int:
        """See ``ports.EnginePort``. A search that a newer one replaced fails with ``busy``."""
        number = next(self._numbers)
        self._sent[number] = _SentRequest(request.answer, done, failed, progress)
        error = WorldError("engine_gone") if self.greeting is None else self._send(request, number)
        if error is not None:
            QTimer.singleShot(0, self, partial(self._fail, number, error))
        return number

    def cancel(self, number: int) -> None:
        """See ``ports.EnginePort``."""
        if self._sent.pop(number, None) is not None and self.greeting is not None:
            self._write({"type": "cancel", "id": number})

    def close(self) -> None:
        """Leave the engine. No callback comes any more."""
        self._sent.clear()
        was_connected = self.is_connected
        self._hang_up()
        if was_connected:
            self.disconnected.emit()

    def _locate(self, attempt: object) -> None:
        endpoint = published(self._library)
        try:
            self._located.emit(attempt, endpoint)
        except RuntimeError:  # the QObject is being destroyed
            log.debug("the engine was found after the window was closed")

    def _connect(self, attempt: object, endpoint: Endpoint | None) -> None:
        if attempt is not self._attempt:
            return
        if endpoint is None:
            self._give_up()
            return
        self._endpoint = endpoint
        self._reader = FrameReader()
        self._socket = socket = QLocalSocket(self)
        socket.connected.connect(self._greet)
        # Queued, since Qt does not emit it from within itself: a callback may open a dialog.
        socket.readyRead.connect(self._read, Qt.ConnectionType.QueuedConnection)
        socket.disconnected.connect(self._handle_end)
        socket.errorOccurred.connect(self._handle_end)
        self._patience.start(HELLO_MS)
        socket.connectToServer(endpoint.address)

    def _greet(self) -> None:
        if self._endpoint is not None:
            words = hello(Hello("client", secret=self._endpoint.secret))
            self._write({**words, "protocol": self._protocol})

    def _read(self) -> None:
        socket = self._socket
        if socket is None:
            return
        data = bytes(socket.readAll().data()) if socket.isOpen() else b""
        try:
            for header, _binary in self._reader.decode_frames(data):
                if self.greeting is not None:
                    self._dispatch(header)
                else:
                    self._welcome(header)
                if socket is not self._socket:
                    return
        except LecternError:
            log.exception("the engine cannot be understood")
            self._give_up()
        except Exception:
            # A fault in a callback must not hold up the messages after it.
            QTimer.singleShot(0, self, self._read)
            raise

    def _welcome(self, header: Header) -> None:
        """Handle a message before the engine is attached."""
        if header.get("type") == "error":
            self._handle_refusal(decode_error(header.get("error")))
        elif self._is_ending:
            return  # the engine hangs up when it has ended
        elif self._protocol != PROTOCOL_VERSION:
            self._end_other()
        else:
            self._check_greeting(check_hello(header, Greeting))

    def _handle_refusal(self, error: LecternError) -> None:
        """Handle an error that came in place of a hello, or of the end that was asked for."""
        if error.code == "engine_version" and self._protocol == PROTOCOL_VERSION:
            # Hello and shutdown are the same in all versions of the protocol.
            known, endpoint, attempt = error.detail.get("known"), self._endpoint, self._attempt
            self._hang_up()
            if isinstance(known, int):
                self._protocol, self._attempt = known, attempt
                self._connect(attempt, endpoint)
                return
        if self._spare is not None:
            self._accept(self._spare)
        elif error.code == "bad_request":  # the engine has another secret
            self._give_up()
        else:
            self._give_up(error)

    def _check_greeting(self, greeting: Greeting) -> None:
        if self._endpoint is None or greeting.holding != self._endpoint.holding:
            self._give_up()
        elif greeting.version != program_version():
            self._end_other(greeting)
        else:
            self._accept(greeting)

    def _end_other(self, greeting: Greeting | None = None) -> None:
        """Ask an engine of another version to end; one that a command needs refuses and is used."""
        number = next(self._numbers)
        self._is_ending = True
        self._patience.start(END_MS)
        self._spare = greeting
        self._send(Shutdown(), number)

    def _accept(self, greeting: Greeting) -> None:
        self._patience.stop()
        self.greeting = greeting
        self.connected.emit()

    def _lose_patience(self) -> None:
        self._give_up(None if self._is_ending else WorldError("engine_gone"))

    def _handle_end(self) -> None:
        socket = self._socket
        self._read()  # what the engine sent before it hung up
        if socket is self._socket:
            self._give_up()

    def _give_up(self, reason: LecternError | None = None) -> None:
        """Handle a lost connection, or a failed attempt."""
        if self._attempt is None:
            return
        was_connected = self.is_connected
        self._hang_up()
        for number in list(self._sent):
            self._fail(number, WorldError("engine_gone"))
        if was_connected:
            self.disconnected.emit()
        elif reason is not None:
            self.refused.emit(reason)
        else:
            self.absent.emit()

    def _hang_up(self) -> None:
        self._patience.stop()
        socket, self._socket = self._socket, None
        self._attempt = self._endpoint = self.greeting = None
        self._protocol, self._is_ending, self._spare = PROTOCOL_VERSION, False, None
        if socket is not None:
            socket.blockSignals(True)
            socket.abort()
            socket.deleteLater()

    def _send(self, request: Request[Any], number: int) -> LecternError | None:
        """Send a request; return why it cannot be sent."""
        try:
            message = frame(request.header(number))
        except LecternError as error:
            return error
        except (TypeError, ValueError):
            log.exception("a request %s cannot cross", request.wire_name)
            return InternalError("internal", reason="request")
        if len(message) > MAX_REQUEST_BYTES:
            return WorldError("bad_request", reason="it is too large")
        if self._socket is not None:
            self._socket.write(message)
        return None

    def _write(self, header: Header) -> None:
        if self._socket is not None:
            self._socket.write(frame(header))

    def _dispatch(self, header: Header) -> None:
        """Route an answer, a progress report or a failure to its callback."""
        number = header.get("id")
        sent = self._sent.get(number) if isinstance(number, int) else None
        if sent is None or not isinstance(number, int):
            return
        try:
            match header.get("type"):
                case "progress":
                    if sent.progress is not None:
                        sent.progress(decode(Progress, header.get("progress")))
                    return
                case "reply":
                    answer = decode(sent.answer, header.get("answer"))
                case "cancelled":
                    raise WorldError("busy", reason="replaced")
                case _:
                    raise decode_error(header.get("error"))
        except LecternError as error:
            self._fail(number, error)
            return
        del self._sent[number]
        sent.done(answer)
        if changes := header.get("changes"):
            self.changed.emit(frozenset(changes))

    def _fail(self, number: int, error: LecternError) -> None:
        sent = self._sent.pop(number, None)
        if sent is not None and sent.failed is not None:
            sent.failed(error)


EVERY_MS = 1000


# The weight of a new estimate of the time left in exponential smoothing; an estimate that differs
# from the last one by the second factor counts as that of other work, and is not smoothed.
NEW_ESTIMATE, ANOTHER_WORK = 0.35, 3.0


class ActivityFeed(QObject):
    """Publishes the engine's ``Activity`` while it is connected, and changes by other programs.

    The time left is smoothed here, so that the whole window shows the same time. While work is
    paused there is no estimate.

    Signals:
        changed: The newest activity; None while there is no engine.
    """

    changed = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.latest: Activity | None = None
        self._link = link
        self._request = LatestRequest(link)
        self._seconds_left: float | None = None
        self._timer = timer(self, EVERY_MS, self.refresh, single=False)
        link.connected.connect(self._start)
        link.disconnected.connect(self._stop)
        link.changed.connect(self.refresh)
        if link.is_connected:
            self._start()

    @property
    def paused(self) -> bool:
        return self.latest is not None and self.latest.paused

    def refresh(self) -> None:
        """Ask now, unless a request is under way."""
        if self._link.is_connected and not self._request.is_waiting:
            self._request.replace_request(GetActivity(), self._publish)

    def pause(self, paused: bool) -> None:
        """Pause or resume indexing."""
        self._link.send_request(SetPace(paused=paused), done=self._publish)

    def close(self) -> None:
        self._timer.stop()
        self._request.cancel()

    def _start(self) -> None:
        self._timer.start()
        self.refresh()

    def _stop(self) -> None:
        self.close()
        self._publish(None)

    def _smoothed(self, activity: Activity) -> Activity:
        running, before = activity.running, self._seconds_left
        given = running.progress.eta_seconds if running and not activity.paused else None
        if given and before and 1 / ANOTHER_WORK < given / before < ANOTHER_WORK:
            given = before + NEW_ESTIMATE * (given - before)
        self._seconds_left = given
        if running is None:
            return activity
        progress = replace(running.progress, eta_seconds=given)
        return replace(activity, running=replace(running, progress=progress))

    def _publish(self, activity: Activity | None) -> None:
        activity = self._smoothed(activity) if activity is not None else None
        before, self.latest = self.latest, activity
        self.changed.emit(activity)
        # The first activity cannot tell what has changed since the pages asked for their content.
        if activity is not None and (before is None or _version(activity) != _version(before)):
            self._link.changed.emit(frozenset({LibraryPart.FILES}))


def _version(activity: Activity) -> tuple[int, float, bool]:
    """Return values that differ if files, documents or their states have changed."""
    return activity.changes, activity.embedded_share, activity.running is None
