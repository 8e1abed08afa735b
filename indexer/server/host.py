"""An engine of this process that is shared with other processes.

Owns the pairing of an engine with its service: requests of this process use the same queues as
those of clients, so there is only one writer.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, TypeVar, cast

from indexer.api.contract import Queue
from indexer.api.errors import LecternError
from indexer.api.progress import CancelToken, Progress, ignore
from indexer.server.work_queues import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.contract import Request
    from indexer.server.background_jobs import LocalEngine
    from indexer.server.service import Service

A = TypeVar("A")

log = logging.getLogger(__name__)

OWNER = "this process"
# Timeout of a wait, for Ctrl+C on systems where waiting delays signals.
POLL_S = 0.2


class Host:
    """An ``EngineApi`` over an engine of this process, shared through its service.

    Args:
        engine: Closed together with the host. The caller holds the library lock through it.
        service: Serves that engine; started here.

    Raises:
        LecternError: If a permanent service cannot start; a command runs without sharing.
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
            # The command continues; others wait for the lock.
            log.warning("the engine cannot be shared", exc_info=True)

    def call(
        self,
        request: Request[A],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> A:
        """See ``indexer.api.contract.EngineApi``; index requests wait in the queue."""
        if request.queue is Queue.INDEX:
            return self._queued(request, token or CancelToken(), report or ignore)
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
        done = threading.Event()
        outcome: list[tuple[Any, Exception | None]] = []

        def work(job: Job) -> A:
            return self.engine.call(request, token=job.token, report=job.report)

        def finish(answer: Any, failure: Exception | None) -> None:
            outcome.append((answer, failure))
            done.set()

        job = Job(OWNER, work, finish, sink=report, name=request.wire_name, token=token)
        self.service.index_queue.submit(job)
        while not done.wait(POLL_S):
            pass
        answer, failure = outcome[0]
        if failure is not None:
            raise failure
        return cast("A", answer)
