"""The progress of an indexing run: counts, throughput and the estimated time left.

Owns the counts; ``time_left`` has the estimate. Counting the queue reads every row, so it is done
at most once a second, and less often if it is slow. It must not know who displays it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from indexer.api.progress import Progress, Step
from indexer.pipeline.time_left import TimeLeft

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog

COUNT_EVERY_S = 1.0
COUNT_SHARE = 0.02  # of the indexing thread's time


class Done(Protocol):
    """The counters of reading that the estimate needs."""

    @property
    def files(self) -> int: ...

    @property
    def pages(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def cut(self) -> int: ...


@dataclass(frozen=True, slots=True)
class FilesInReading:
    """The files taken from the queue and not finished: their number and bytes."""

    files: int = 0
    bytes: int = 0


NOTHING = FilesInReading()


def passages_left(pending: int, made: int, done: Done, bytes_left: int) -> float:
    """Estimate how many passages are still to be embedded.

    Args:
        pending: Passages without vectors from before the run.
        made: Passages embedded in the run.
        done: The counters of reading; ``cut`` counts the passages of whole files.
        bytes_left: Of the files not read yet, which are assumed to have as many passages per byte
            as those read.
    """
    expected = bytes_left * done.cut / done.bytes if done.bytes else 0.0
    return max(0.0, pending + done.cut + expected - made)


@dataclass(slots=True)
class Rates:
    """Computes progress snapshots of one run."""

    catalog: Catalog
    space: int  # that is embedded into
    started: float = field(default_factory=time.monotonic)
    _count_at: float = float("-inf")
    _files: int = 0  # read by this run or queued
    _bytes: int = 0  # of these
    _passages: int = 0  # in the library now
    _embedded: int | None = None  # in the library before the run
    _waited: int = 0  # passages without vectors before the run
    _reading: TimeLeft = field(default_factory=TimeLeft)
    _embedding: TimeLeft = field(default_factory=TimeLeft)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def progress(
        self,
        step: Step,
        done: Done,
        *,
        written: int,
        embedded: int,
        tokens: int,
        reused: int = 0,
        taken: FilesInReading = NOTHING,
    ) -> Progress:
        """Take a snapshot.

        Args:
            step: The current step.
            done: Files and pages.
            written: Passages in the store.
            embedded: Passages that have vectors.
            tokens: Tokens that the model has read.
            reused: Passages that reused vectors.
            taken: Files taken from the queue and not finished.
        """
        self._count(done, taken, written)
        seconds = self.seconds
        files = max(self._files, done.files)
        pending = max(0, self._passages - (self._embedded or 0) - embedded - reused)
        return Progress(
            step=step,
            files_done=done.files,
            files_total=files,
            pages=done.pages,
            passages=embedded,
            passages_pending=pending,
            tokens=tokens,
            seconds=seconds,
            eta_seconds=self._seconds_left(done, embedded + reused, pending),
        )

    def _seconds_left(self, done: Done, made: int, pending: int) -> float | None:
        """Estimate the seconds left; None until the rate of the slower step is known."""
        bytes_left = max(0, self._bytes - done.bytes)
        reading = self._reading.follow(self.seconds, done.bytes, bytes_left)
        left = max(pending, passages_left(self._waited, made, done, bytes_left))
        embedding = self._embedding.follow(self.seconds, made, left)
        # Embedding is the slower step whenever there are passages to embed.
        return embedding if left or made else reading

    def _count(self, done: Done, taken: FilesInReading, written: int) -> None:
        if time.monotonic() < self._count_at:
            return
        began = time.thread_time()
        totals = self.catalog.spaces.totals(self.space)
        if self._embedded is None:
            self._embedded = totals.embedded
            self._waited = max(0, totals.passages - written - totals.embedded)
        # Files may join the queue at any time.
        files, size = self.catalog.queue.available()
        self._files = done.files + taken.files + files
        self._bytes = done.bytes + taken.bytes + size
        self._passages = totals.passages
        # By the work, not by the clock: on a busy computer counts would be a minute old.
        worked = time.thread_time() - began
        self._count_at = time.monotonic() + max(COUNT_EVERY_S, worked / COUNT_SHARE)
