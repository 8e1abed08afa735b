"""Serves an engine to other processes of the same person; ``Host`` shares it with this one.

The caller holds the library lock. The service ends when the folder at the library's path is no
longer the locked one. Requests of this process use the same queues as those of clients, so there is
only one writer.
"""

from __future__ import annotations

import functools
import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from multiprocessing import Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Meta

from indexer.api.codec import Greeting, Header, decode, program_version
from indexer.api.contract import MAX_NUMBER, Queue, Request
from indexer.api.errors import Cancelled, InternalError, LecternError, WorldError
from indexer.api.progress import CancelToken, Progress, Report, ignore_progress
from indexer.api.requests import Index, Shutdown
from indexer.api.types import Summary
from indexer.server.session import Acceptor, Session
from indexer.server.work_queues import (
    BackgroundJobs,
    IndexQueue,
    Job,
    SearchQueue,
    WorkQueue,
    answering,
)

if TYPE_CHECKING:
    from indexer.api.endpoint import Endpoint, MessageStream
    from indexer.server.work_queues import LocalEngine


log = logging.getLogger(__name__)

# The window is a client, and so is each running command.
MAX_CLIENTS = 64
# Memory is freed after this many seconds without work. Polling does not count as work.
REST_S = 300.0
_POLLED = frozenset({Queue.STATUS, Queue.FAST})
# The field of a message with the number that its client gave it.
_Number = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
# The seconds that a running search may take before the engine closes.
PATIENCE_S = 5.0


