"""What the engine does without a client having asked for exactly that: reading what was queued.

Owns the jobs of retries, of the watcher, of failures that are tried again, of scanned pages, of a
change of model, and the look at folders whose turn has not come. It must not know sockets, nor how
anything is read.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from indexer.api.contract import EngineApi
from indexer.api.errors import Cancelled, LecternError
from indexer.api.requests import Index, Reindex
from indexer.server.work_queues import IndexQueue, Job, Priority, WorkQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.api.lock import LibraryLock
    from indexer.api.progress import CancelToken, Progress

    Done = Callable[[Exception | None], None]

log = logging.getLogger(__name__)

OWNER = "the engine"
WATCHER = "the watcher"


class LocalEngine(EngineApi, Protocol):
    """An engine of this process, which holds the lock of its library."""

    lock: LibraryLock

    def read_with(self, read: Callable[[CancelToken, Done], None]) -> None:
        """Have what the watcher finds read by this from now on, which says when it is done."""

    def stop_watching(self) -> None:
        """Let the watcher come to its end."""

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Take in what an index request names while a run goes on, which then reads it next."""

    def overdue(self) -> bool:
        """Whether something that failed is to be tried again now."""

    def scans_wait(self) -> bool:
        """Whether there may be scanned pages to read."""

    def change_waits(self) -> bool:
        """Whether the library is to change to another model, and may."""

    def recognise(
        self, report: Callable[[Progress], None], token: CancelToken, busy: Callable[[], bool]
    ) -> int:
        """Read scanned pages until none waits or something else is to be done.

        Returns:
            How many files are to be read anew for what was found.
        """


@dataclass(frozen=True, slots=True)
class BackgroundJobs:
    """Puts an engine's own work on its queues.

    Args:
        engine: Does it.
        index_queue: Where reading is done.
        slow_queue: Where folders are looked at meanwhile.
        scan_queue: Where scanned pages are read while nothing else is done.
    """

    engine: LocalEngine
    index_queue: IndexQueue
    slow_queue: WorkQueue
    scan_queue: WorkQueue
    _changed: threading.Event = field(default_factory=threading.Event)

    def look_ahead(self, request: Index) -> None:
        """Have folders taken in that a run in progress could read next, before it is their turn."""
        if not request.paths or self.index_queue.free:
            return
        job = Job(
            owner=OWNER,
            work=lambda _job: self.engine.look_ahead(request.paths, request.patterns),
            finish=_note_failure,
            kept=True,
            name="look ahead",
        )
        # What is wrong with them is said when their turn comes.
        with contextlib.suppress(LecternError):
            self.slow_queue.submit(job)

    def try_again(self) -> None:
        """Have read what failed a while ago, once it is due and nobody asks for anything."""
        if self.index_queue.free and self.engine.overdue():
            self.work_off()

    def read_scans(self) -> None:
        """Have scanned pages read, if any wait and nobody asks for anything."""
        idle = self.index_queue.idle and self.scan_queue.idle
        if not idle or not self.engine.scans_wait():
            return

        def finish(queued: Any, failure: Exception | None) -> None:
            if failure is not None and not isinstance(failure, Cancelled):
                log.warning("scanned pages are not all read", exc_info=failure)
            elif queued:
                self.work_off()

        job = Job(
            owner=OWNER,
            work=lambda job: self.engine.recognise(
                job.report, job.token, lambda: not self.index_queue.idle
            ),
            finish=finish,
            kept=True,
            name="recognise",
        )
        with contextlib.suppress(LecternError):
            self.scan_queue.submit(job)

    def change_model(self) -> None:
        """Have the library changed to the model of the settings, if nobody asks for anything.

        What cannot be changed is tried again by the next engine.
        """
        idle = self.index_queue.idle and self.scan_queue.idle
        if not idle or self._changed.is_set() or not self.engine.change_waits():
            return

        def finish(answer: Any, failure: Exception | None) -> None:
            if isinstance(failure, Cancelled) or (answer is not None and answer.cancelled):
                return
            self._changed.set()
            _note_failure(answer, failure)

        job = Job(
            owner=OWNER,
            work=lambda job: self.engine.call(
                Reindex(None, None), token=job.token, report=job.report
            ),
            finish=finish,
            kept=True,
            priority=Priority.IDLE,
            name="change model",
        )
        with contextlib.suppress(LecternError):
            self.index_queue.submit(job)

    def work_off(self) -> None:
        """Have read what was queued; a run that goes on may be past looking."""
        if not self.index_queue.waits(OWNER):
            with contextlib.suppress(LecternError):
                self._read(OWNER, _note_failure)

    def read_found(self, _token: CancelToken, done: Done) -> None:
        """Have read what the watcher found, behind what anyone asks for."""

        def finish(answer: Any, failure: Exception | None) -> None:
            gave_way = failure is None and answer.cancelled
            done(Cancelled() if gave_way else failure)

        self._read(WATCHER, finish)

    def _read(self, owner: str, finish: Callable[[Any, Exception | None], None]) -> None:
        job = Job(
            owner=owner,
            work=lambda job: self.engine.call(
                Index(scan=False), token=job.token, report=job.report
            ),
            finish=finish,
            kept=True,
            priority=Priority.FOUND,
            name="index",
        )
        self.index_queue.submit(job)


def _note_failure(_answer: Any, failure: Exception | None) -> None:
    if failure is not None:
        log.info("what was queued is not all read", exc_info=failure)
