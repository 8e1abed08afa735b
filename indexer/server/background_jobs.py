"""The engine's own jobs, which no client waits for.

Owns the jobs for retries, the watcher, failures due for a retry, scanned pages and a change of
model, and scanning the folders of a waiting index request ahead.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from indexer.api.contract import EngineApi
from indexer.api.errors import Cancelled, LecternError
from indexer.api.model_requests import Reindex
from indexer.api.requests import Index
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
        """Set the function that reads what the watcher has queued, and calls back when done."""

    def stop_watching(self) -> None:
        """Stop the watcher."""

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Scan the paths of a waiting index request, so that the current run reads them next."""

    def overdue(self) -> bool:
        """Whether a failed file is due for a retry."""

    def has_pages_to_recognise(self) -> bool:
        """Whether there may be scanned pages to recognise."""

    def rest(self) -> bool:
        """Give back memory that only queries need; return whether that was possible."""

    def change_waits(self) -> bool:
        """Whether a change of model is pending and possible."""

    def recognise(
        self, report: Callable[[Progress], None], token: CancelToken, busy: Callable[[], bool]
    ) -> int:
        """Recognise scanned pages until none is left or there is other work.

        Returns:
            How many files were queued again for their recognised text.
        """


@dataclass(frozen=True, slots=True)
class BackgroundJobs:
    """Submits an engine's own jobs to its queues.

    Args:
        engine: The engine.
        index_queue: For reading.
        slow_queue: For scanning folders meanwhile.
        recognition_queue: For scanned pages, while the other queues are idle.
    """

    engine: LocalEngine
    index_queue: IndexQueue
    slow_queue: WorkQueue
    recognition_queue: WorkQueue
    _changed: threading.Event = field(default_factory=threading.Event)

    def look_ahead(self, request: Index) -> None:
        """Submit a scan of a waiting request's folders, so that the current run reads them next."""
        if not request.paths or self.index_queue.free:
            return
        job = Job(
            owner=OWNER,
            work=lambda _job: self.engine.look_ahead(request.paths, request.patterns),
            finish=_note_failure,
            kept=True,
            name="look ahead",
        )
        # Errors are reported by the request itself.
        with contextlib.suppress(LecternError):
            self.slow_queue.submit(job)

    def try_again(self) -> None:
        """Submit reading failed files that are due for a retry, if the engine is idle."""
        if self.index_queue.free and self.engine.overdue():
            self.work_off()

    def recognise_pages(self) -> None:
        """Submit recognising scanned pages, if there are any and the engine is idle."""
        idle = self.index_queue.idle and self.recognition_queue.idle
        if not idle or not self.engine.has_pages_to_recognise():
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
            self.recognition_queue.submit(job)

    def change_model(self) -> None:
        """Submit a change to the model of the settings, if the engine is idle.

        A change that fails is retried by the next engine.
        """
        idle = self.index_queue.idle and self.recognition_queue.idle
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
        """Submit reading the queue, as the current run may have checked it for the last time."""
        if not self.index_queue.waits(OWNER):
            with contextlib.suppress(LecternError):
                self._read(OWNER, _note_failure)

    def read_found(self, _token: CancelToken, done: Done) -> None:
        """Submit reading what the watcher found, with lower priority than requests."""

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
