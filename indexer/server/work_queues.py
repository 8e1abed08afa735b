"""The work queues of the engine, which run the jobs of requests and the engine's own jobs.

A work queue is a thread that runs one job at a time. In the search queue a client's newest query
replaces its older ones. The index queue is the only writer and reports its progress to waiting
jobs. No client waits for the engine's own jobs: reading files that requests or the watcher have
queued, retries, scanned pages, a change of model, and scans for waiting index requests.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import deque
from enum import IntEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.api.contract import EngineApi
from indexer.api.errors import Cancelled, LecternError, WorldError
from indexer.api.models import Reindex
from indexer.api.progress import CancelToken, Progress, Step, ignore_progress
from indexer.api.requests import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from pathlib import Path

    from indexer.api.contract import Request
    from indexer.api.private_files import LibraryLock

    Done = Callable[[Exception | None], None]
    Finish = Callable[[Any, Exception | None], None]

log = logging.getLogger(__name__)

MAX_WAITING = 32


class Priority(IntEnum):
    """The order of jobs, lowest first."""

    ASKED = 0  # a client waits for it
    FOUND = 1  # no client waits for it
    IDLE = 2  # only while there is no other job


class Job(Struct, eq=False):
    """One piece of work.

    Attributes:
        owner: The client. A search replaces older ones of its owner, and all jobs of an owner that
            disconnects are cancelled.
        work: Called with the job, for its token and ``report``; returns the answer.
        finish: Called exactly once, with the answer or the exception (including ``Cancelled``). It
            must be quick and must not raise.
        sink: Receives the progress of the job, and of the job for which it waits.
        kept: Whether the job outlives its owner.
        priority: On the index queue a job with a higher priority cancels the running one.
        spread: Passes progress on to waiting jobs; set by the queue.
    """

    owner: Hashable
    work: Callable[[Job], Any]
    finish: Finish
    sink: Callable[[Progress], None] = ignore_progress
    kept: bool = False
    priority: Priority = Priority.ASKED
    name: str = ""
    token: CancelToken = field(default_factory=CancelToken)
    spread: Callable[[Progress], None] = ignore_progress

    def report(self, progress: Progress) -> None:
        self.sink(progress)
        self.spread(progress)

    def run(self) -> None:
        """Do the work and call ``finish`` with the outcome."""
        try:
            self.token.check()
            answer = self.work(self)
        except (Cancelled, LecternError) as outcome:
            self.finish(None, outcome)
        except BaseException as error:  # even a panic of Lance must not end the thread
            log.exception("a job failed: %s", self.name)
            self.finish(None, error if isinstance(error, Exception) else RuntimeError(repr(error)))
        else:
            self.finish(answer, None)


def answering(engine: EngineApi, request: Request[Any]) -> Callable[[Job], Any]:
    """Return the work of a job in which an engine answers a request."""
    return lambda job: engine.call(request, token=job.token, report=job.report)


class WorkQueue:
    """A thread with a queue: first come, first served."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self.running: Job | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        with self._changed:
            return self.running is None and not self._waiting

    def waits(self, owner: Hashable) -> bool:
        """Whether a job of this owner is queued."""
        with self._changed:
            return any(job.owner == owner for job in self._waiting)

    def submit(self, job: Job) -> None:
        """Queue a job.

        Raises ``engine_gone`` if the queue is closing, ``busy`` if too many jobs wait.
        """
        with self._changed:
            if self._closed:
                raise WorldError("engine_gone")
            replaced = self._enqueue(job)
            self._changed.notify_all()
        _give_up(replaced)

    def _enqueue(self, job: Job) -> list[Job]:
        """Insert a job; return the jobs that it replaces. Called with the lock held."""
        if len(self._waiting) >= MAX_WAITING:
            raise WorldError("busy", reason="many_waiting")
        self._waiting.append(job)
        return []

    def cancel(self, job: Job) -> None:
        """Stop a job if it is running, or remove it if it is queued."""
        job.token.cancel()
        self._drop(lambda other: other is job)

    def cancel_jobs_of(self, owner: Hashable) -> None:
        """Cancel all jobs of an owner that has disconnected, except kept ones."""

        def lost(job: Job) -> bool:
            return job.owner == owner and not job.kept

        with self._changed:
            if self.running is not None and lost(self.running):
                self.running.token.cancel()
        self._drop(lost)

    def _drop(self, chosen: Callable[[Job], bool]) -> None:
        with self._changed:
            dropped = [job for job in self._waiting if chosen(job)]
            self._waiting = deque(job for job in self._waiting if not chosen(job))
        _give_up(dropped)

    def close(self, *, finish_running: bool = False, timeout: float | None = None) -> bool:
        """Accept no more jobs, cancel the queued ones, and wait for the running one.

        Args:
            finish_running: Let the running job finish instead of cancelling it.

        Returns whether the thread has ended.
        """
        with self._changed:
            self._closed = True
            if self.running is not None and not finish_running:
                self.running.token.cancel()
            self._changed.notify_all()
        self._drop(lambda _job: True)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _next(self) -> Job:
        """Take the next job. Called with the lock held."""
        return self._waiting.popleft()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                self.running = self._next()
            try:
                self.running.run()
            finally:
                with self._changed:
                    self.running = None
                    self._changed.notify_all()


