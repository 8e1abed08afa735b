"""How far an indexing run is, how fast it goes and how long it will take.

Owns the arithmetic of progress. Counting queued files costs a query, so it is done once a second
at most. It must not know who is told.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from indexer.progress import Progress, Step

if TYPE_CHECKING:
    from indexer.catalog import Catalog

COUNT_EVERY_S = 1.0


class Done(Protocol):
    """What a run has read so far."""

    @property
    def files(self) -> int: ...

    @property
    def pages(self) -> int: ...


def remaining_seconds(
    seconds: float, files_done: int, files_left: int, embedded: int, pending: int
) -> float | None:
    """Estimate the time left from what was done so far, or None before there is a basis.

    The queued files are expected to hold as many passages each as those read; embedding is what
    takes the time, so the rate of embedding decides, or of reading where nothing needs vectors.

    >>> remaining_seconds(10.0, 5, 5, 50, 0)
    10.0
    >>> remaining_seconds(10.0, 0, 5, 0, 0) is None
    True
    """
    if files_done == 0 and embedded == 0:
        return None
    if embedded:
        read = embedded + pending
        expected = pending + (files_left * read / files_done if files_done else 0.0)
        return seconds * expected / embedded
    return seconds * files_left / files_done


@dataclass(slots=True)
class Rates:
    """Turns counts into snapshots of one run."""

    catalog: Catalog
    started: float = field(default_factory=time.monotonic)
    _counted: float = float("-inf")
    _waiting: int = 0
    _pending: int = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def progress(self, step: Step, done: Done, *, embedded: int, tokens: int) -> Progress:
        """Take a snapshot; ``embedded`` counts passages."""
        now = time.monotonic()
        if now - self._counted >= COUNT_EVERY_S:
            self._counted = now
            self._waiting = self.catalog.queue.waiting()
            totals = self.catalog.spaces.totals()
            self._pending = max(0, totals.passages - totals.embedded)
        seconds = self.seconds
        return Progress(
            step=step,
            files_done=done.files,
            files_total=done.files + self._waiting,
            pages=done.pages,
            passages=embedded,
            passages_pending=self._pending,
            tokens=tokens,
            seconds=seconds,
            eta_seconds=remaining_seconds(
                seconds, done.files, self._waiting, embedded, self._pending
            ),
        )
