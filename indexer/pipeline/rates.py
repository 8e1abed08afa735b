"""How far an indexing run is, how fast it goes and how long it will take.

Owns the arithmetic of progress. Counting what is queued reads every row, so it is done once a
second at most, and less often where that takes long. It must not know who is told.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from indexer.progress import Progress, Step

if TYPE_CHECKING:
    from indexer.catalog import Catalog

COUNT_EVERY_S = 1.0
COUNT_SHARE = 0.02  # of the lane's time


class Done(Protocol):
    """What a run has read so far."""

    @property
    def files(self) -> int: ...

    @property
    def pages(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Passages:
    """How many a run has written and embedded, and how many wait, those of earlier runs too."""

    written: int = 0
    embedded: int = 0
    pending: int = 0


def remaining_seconds(
    seconds: float, files_done: int, files_left: int, passages: Passages
) -> float | None:
    """Estimate the time left from what was done so far, or None before there is a basis.

    The queued files are expected to hold as many passages each as those read; embedding is what
    takes the time, so the rate of embedding decides, or of reading where nothing needs vectors.

    >>> remaining_seconds(10.0, 5, 5, Passages(written=50, embedded=50))
    10.0
    >>> remaining_seconds(10.0, 0, 5, Passages()) is None
    True
    """
    if passages.embedded:
        expected = float(passages.pending)
        if files_done:
            expected += files_left * passages.written / files_done
        return seconds * expected / passages.embedded
    return seconds * files_left / files_done if files_done else None


@dataclass(slots=True)
class Rates:
    """Turns counts into snapshots of one run."""

    catalog: Catalog
    space: int  # that is being filled
    started: float = field(default_factory=time.monotonic)
    _count_at: float = float("-inf")
    _files: int = 0  # that were or will be read by this run, as far as is known
    _passages: int = 0  # in the library now
    _embedded: int | None = None  # in the library before the run

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
        in_hand: int = 0,
    ) -> Progress:
        """Take a snapshot.

        Args:
            step: What the lane is doing.
            done: Files and pages.
            written: Passages that can be found by words.
            embedded: Passages that have vectors.
            tokens: What the model was given.
            reused: Passages that took over vectors.
            in_hand: Files taken from the queue and not done.
        """
        self._count(done.files + in_hand)
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
            eta_seconds=remaining_seconds(
                seconds, done.files, files - done.files, Passages(written, embedded, pending)
            ),
        )

    def _count(self, taken: int) -> None:
        began = time.monotonic()
        if began < self._count_at:
            return
        totals = self.catalog.spaces.totals(self.space)
        if self._embedded is None:
            self._embedded = totals.embedded
        # Files may join the queue at any time.
        self._files = taken + self.catalog.queue.untaken()
        self._passages = totals.passages
        now = time.monotonic()
        self._count_at = now + max(COUNT_EVERY_S, (now - began) / COUNT_SHARE)
