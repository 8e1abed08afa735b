"""The client of the render child: non-blocking, and replaces a child that hangs.

Owns the queue of requests. The child gets one at a time, so that the most urgent is always next;
the others wait here, where they can be cancelled. A child that takes too long or too much memory,
or dies, is replaced, and its request fails.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from dataclasses import dataclass, field
from enum import IntEnum
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject

from indexer.api.codec import read_answer
from indexer.api.errors import LecternError, WorldError
from indexer.api.pages import Rest
from ui.ports import ignore
from ui.preview.process import RenderProcess
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.api.pages import PageRequest
    from indexer.api.protocol import Header

A = TypeVar("A")

log = logging.getLogger(__name__)

# Seconds that a request may take; the slowest of a few hundred real pages took two.
LIMIT_S = 20.0
# Seconds after which a cancelled request is given up: starting another child is quicker.
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
class _Pending:
    """A request that is queued or in progress. ``done`` is None once it is cancelled."""

    urgency: int
    number: int
    request: PageRequest[Any] = field(compare=False)
    done: Callable[[Any, bytes], None] | None = field(compare=False)
    failed: Callable[[LecternError], None] | None = field(compare=False)
    since: float = field(default=0.0, compare=False)

    @property
    def wanted(self) -> bool:
        return self.done is not None


class RenderClient(QObject):
    """Sends requests to the render child, which is started with the first one.

    Callbacks come on Qt's thread, never from within ``ask``, and none after ``cancel``.

    Args:
        parent: Its owner.
        library: The library's folder, with the text recognised on scanned pages.
    """

    def __init__(self, parent: QObject | None = None, library: Path | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._numbers = itertools.count(1)
        self._waiting: list[_Pending] = []
        self._known: dict[int, _Pending] = {}
        self._current: _Pending | None = None
        self._child: RenderProcess | None = None
        self._starts = 0  # failed ones in a row
        self._closed = False
        self._next = timer(self, 0, self._send_next)
        self._watch = timer(self, _WATCH_MS, self._check_current, single=False)
        self._idle = timer(self, _IDLE_MS, self._rest)

    @property
    def pid(self) -> int:
        """The process id of the child, 0 if there is none."""
        return self._child.pid if self._child is not None else 0

    @property
    def is_busy(self) -> bool:
        """Whether a request is with the child."""
        return self._current is not None

    def warm_up(self) -> None:
        """Start the child, so that the first page does not wait for it."""
        if self._child is None and not self._closed:
            self._start()

    def ask(
        self,
        request: PageRequest[A],
        done: Callable[[A, bytes], None],
        failed: Callable[[LecternError], None] | None = None,
        urgency: Urgency = Urgency.VISIBLE,
    ) -> int:
        """Queue a request and return its number.

        Exactly one of ``done`` and ``failed`` is called later.
        """
        number = next(self._numbers)
        if not self._closed:
            self._known[number] = _Pending(urgency, number, request, done, failed)
            heapq.heappush(self._waiting, self._known[number])
            self._go_on()
        return number

    def cancel(self, number: int) -> None:
        """Cancel a request."""
        pending = self._known.pop(number, None)
        if pending is None:
            return
        pending.done = pending.failed = None
        if pending is self._current:
            pending.since = monotonic() - LIMIT_S + ABANDONED_S

    def close(self) -> None:
        """End the child; no callback is called any more."""
        self._closed = True
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
            child.end()
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
            _fail(pending, error)
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
            _fail(pending, error)
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
            _fail(pending, WorldError("child_died", reason=reason))
        self._go_on()

    def _rest(self) -> None:
        if self._child is not None and not self.is_busy:
            self.ask(Rest(), ignore, urgency=Urgency.REST)


def _fail(pending: _Pending, error: LecternError) -> None:
    if pending.failed is not None:
        pending.failed(error)