class Service:
    """Serves one engine until ``close``.

    Args:
        library: The folder of the library, whose lock the caller holds.
        offline: Whether the engine never uses the network; clients may require this.
        lasting: Whether the process only serves, so that a client may end it. Others end with their
            command.
    """

    def __init__(
        self, engine: LocalEngine, library: Path, *, offline: bool = False, lasting: bool = False
    ) -> None:
        self.engine = engine
        self.library = library
        self.lock = engine.lock
        self.offline = offline
        self.lasting = lasting
        #: Whether the engine only waits for questions; see ``Greeting``.
        self.staying = False
        #: With an encrypted library it stops after this many seconds without work; 0 is never.
        self.lock_after_s = 0.0
        self.search_queue = SearchQueue("search queue")
        self.index_queue = IndexQueue("index queue")
        self.queues: dict[Queue, WorkQueue] = {
            name: WorkQueue(f"{name.value} queue")
            for name in (Queue.STATUS, Queue.FAST, Queue.SLOW, Queue.FETCH)
        }
        self.queues |= {Queue.SEARCH: self.search_queue, Queue.INDEX: self.index_queue}
        self.recognition_queue = WorkQueue("recognition queue")
        self.background = BackgroundJobs(
            engine, self.index_queue, self.queues[Queue.SLOW], self.recognition_queue
        )
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._sessions: dict[int, Session] = {}
        self._stopping = False
        self._quiet_since = time.monotonic()
        self._worked_at = time.monotonic()
        self._rested = False
        self._wake, self._waker = Pipe(duplex=False)
        self._acceptor = Acceptor(library, engine.lock, self.stopping)
        engine.read_with(self.background.read_found)

    def start(self) -> None:
        """Start serving; see ``Acceptor.open``."""
        self._acceptor.open(self._welcome)

    def wait(self, idle_seconds: float | None = None) -> None:
        """Wait until ``stop`` is called or the engine was idle for ``idle_seconds``.

        A client that only polls prevents idleness, but not that an encrypted library is locked.
        Raises ``library_moved`` if the library is no longer at its path.
        """
        with self._changed:
            while not self._stopping and self.lock.is_intact():
                if idle_seconds is not None and self._quiet_for(idle_seconds):
                    return
                self.background.try_again()
                self.background.recognise_pages()
                self.background.change_model()
                self.background.calibrate()
                self._rest()
                if self.lock_after_s and time.monotonic() - self._worked_at >= self.lock_after_s:
                    self.stop()
                # The timeout lets signal handlers run on systems where waiting delays them.
                self._changed.wait(0.5)
        self.lock.check()

    def _rest(self) -> None:
        """Let the engine free memory, once after each period of work."""
        working = [queue for name, queue in self.queues.items() if name not in _POLLED]
        if not all(queue.idle for queue in (*working, self.recognition_queue)):
            self._note_work()
        elif not self._rested and time.monotonic() - self._worked_at >= REST_S:
            self._rested = self.engine.release_memory()

    def _note_work(self) -> None:
        self._worked_at, self._rested = time.monotonic(), False

    def _quiet_for(self, seconds: float) -> bool:
        now = time.monotonic()
        if self._sessions or not self.background.idle:
            self._quiet_since = now
            return False
        return now - self._quiet_since >= seconds

    def stop(self) -> None:
        """Make ``wait`` return."""
        self._stopping = True
        with self._changed:
            self._changed.notify_all()

    def stopping(self) -> bool:
        """Whether the engine is ending."""
        return self._stopping

    def close(self) -> None:
        """Stop accepting clients, answer running requests, end indexing cleanly, and disconnect."""
        self._stopping = True
        self.engine.stop_watching()
        self._acceptor.close()
        for name, queue in self.queues.items():
            if name is not Queue.INDEX:
                stopped = name in {Queue.SLOW, Queue.FETCH}
                queue.close(finish_running=not stopped, timeout=PATIENCE_S)
        self.recognition_queue.close()
        self.index_queue.close()
        self._waker.close()
        with self._changed:
            if self._changed.wait_for(lambda: not self._sessions, PATIENCE_S):
                self._wake.close()

    def _welcome(self, connection: MessageStream, endpoint: Endpoint) -> None:
        session = Session(connection, next(self._numbers), self._wake, endpoint.secret)
        greeting = Greeting(
            pid=endpoint.pid,
            holding=endpoint.holding,
            library=str(self.library),
            offline=self.offline,
            version=program_version(),
            staying=self.staying,
        )
        with self._changed:
            if has_room := self._make_room():
                self._sessions[session.number] = session
        if not has_room:
            session.refuse(WorldError("busy", reason="many_clients"))
            return
        try:
            session.start(greeting, self._handle, self._farewell)
        except (RuntimeError, OSError):
            log.warning("a client could not be served", exc_info=True)
            self._farewell(session)
            connection.close()

    def _make_room(self) -> bool:
        """Return whether another client can be served, if necessary instead of a silent one.

        Called with the lock held.
        """
        if len(self._sessions) < MAX_CLIENTS:
            return True
        silent = next((each for each in self._sessions.values() if not each.greeted), None)
        if silent is not None:
            self._sessions.pop(silent.number)
            silent.cut(WorldError("busy", reason="many_clients"))
        return silent is not None

    def _farewell(self, session: Session) -> None:
        for queue in self.queues.values():
            queue.cancel_jobs_of(session.number)
        with self._changed:
            self._sessions.pop(session.number, None)
            self._quiet_since = time.monotonic()
            self._changed.notify_all()

    def _handle(self, session: Session, header: Header) -> None:
        number: int | None = None
        try:
            number = decode(_Number, header.get("id"))
            if header.get("type") == "cancel":
                self._cancel(session, number)
                return
            request: Request[Any] = Request.from_header(header)
            if isinstance(request, Shutdown):
                self._shut_down(session, number)
            else:
                self._submit(session, number, request)
        except LecternError as error:
            session.fail(number, error)

    def _cancel(self, session: Session, number: int) -> None:
        job = session.jobs.get(number)
        if job is not None:
            self.queues[Request.kinds[job.name].queue].cancel(job)

    def _shut_down(self, session: Session, number: int) -> None:
        if not self.lasting:
            raise WorldError("busy", reason="in_use")
        session.reply(number, "reply", answer=None)
        self.stop()

    def _submit(self, session: Session, number: int, request: Request[Any]) -> None:
        if number in session.jobs:
            raise WorldError("bad_request", reason="its id is in use")
        if not self.lock.is_intact():
            # The library was moved. This engine ends, and the next one opens it at its new path.
            self.stop()
            raise WorldError("engine_gone")
        if request.queue not in _POLLED:
            self._note_work()
        if isinstance(request, Index):
            self.background.look_ahead(request)

        job = Job(
            owner=session.number,
            work=answering(self.engine, request),
            finish=functools.partial(self._finish, session, number, request),
            sink=functools.partial(session.progress, number)
            if request.reports
            else ignore_progress,
            kept=isinstance(request, Index) and request.kept,
            name=request.wire_name,
        )
        session.jobs[number] = job
        try:
            self.queues[request.queue].submit(job)
        except LecternError:
            session.jobs.pop(number, None)
            raise

    def _finish(
        self,
        session: Session,
        number: int,
        request: Request[Any],
        answer: Any,
        failure: Exception | None,
    ) -> None:
        """Send the outcome of a job."""
        was_cancelled = isinstance(answer, Summary) and answer.cancelled
        if (was_cancelled or isinstance(failure, Cancelled)) and self._stopping:
            # The client did not cancel, so it can repeat the request with the next engine.
            session.fail(number, WorldError("engine_gone"))
        elif isinstance(failure, Cancelled):
            session.reply(number, "cancelled")
        elif isinstance(failure, LecternError):
            session.fail(number, failure)
        elif failure is not None:
            session.fail(number, InternalError("internal", reason=type(failure).__name__))
        else:
            changes = {"changes": request.changes} if request.changes else {}
            session.reply(number, "reply", answer=answer, **changes)
            self.answered(request, answer)

    def answered(self, request: Request[Any], answer: Any) -> None:
        """Submit a job that reads the files that a request has queued."""
        if request.queues_files and answer:
            self.background.work_off()