class SearchQueue(WorkQueue):
    """A queued query replaces an older one of the same owner, and owners take turns.

    The new query keeps the old one's position, else a person who types would be overtaken by all
    others. Each owner has at most one waiting query, so there is always room.
    """

    def _enqueue(self, job: Job) -> list[Job]:
        if self.running is not None and self.running.owner == job.owner:
            self.running.token.cancel()
        for place, older in enumerate(self._waiting):
            if older.owner == job.owner:
                self._waiting[place] = job
                return [older]
        self._waiting.append(job)
        return []


class IndexQueue(WorkQueue):
    """The queue of the only writer. Its progress is also reported to the waiting jobs."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._progress = Progress(Step.SCAN)

    def submit(self, job: Job) -> None:
        job.spread = self._spread
        super().submit(job)
        if self.running not in {None, job}:
            _keep_waiting(job, self._progress)

    def _enqueue(self, job: Job) -> list[Job]:
        replaced = super()._enqueue(job)
        if self.running is not None and self.running.priority > job.priority:
            self.running.token.cancel()
        return replaced

    def _next(self) -> Job:
        """Take the next job by priority."""
        first = min(self._waiting, key=attrgetter("priority"))
        self._waiting.remove(first)
        return first

    @property
    def free(self) -> bool:
        """Whether a submitted job would run at once."""
        with self._changed:
            running = self.running
            return not self._waiting and (running is None or running.priority is Priority.IDLE)

    def _spread(self, progress: Progress) -> None:
        self._progress = progress
        with self._changed:
            waiting = list(self._waiting)
        for job in waiting:
            _keep_waiting(job, progress)


def _keep_waiting(job: Job, progress: Progress) -> None:
    job.sink(replace(progress, note="in_use"))


def _give_up(jobs: list[Job]) -> None:
    for job in jobs:
        job.token.cancel()
        job.finish(None, Cancelled())


def _note_failure(_answer: Any, failure: Exception | None) -> None:
    if failure is not None:
        log.info("a job of the engine itself did not end", exc_info=failure)


ENGINE_OWNER = "the engine"
WATCHER_OWNER = "the watcher"


class LocalEngine(EngineApi, Protocol):
    """An engine of this process, which holds the lock of its library."""

    lock: LibraryLock

    def read_with(self, read: Callable[[CancelToken, Done], None]) -> None:
        """Set the function that reads files queued by the watcher and calls back when done."""

    def stop_watching(self) -> None:
        """Stop the watcher."""

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Scan the paths of a waiting index request, so that the present run reads them next."""

    def overdue(self) -> bool:
        """Whether a failed file is due for a retry."""

    def has_pages_to_recognise(self) -> bool:
        """Whether there may be scanned pages to recognise."""

    def release_memory(self) -> bool:
        """Free memory that only queries need; return whether that was possible."""

    def calibration_waits(self) -> bool:
        """Whether documents may have changed since the last calibration."""

    def calibrate(self, token: CancelToken) -> None:
        """Measure how close passages come to questions, if documents have changed much."""

    def change_waits(self) -> bool:
        """Whether a change of model is pending and possible."""

    def recognise(
        self, report: Callable[[Progress], None], token: CancelToken, busy: Callable[[], bool]
    ) -> int:
        """Recognise scanned pages until none is left or there is other work.

        Returns the number of files queued again for their recognised text.
        """


