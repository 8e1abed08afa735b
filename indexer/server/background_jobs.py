"""What the engine does without a client having asked for exactly that: reading what was queued.

Owns the jobs of retries, of the watcher, of failures that are tried again, of scanned pages, and
the look at folders whose turn has not come. It must not know sockets, nor how anything is read.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from indexer.api.errors import Cancelled, LecternError
from indexer.server.work_queues import IndexLane, Job, Lane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.api.contract import EngineApi
    from indexer.api.progress import CancelToken, Progress

log = logging.getLogger(__name__)

OWNER = "the engine"
WATCHER = "the watcher"


@runtime_checkable
class ReadsScans(Protocol):
    """An engine that reads scanned pages; see ``indexer.engine.engine``."""

    def scans_wait(self) -> bool: ...

    def recognise(
        self,
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        busy: Callable[[], bool],
    ) -> int: ...


@dataclass(frozen=True, slots=True)
class Errands:
    """Puts an engine's own work on its lanes.

    Args:
        engine: May know ``look_ahead`` and ``overdue``; see ``indexer.engine.engine``.
        index_lane: Where reading is done.
        survey_lane: Where folders are looked at meanwhile.
        scan_lane: Where scanned pages are read while nothing else is done.
    """

    engine: EngineApi
    index_lane: IndexLane
    survey_lane: Lane
    scan_lane: Lane

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Have folders taken in that a run in progress could read next, before it is their turn."""
        look_ahead = getattr(self.engine, "look_ahead", None)
        if look_ahead is None or not paths or self.index_lane.idle:
            return
        job = Job(
            owner=OWNER,
            work=lambda _job: look_ahead(paths, patterns),
            finish=_note_failure,
            kept=True,
            name="look ahead",
        )
        # What is wrong with them is said when their turn comes.
        with contextlib.suppress(LecternError):
            self.survey_lane.submit(job)

    def try_again(self) -> None:
        """Have read what failed a while ago, once it is due and nobody asks for anything."""
        overdue = getattr(self.engine, "overdue", None)
        if overdue is not None and self.index_lane.idle and overdue():
            self.work_off()

    def read_scans(self) -> None:
        """Have scanned pages read, if any wait and nobody asks for anything."""
        engine, idle = self.engine, self.index_lane.idle and self.scan_lane.idle
        if not isinstance(engine, ReadsScans) or not idle or not engine.scans_wait():
            return

        def finish(queued: Any, failure: Exception | None) -> None:
            if failure is not None and not isinstance(failure, Cancelled):
                log.warning("scanned pages are not all read", exc_info=failure)
            elif queued:
                self.work_off()

        job = Job(
            owner=OWNER,
            work=lambda job: engine.recognise(
                report=job.report, token=job.token, busy=lambda: not self.index_lane.idle
            ),
            finish=finish,
            kept=True,
            name="recognise",
        )
        with contextlib.suppress(LecternError):
            self.scan_lane.submit(job)

    def work_off(self) -> None:
        """Have read what was queued; a run that goes on may be past looking."""
        if not self.index_lane.waits(OWNER):
            with contextlib.suppress(LecternError):
                self._read(OWNER, _note_failure)

    def read_found(self, _token: CancelToken, done: Callable[[Exception | None], None]) -> None:
        """Have read what the watcher found, behind what anyone asks for."""

        def finish(answer: Any, failure: Exception | None) -> None:
            gave_way = failure is None and answer.cancelled
            done(Cancelled() if gave_way else failure)

        self._read(WATCHER, finish)

    def _read(self, owner: str, finish: Callable[[Any, Exception | None], None]) -> None:
        job = Job(
            owner=owner,
            work=lambda job: self.engine.index((), report=job.report, token=job.token, scan=False),
            finish=finish,
            kept=True,
            gives_way=True,
            name="index",
        )
        self.index_lane.submit(job)


def _note_failure(_answer: Any, failure: Exception | None) -> None:
    if failure is not None:
        log.info("what was queued is not all read", exc_info=failure)
