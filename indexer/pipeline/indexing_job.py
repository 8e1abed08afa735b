"""One request to index, from the scan of the folders to the maintenance of the store.

A pause lasts until the person ends it; work on a full disk waits for room. The work between two
interruptions is one ``run.IndexingRun``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from indexer.api.errors import LecternError, WorldError
from indexer.api.progress import Progress, Reporter, Step
from indexer.api.types import Summary
from indexer.library.recovery import recover
from indexer.pipeline.parts import Parts, RunCounts
from indexer.pipeline.rates import record_throughput
from indexer.pipeline.run import IndexingRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.catalog.records import Root

T = TypeVar("T")

# Seconds between progress reports and checks for a cancel while waiting.
TICK_S = 0.25


@dataclass(slots=True)
class IndexingJob:
    """Works until nothing is left to do.

    Args:
        make_parts: Makes the parts of the next run. Called while nothing is being embedded.
        reporter: Receives progress; its token ends the job cleanly.
        patient: Whether to wait if the disk is full, instead of failing.
    """

    make_parts: Callable[[], Parts]
    reporter: Reporter
    patient: bool
    parts: Parts = field(init=False)
    counts: RunCounts = field(default_factory=RunCounts)
    _last: Progress = field(default_factory=lambda: Progress(Step.SCAN))

    def __post_init__(self) -> None:
        self.parts = self.make_parts()

    def do(self, step: Callable[[], T]) -> T:
        """Run one step of the job; while the disk is full, wait and retry.

        Raises ``Cancelled`` if the token was cancelled, ``WorldError`` if the step fails.
        """
        while True:
            try:
                return step()
            except WorldError as error:
                if error.code != "disk_full" or not self.patient:
                    raise
            self._wait_for_room()

    def read_and_embed(self, make_parts: Callable[[], Parts] | None = None) -> None:
        """Read, embed and write until nothing is left. Waits while the person has paused work.

        Args:
            make_parts: Replaces the constructor's.
        """
        self.make_parts = make_parts or self.make_parts
        while not self._run_once():
            self._wait_while(lambda: self.parts.throttle.paused)

    def summary(
        self, roots: Sequence[Root], seen: int, seconds: float, *, cancelled: bool
    ) -> Summary:
        """Return a summary of the job with the present states of files under some roots."""
        states: dict[str, int] = {}
        for root in roots:
            for state, count in self.parts.catalog.files.counts(root.id).items():
                states[str(state)] = states.get(str(state), 0) + count
        return Summary(
            states=states,
            files_seen=seen,
            documents_added=self.counts.documents,
            pages=self.counts.pages,
            passages=self.counts.embedded,
            tokens=self.counts.tokens,
            seconds=seconds,
            cancelled=cancelled,
            reused=self.counts.reused,
        )

    def _run_once(self) -> bool:
        """Work until a pause; return whether everything is done."""
        if self.parts.throttle.paused:
            return False
        self.parts = self.make_parts()
        recover(self.parts.catalog, self.parts.store)
        run = IndexingRun(self.parts, self.reporter, self.counts)
        try:
            return run.work_off_queue()
        finally:
            run.stop()
            # The throughput of slowed work is not that of the machine.
            if not self.parts.throttle.slowed:
                record_throughput(self.parts.catalog, self.parts.space.key, run.own, run.effort)
            self.counts, self._last = run.counts, run.progress

    def _wait_for_room(self) -> None:
        throttle = self.parts.throttle
        throttle.disk_full = True
        try:
            # A retry would fail again at once, so wait first.
            until = time.monotonic() + self.parts.batches.disk_retry_s
            self._wait_while(lambda: time.monotonic() < until)
            self._wait_while(self._is_full)
        finally:
            throttle.disk_full = False

    def _is_full(self) -> bool:
        try:
            self.parts.check_space()
        except LecternError:
            return True
        return False

    def _wait_while(self, halted: Callable[[], bool]) -> None:
        while halted():
            waiting = replace(self._last, note=self.parts.throttle.reason, eta_seconds=None)
            self.reporter.report(waiting, force=True)
            self.parts.throttle.wait_for_change(TICK_S)