A = TypeVar("A")

OWN_CLIENT = "this process"
# The timeout of a wait, so that Ctrl+C works on systems where waiting delays signals.
HOST_POLL_S = 0.2


class Host:
    """An ``EngineApi`` over an engine of this process, shared through its service.

    Args:
        engine: The engine, closed with the host. It holds the library lock for the caller.
        service: The engine's service, which is started here.

    Raises ``LecternError`` if a permanent service cannot start. A command runs without sharing.
    """

    def __init__(self, engine: LocalEngine, service: Service) -> None:
        self.engine = engine
        self.service = service
        try:
            service.start()
        except LecternError:
            if service.lasting:
                service.close()
                raise
            # The command continues, and others wait for the lock.
            log.warning("the engine cannot be shared", exc_info=True)

    def call(
        self, request: Request[A], *, token: CancelToken | None = None, report: Report | None = None
    ) -> A:
        """See ``indexer.api.contract.EngineApi``. Index requests wait in the queue."""
        if request.queue is Queue.INDEX:
            return self._queued(request, token or CancelToken(), report or ignore_progress)
        answer = self.engine.call(request, token=token, report=report)
        self.service.answered(request, answer)
        return answer

    def close(self) -> None:
        try:
            self.service.close()
        finally:
            self.engine.close()

    def _queued(
        self, request: Request[A], token: CancelToken, report: Callable[[Progress], None]
    ) -> A:
        outcome: Future[A] = Future()

        def finish(answer: Any, failure: Exception | None) -> None:
            if failure is None:
                outcome.set_result(answer)
            else:
                outcome.set_exception(failure)

        work = answering(self.engine, request)
        job = Job(OWN_CLIENT, work, finish, sink=report, name=request.wire_name, token=token)
        self.service.index_queue.submit(job)
        while not wait([outcome], HOST_POLL_S).done:
            pass
        return outcome.result()