class BackgroundJobs(Struct, frozen=True):
    """Submits an engine's own jobs to its queues.

    Args:
        index_queue: The queue for reading.
        slow_queue: The queue for scanning folders meanwhile.
        recognition_queue: The queue for scanned pages while other queues are idle.
    """

    engine: LocalEngine
    index_queue: IndexQueue
    slow_queue: WorkQueue
    recognition_queue: WorkQueue
    _changed: threading.Event = field(default_factory=threading.Event)

    @property
    def idle(self) -> bool:
        """Whether nothing is read or recognised, or waits for that."""
        return self.index_queue.idle and self.recognition_queue.idle

    def look_ahead(self, request: Index) -> None:
        """Submit a scan of a waiting request's folders for the present run."""
        if not request.paths or self.index_queue.free:
            return
        # The request itself reports errors.
        self._submit(
            self.slow_queue,
            "look ahead",
            lambda _job: self.engine.look_ahead(request.paths, request.patterns),
        )

    def try_again(self) -> None:
        """Submit a retry of failed files that are due, if the engine is idle."""
        if self.index_queue.free and self.engine.overdue():
            self.work_off()

    def recognise_pages(self) -> None:
        """Submit recognising scanned pages, if there are any and the engine is idle."""
        if not self.idle or not self.engine.has_pages_to_recognise():
            return

        def finish(queued: Any, failure: Exception | None) -> None:
            if failure is not None and not isinstance(failure, Cancelled):
                log.warning("scanned pages are not all read", exc_info=failure)
            elif queued:
                self.work_off()

        def work(job: Job) -> int:
            return self.engine.recognise(job.report, job.token, lambda: not self.index_queue.idle)

        self._submit(self.recognition_queue, "recognise", work, finish)

    def change_model(self) -> None:
        """Submit a change to the configured model, if the engine is idle.

        The next engine retries a failed change.
        """
        if not self.idle or self._changed.is_set() or not self.engine.change_waits():
            return

        def finish(answer: Any, failure: Exception | None) -> None:
            if isinstance(failure, Cancelled) or (answer is not None and answer.cancelled):
                return
            self._changed.set()
            _note_failure(answer, failure)

        work = answering(self.engine, Reindex())
        self._submit(self.index_queue, "change model", work, finish, Priority.IDLE)

    def calibrate(self) -> None:
        """Submit the calibration of a library whose documents have changed, if it is idle."""
        if self.idle and self.engine.calibration_waits():
            work = self.engine.calibrate
            self._submit(
                self.index_queue, "calibrate", lambda job: work(job.token), priority=Priority.IDLE
            )

    def work_off(self) -> None:
        """Submit reading the queued files, as the current run may not look for more."""
        if not self.index_queue.waits(ENGINE_OWNER):
            work = answering(self.engine, Index(scan=False))
            self._submit(self.index_queue, "index", work, priority=Priority.FOUND)

    def read_found(self, _token: CancelToken, done: Done) -> None:
        """Submit reading files that the watcher found, with lower priority than requests."""

        def finish(answer: Any, failure: Exception | None) -> None:
            gave_way = failure is None and answer.cancelled
            done(Cancelled() if gave_way else failure)

        work = answering(self.engine, Index(scan=False))
        self.index_queue.submit(
            Job(WATCHER_OWNER, work, finish, kept=True, priority=Priority.FOUND, name="index")
        )

    @staticmethod
    def _submit(
        queue: WorkQueue,
        name: str,
        work: Callable[[Job], object],
        finish: Finish = _note_failure,
        priority: Priority = Priority.ASKED,
    ) -> None:
        """Submit a job of the engine unless its queue is closing or full."""
        with contextlib.suppress(LecternError):
            queue.submit(Job(ENGINE_OWNER, work, finish, kept=True, priority=priority, name=name))
