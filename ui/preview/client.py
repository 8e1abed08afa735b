"""The client of the render child: it replaces a child that hangs, and never blocks.

The child gets one request at a time, so that the most urgent is always next. The others wait here,
where they can be cancelled. A child that takes too much time or memory, or dies, is replaced, and
its request fails.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import psutil
from PySide6.QtCore import QObject, QProcess, Qt, Signal

from indexer.api.codec import FrameReader, Header, Hello, check_hello, frame, read_answer
from indexer.api.errors import LecternError, WorldError
from indexer.api.pages import PageRequest, Rest
from indexer.confine.process import (
    child_command,
    child_environment,
    kill_readers,
    kill_session,
    make_scratch,
)
from ui.ports import ignore
from ui.widgets import timer

MODULE = "indexer.render.child"
# The limit in bytes, several times as much as the largest page image needs.
RESIDENT_BYTES = 1 << 30
ADDRESS_SPACE = 4 << 30
# Seconds of work after which the child ends itself, in case the window has gone.
ALARM_S = 90
_STDERR_TAIL_BYTES = 4_000
_END_MS = 1_000


def render_command(library: Path | None = None, scratch: str = "") -> list[str]:
    """Return the command line of a render child.

    ``library`` is the library's folder, which has the text recognised on scanned pages; ``scratch``
    is the folder for unpacked files.
    """
    limits = [
        f"--engine={os.getpid()}",
        f"--address-space={ADDRESS_SPACE}",
        f"--resident={RESIDENT_BYTES}",
        f"--silence={ALARM_S}",
        *([f"--scratch={scratch}"] if scratch else []),
    ]
    known = [] if library is None else [f"--library={library}"]
    return [*child_command(MODULE), *limits, *known]


class RenderProcess(QObject):
    """A running render child.

    Signals:
        received: The header and the bytes of an answer.
        ended: The process has ended, with the reason for the log. It is emitted once.
    """

    received = Signal(object, bytes)
    ended = Signal(str)

    def __init__(self, parent: QObject | None = None, library: Path | None = None) -> None:
        super().__init__(parent)
        self._reader = FrameReader()
        self._greeted = False
        self._over = False
        self._usage: psutil.Process | None = None
        self._process = QProcess(self)
        self._process.setWorkingDirectory(tempfile.gettempdir())  # on no drive to be unplugged
        environment = child_environment()
        self._process.setEnvironment([f"{name}={value}" for name, value in environment.items()])
        self._process.readyReadStandardOutput.connect(self._read)
        # Queued, since Windows reports a missing program before anybody listens to this signal.
        self._process.errorOccurred.connect(self._failed, Qt.ConnectionType.QueuedConnection)
        self._process.finished.connect(self._finished)
        self._scratch = make_scratch()
        program, *arguments = render_command(library, self._scratch.name)
        self._process.start(program, arguments)
        self._session = self.pid

    @property
    def pid(self) -> int:
        return int(self._process.processId())

    def send(self, header: Header) -> None:
        self._process.write(frame(header))

    def is_large(self) -> bool:
        """Return whether the process holds more than ``RESIDENT_BYTES``."""
        try:
            self._usage = self._usage or psutil.Process(self.pid)
            return bool(self._usage.memory_info().rss > RESIDENT_BYTES)
        except (psutil.Error, ValueError):
            return False

    def kill_child(self) -> None:
        """Kill the process; ``ended`` is not emitted."""
        self._over = True
        self._process.blockSignals(True)
        if pid := self.pid:
            kill_readers(pid)
        self._process.kill()
        # A killed process ends at once; Qt has to reap it.
        self._process.waitForFinished(_END_MS)
        self._scratch.cleanup()

    def stderr_tail(self) -> str:
        tail = bytes(self._process.readAllStandardError().data())[-_STDERR_TAIL_BYTES:]
        return tail.decode("utf-8", "replace")

    def _read(self) -> None:
        try:
            for header, data in self._reader.decode_frames(
                bytes(self._process.readAllStandardOutput().data())
            ):
                if not self._greeted:
                    check_hello(header, Hello)
                    self._greeted = True
                elif not self._over:
                    self.received.emit(header, data)
        except LecternError as error:
            self._end_with(error.message)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._end_with(self._process.errorString())

    def _finished(self, status: int, how: QProcess.ExitStatus) -> None:
        crashed = how is QProcess.ExitStatus.CrashExit
        self._end_with(f"signal {status}" if crashed else f"exit status {status}")

    def _end_with(self, reason: str) -> None:
        if not self._over:
            self._over = True
            kill_session(self._session)  # if somebody else killed it
            self._scratch.cleanup()
            self.ended.emit(reason)


A = TypeVar("A")

log = logging.getLogger(__name__)

# Seconds that a request may take; among a few hundred real pages the slowest took two.
LIMIT_S = 20.0
# Seconds after which the child is ended if a cancelled request goes on: a new child is quicker.
ABANDONED_S = 0.7
_WATCH_MS = 200
# Milliseconds without a request after which the child closes its files.
_IDLE_MS = 30_000
_MAX_STARTS = 3


class Urgency(IntEnum):
    """The order of requests, lowest first."""

    OPEN = 0
    MARKS = 1
    VISIBLE = 2
    SOON = 3  # the letters of the current page
    NEAR = 4  # the pages before and after it
    REST = 5  # sizes of all pages, counting


@dataclass(order=True, slots=True)
class _QueuedRequest:
    """A request that is queued or in progress. ``done`` is None once it is cancelled."""

    urgency: int
    number: int
    request: PageRequest[Any] = field(compare=False)
    done: Callable[[Any, bytes], None] | None = field(compare=False)
    failed: Callable[[LecternError], None] = field(compare=False)
    since: float = field(default=0.0, compare=False)

    @property
    def wanted(self) -> bool:
        return self.done is not None


class RenderClient(QObject):
    """Sends requests to the render child; the first request starts it.

    Callbacks come on Qt's thread, never from within ``ask_child``, and not after ``cancel``.
    ``library`` is the library's folder, which has the text recognised on scanned pages.
    """

    def __init__(self, parent: QObject | None = None, library: Path | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._numbers = itertools.count(1)
        self._waiting: list[_QueuedRequest] = []
        self._known: dict[int, _QueuedRequest] = {}
        self._current: _QueuedRequest | None = None
        self._child: RenderProcess | None = None
        self._starts = 0  # failed ones in a row
        self._closed = False
        self._next = timer(self, 0, self._send_next)
        self._watch = timer(self, _WATCH_MS, self._check_current, single=False)
        self._idle = timer(self, _IDLE_MS, self._rest)

    @property
    def pid(self) -> int:
        """The process id of the child; 0 without one."""
        return self._child.pid if self._child is not None else 0

    @property
    def is_busy(self) -> bool:
        """Whether the child works on a request."""
        return self._current is not None

    def warm_up(self) -> None:
        """Start the child ahead of the first page, which would otherwise wait for it."""
        if self._child is None and not self._closed:
            self._start()

    def ask_child(
        self,
        request: PageRequest[A],
        done: Callable[[A, bytes], None],
        failed: Callable[[LecternError], None] = ignore,
        urgency: Urgency = Urgency.VISIBLE,
    ) -> int:
        """Queue a request and return its number.

        Exactly one of ``done`` and ``failed`` is called later.
        """
        number = next(self._numbers)
        if not self._closed:
            self._known[number] = _QueuedRequest(urgency, number, request, done, failed)
            heapq.heappush(self._waiting, self._known[number])
            self._go_on()
        return number

    def cancel(self, number: int) -> None:
        """Cancel a request."""
        pending = self._known.pop(number, None)
        if pending is None:
            return
        pending.done, pending.failed = None, ignore
        if pending is self._current:
            pending.since = monotonic() - LIMIT_S + ABANDONED_S

    def close(self) -> None:
        """End the child; requests are not sent any more."""
        self._closed = True
        self.end_child()

    def end_child(self) -> None:
        """Cancel all requests and end the child; the next request starts another one."""
        self._known.clear()
        self._waiting.clear()
        self._current = None
        for each in (self._next, self._watch, self._idle):
            each.stop()
        self._drop()

    def _go_on(self) -> None:
        if self._waiting and not self.is_busy and not self._closed:
            self._next.start()

    def _send_next(self) -> None:
        while self._waiting and not self.is_busy:
            pending = heapq.heappop(self._waiting)
            if not pending.wanted:
                continue
            if self._child is None:
                self._start()
            if self._child is None:
                heapq.heappush(self._waiting, pending)
                return
            self._idle.stop()
            pending.since = monotonic()
            self._current = pending
            self._child.send(pending.request.header(pending.number))
            self._watch.start()

    def _start(self) -> None:
        self._starts += 1
        self._child = RenderProcess(self, self._library)
        self._child.received.connect(self._answered)
        self._child.ended.connect(self._ended)

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill_child()
            child.deleteLater()

    def _answered(self, header: Header, data: bytes) -> None:
        pending = self._current
        if pending is None or header.get("id") != pending.number:
            return
        self._starts = 0
        self._finish_current()
        try:
            answer = read_answer(header, pending.request.answer)
        except LecternError as error:
            pending.failed(error)
        else:
            if pending.done is not None:
                pending.done(answer, data)
        self._go_on()

    def _finish_current(self) -> None:
        """Clear the current request."""
        pending, self._current = self._current, None
        if pending is not None:
            self._known.pop(pending.number, None)
        self._watch.stop()
        if pending is not None and not isinstance(pending.request, Rest):
            self._idle.start()

    def _check_current(self) -> None:
        """Check whether the current request exceeds the limits of time or memory."""
        pending = self._current
        if pending is None or self._child is None:
            return
        waited = monotonic() - pending.since
        if waited > LIMIT_S and (pending.wanted or self._waiting):
            self._give_up(WorldError("out_of_time", limit=f"{LIMIT_S:g} seconds"))
        elif self._child.is_large():
            self._give_up(WorldError("out_of_memory", limit="a preview may take"))

    def _give_up(self, error: WorldError) -> None:
        pending = self._current
        log.info("the render child is replaced: %s", error.code)
        self._drop()
        self._finish_current()
        if pending is not None:
            pending.failed(error)
        self._go_on()

    def _ended(self, reason: str) -> None:
        words = self._child.stderr_tail() if self._child is not None else ""
        log.warning("the render child ended: %s\n%s", reason, words)
        self._drop()
        failed = [self._current] if self._current is not None else []
        self._finish_current()
        if self._starts >= _MAX_STARTS:
            failed += [pending for pending in self._waiting if pending.wanted]
            self._waiting.clear()
            self._starts = 0
        for pending in failed:
            self._known.pop(pending.number, None)
            pending.failed(WorldError("child_died", reason=reason))
        self._go_on()

    def _rest(self) -> None:
        if self._child is not None and not self.is_busy:
            self.ask_child(Rest(), ignore, urgency=Urgency.REST)
