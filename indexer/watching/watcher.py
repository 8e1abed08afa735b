"""Keeps a library up to date by deciding when to scan, and what.

One thread waits for hints, debounces them, scans, and triggers reading. It scans everything at the
start, every few hours, and when changes may have been missed: after a full queue of events, a
suspension, new patterns, or if a root has moved or became unreachable or reachable. Roots for which
not all changes are reported are scanned every few minutes.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.api.answers import WatchState
from indexer.api.errors import Cancelled, InternalError, LecternError
from indexer.api.progress import CancelToken
from indexer.catalog.roots import below
from indexer.files.walk import ignore_folder, size_and_time
from indexer.watching.settling import SETTLED_S, Settling, targets
from indexer.watching.watched import EventSource, Hints, WatchedRoots

if TYPE_CHECKING:
    from indexer.api.phrases import Note
    from indexer.catalog.records import ScanCounts
    from indexer.files.scanner import Scanner

    Done = Callable[[Exception | None], None]

    # A function that reads the queued files, on this thread (until the token is set) or another,
    # and then calls back with the outcome, ``Cancelled`` if it was interrupted.
    Read = Callable[[CancelToken, Done], None]

# A smaller difference means a slow machine, or a clock that was adjusted.
SLEPT_S = 30.0


class Clock(Struct, frozen=True):
    """The functions of time, which tests can replace."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic


class SleepWatch:
    """Detects a suspension during a wait. Waits have timeouts of a few seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall, self._monotonic = clock.wall(), clock.monotonic()
        self._waits_since = self._monotonic

    def waits(self) -> None:
        """Mark the start of a wait."""
        self._waits_since = self._clock.monotonic()

    def slept(self) -> bool:
        """Return, at the end of a wait, whether the machine was suspended."""
        wall, monotonic = self._clock.wall(), self._clock.monotonic()
        passed, grown = wall - self._wall, monotonic - self._monotonic
        self._wall, self._monotonic = wall, monotonic
        return passed - grown > SLEPT_S or monotonic - self._waits_since > SLEPT_S


log = logging.getLogger(__name__)


def open_source(hints: Hints) -> EventSource | None:
    """Open the source of events on this system; None if its limit is reached."""
    try:
        if platform.system() == "Linux":
            from indexer.watching.inotify import InotifySource

            return InotifySource(hints)
        from indexer.watching.observer import ObserverSource

        return ObserverSource(hints)
    except OSError:
        log.warning("the system gives no more watches", exc_info=True)
        return None


class WatchPace(Struct, frozen=True):
    """The intervals of the watcher, in seconds."""

    settled_s: float = SETTLED_S  # how long a path must be unchanged before it is scanned
    tick_s: float = 0.1  # between checks of paths that have not settled
    check_s: float = 2.0  # between checks of the roots' locations
    poll_s: float = 300.0  # between scans of roots for which not all changes are reported
    scan_s: float = 4 * 3600.0  # between scans of everything
    retry_s: float = 30.0  # until work that failed is tried again


GAVE_WAY_S = 1.0
STOP_S = 30.0


def _problem(failure: Exception) -> Note:
    if not isinstance(failure, LecternError):
        failure = InternalError("internal", reason=type(failure).__name__)
    return failure.note()


class _Plan(Struct):
    """The next work: roots to scan, and whether there are files to read."""

    due: set[int] = field(default_factory=set)
    scan_after: float = float("-inf")
    work: bool = True  # an earlier run may have left some
    work_after: float = float("-inf")
    reading: bool = False
    scanning: bool = True
    problem: Note | None = None


class Watcher:
    """Watches the roots of one library from ``start`` to ``stop``.

    ``read`` reads the queued files; ``source`` opens the source of events.
    """

    def __init__(
        self,
        scanner: Scanner,
        read: Read,
        pace: WatchPace | None = None,
        *,
        clock: Clock | None = None,
        source: Callable[[Hints], EventSource | None] = open_source,
    ) -> None:
        self.read = read
        self.scans = 0  # scans of whole roots since the start
        self.partial_scans = 0  # scans of single entries since the start; constant while idle
        self._scanner = scanner
        self._pace = pace or WatchPace()
        self._clock = clock or Clock()
        self._open_source = source
        self._source: EventSource | None = None
        library = scanner.config.library
        self._library = {os.fsencode(path) for path in (library.absolute(), library.resolve())}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._reset()

    def _reset(self) -> None:
        self._hints = Hints()
        self._settling = Settling(os.fsencode(os.sep), self._pace.settled_s)
        self._sleep = SleepWatch(self._clock)
        self._plan = _Plan()
        self._checked = self._ticked = float("-inf")
        self._token = CancelToken()
        self._watched = WatchedRoots(self._source, self._pace.poll_s, self._pace.scan_s)

    # -- asked by others --------------------------------------------------------------------

    @property
    def on(self) -> bool:
        return self._thread is not None

    def start(self) -> None:
        """Start watching; idempotent."""
        with self._lock:
            if self._thread is not None:
                return
            self._reset()
            self._source = self._open_source(self._hints)
            self._watched = WatchedRoots(self._source, self._pace.poll_s, self._pace.scan_s)
            self._scanner.on_enter = self._watched.watch_folder
            self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop watching; returns once no scan is running."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        self._token.cancel()
        self._hints.wake()
        # A hanging network drive must not prevent the end of the program.
        thread.join(STOP_S)
        self._scanner.on_enter = ignore_folder
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def wake(self) -> None:
        """Check the roots at once, after a change by the person."""
        self._checked = float("-inf")
        self._hints.wake()

    def watch_state(self) -> WatchState:
        """Return what is watched and how."""
        source, plan = self._source, self._plan
        busy = plan.due or plan.work or plan.reading or plan.scanning or len(self._settling)
        return WatchState(
            on=self.on,
            roots=self._watched.roots_status() if self.on else (),
            folders=source.folders if source is not None else 0,
            quiet=not busy,
            problem=plan.problem,
        )

    # -- the thread -------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._token.cancelled:
            try:
                self._round()
            except Cancelled:
                continue
            except LecternError as error:
                log.warning("watching met a problem: %s", error.message)
                self._try_again(error)
            except Exception as error:
                log.exception("watching failed; everything is scanned again")
                self._try_again(error)

    def _try_again(self, failure: Exception) -> None:
        self._plan.problem = _problem(failure)
        self._plan.due |= self._watched.ids
        self._plan.scan_after = self._clock.monotonic() + self._pace.retry_s

    def _round(self) -> None:
        self._plan.scanning = False
        self._sleep.waits()
        paths, lost = self._hints.take_hints(self._patience())
        self._plan.scanning = True
        self._token.check()
        now = self._clock.monotonic()
        for path in paths:
            # Files that the library itself writes would start endless scans.
            if all(below(library, path) is None for library in self._library):
                self._settling.hint(path, now)
        if self._sleep.slept():
            lost = lost or "this machine slept"
        if lost:
            log.info("everything is scanned: %s", lost)
            self._plan.due |= self._watched.ids
        if now - self._checked >= self._pace.check_s:
            self._checked = now
            self._plan.due |= self._watched.update_roots(self._scanner.catalog.roots.all(), now)
        if self._plan.due and now >= self._plan.scan_after:
            self._scan()
        if now - self._ticked >= self._pace.tick_s and len(self._settling):
            self._ticked = now
            if ready := self._settling.ready(now, partial(size_and_time, follow_links=False)):
                self._scan_entries(ready)
        self._start_reading()

    def _patience(self) -> float:
        """The seconds to wait for hints, until something else may be due."""
        if len(self._settling):
            return self._pace.tick_s
        now = self._clock.monotonic()
        times = [self._checked + self._pace.check_s]
        if self._plan.work and not self._plan.reading:
            times.append(self._plan.work_after)
        if self._plan.due:
            times.append(self._plan.scan_after)
        return max(0.0, min(times) - now)

    def _scan(self) -> None:
        due, self._plan.due = self._plan.due, set()
        roots = [root for root in self._scanner.catalog.roots.all() if root.id in due]
        began = self._clock.monotonic()
        self._watched.scanning(roots)
        self.scans += 1
        try:
            counts = self._scanner.scan(roots, self._token)
        except BaseException:
            self._plan.due |= due
            raise
        after = [root for root in self._scanner.catalog.roots.all() if root.id in due]
        self._watched.scanned(after, began)
        self._plan.problem = None
        self._note_changes(counts)

    def _scan_entries(self, paths: Collection[bytes]) -> None:
        found = targets(paths, self._watched.roots)
        self._plan.due |= found.whole
        entries = found.partial
        if not entries:
            return
        self.partial_scans += 1
        try:
            counts = self._scanner.scan_entries(entries, self._token)
        except BaseException:
            self._plan.due.update(entries)
            raise
        self._note_changes(counts)

    def _note_changes(self, counts: Iterable[ScanCounts]) -> None:
        changed = any(each.new or each.changed or each.removed for each in counts)
        if changed or self._scanner.catalog.queue.waiting():
            self._plan.work = True

    # -- reading ----------------------------------------------------------------------------

    def _start_reading(self) -> None:
        plan = self._plan
        with self._lock:
            if not plan.work or plan.reading or plan.due:
                return
            if self._clock.monotonic() < plan.work_after:
                return
            plan.work, plan.reading = False, True
        self.read(self._token, self._read_done)

    def _read_done(self, failure: Exception | None) -> None:
        plan = self._plan
        with self._lock:
            plan.reading = False
            if isinstance(failure, Cancelled):
                plan.work, wait = True, GAVE_WAY_S
            elif failure is not None:
                plan.work, wait = True, self._pace.retry_s
                plan.problem = _problem(failure)
            else:
                plan.problem, wait = None, 0.0
            plan.work_after = self._clock.monotonic() + wait
        self._hints.wake()
