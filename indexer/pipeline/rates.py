"""Computes the progress of an indexing run and the time left, and records the machine's speed.

Work finishes in batches, and the rate is measured from batch to batch, since up to the present it
would fall until the next batch and then jump. The estimate follows decreases, but increases only if
they exceed a threshold. Counting the queue reads every row, so this happens at most once a second,
and less often if it is slow. The rates of finished runs are stored in the catalog for estimates.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections import deque
from collections.abc import Collection
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from indexer.api.errors import LecternError
from indexer.api.progress import Progress, Step
from indexer.pipeline.parts import Effort, RunCounts

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import QueuedFile

# The sliding window of the rate.
WINDOW_S = 120.0
# The least number of batches and seconds before an estimate is reported.
LEAST_BATCHES, LEAST_S = 5, 5.0
# The rate falls if a batch takes this many times as long as the longest in the window.
PATIENCE = 2.0
# The time constant of the smoothing.
SMOOTHING_S = 5.0
# The reported time only grows if the measured time exceeds it by this.
GROWTH_SHARE, GROWTH_S = 1.25, 15.0


class TimeLeft(Struct):
    """Estimates one kind of work. Times are seconds of a monotonic clock."""

    _batches: deque[tuple[float, float]] = field(default_factory=deque)  # when, done by then
    _done: float | None = None
    _measured: float = 0.0  # smoothed, as of ``_at``
    _reported: float | None = None
    _at: float = 0.0

    def follow(self, now: float, done: float, left: float) -> float | None:
        """Add a measurement; return the seconds left, None before there is enough data."""
        self._note(now, done)
        times = [time for time, _ in self._batches]
        if len(times) <= LEAST_BATCHES or times[-1] - times[0] < LEAST_S:
            return None
        patience = PATIENCE * max(b - a for a, b in itertools.pairwise(times))
        until = max(times[-1], now - patience)
        rate = (self._batches[-1][1] - self._batches[0][1]) / (until - times[0])
        measured = max(0.0, left / rate - (now - until))
        if self._reported is None:
            self._measured = self._reported = measured
        passed = now - self._at
        expected = max(0.0, self._measured - passed)
        self._measured = expected + (measured - expected) * -math.expm1(-passed / SMOOTHING_S)
        if (
            self._measured < self._reported
            or self._measured > GROWTH_SHARE * self._reported + GROWTH_S
        ):
            self._reported = self._measured
        self._at = now
        return self._reported

    def _note(self, now: float, done: float) -> None:
        if self._done is None:
            self._done = done
        elif done > self._done:
            # The clock starts with the first batch, as the time before it was preparation.
            self._done = done
            self._batches.append((now, done))
        while len(self._batches) > LEAST_BATCHES + 1 and now - self._batches[1][0] > WINDOW_S:
            self._batches.popleft()


COUNT_EVERY_S = 1.0
COUNT_SHARE = 0.02  # share of the indexing thread's time
NOTHING = RunCounts()


def passages_left(pending: int, made: int, done: RunCounts, bytes_left: int) -> float:
    """Estimate the number of passages that have to be embedded.

    Args:
        pending: Passages without vectors from before the run.
        made: Passages embedded in the run.
        done: The counters of reading; ``cut`` counts the passages of complete files.
        bytes_left: The size of the unread files, which are assumed to have as many passages per
            byte as the others.
    """
    expected = bytes_left * done.cut / done.bytes if done.bytes else 0.0
    return max(0.0, pending + done.cut + expected - made)


class Rates(Struct):
    """Computes progress snapshots of one run."""

    catalog: Catalog
    space: int  # the space that is being filled
    started: float = field(default_factory=time.monotonic)
    _count_at: float = float("-inf")
    _files: int = 0  # files read by this run or queued
    _bytes: int = 0  # their size
    _passages: int = 0  # passages in the library now
    _embedded: int | None = None  # vectors in the library before the run
    _waited: int = 0  # passages without vectors before the run
    _reading: TimeLeft = field(default_factory=TimeLeft)
    _embedding: TimeLeft = field(default_factory=TimeLeft)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def progress(
        self, done: RunCounts, taken: Collection[QueuedFile] = (), before: RunCounts = NOTHING
    ) -> Progress:
        """Take a snapshot.

        Args:
            done: The counts of this run.
            taken: The files taken from the queue and not finished.
            before: The counts of the runs that this one continues.
        """
        self._count(done, taken)
        made = done.embedded + done.reused
        pending = max(0, self._passages - (self._embedded or 0) - made)
        return Progress(
            step=Step.INDEX,
            files_done=before.files + done.files,
            files_total=before.files + max(self._files, done.files),
            pages=before.pages + done.pages,
            passages=before.embedded + done.embedded,
            passages_pending=pending,
            tokens=before.tokens + done.tokens,
            seconds=before.seconds + self.seconds,
            eta_seconds=self._seconds_left(done, made, pending),
        )

    def _seconds_left(self, done: RunCounts, made: int, pending: int) -> float | None:
        """Estimate the seconds left; None until the rate of the slower step is known."""
        bytes_left = max(0, self._bytes - done.bytes)
        reading = self._reading.follow(self.seconds, done.bytes, bytes_left)
        left = max(pending, passages_left(self._waited, made, done, bytes_left))
        embedding = self._embedding.follow(self.seconds, made, left)
        # Embedding is the slower step if there are passages to embed.
        return embedding if left or made else reading

    def _count(self, done: RunCounts, taken: Collection[QueuedFile]) -> None:
        if time.monotonic() < self._count_at:
            return
        began = time.thread_time()
        totals = self.catalog.spaces.totals(self.space)
        if self._embedded is None:
            self._embedded = totals.embedded
            self._waited = max(0, totals.passages - done.written - totals.embedded)
        # Files may join the queue at any time.
        files, size = self.catalog.queue.available()
        self._files = done.files + len(taken) + files
        self._bytes = done.bytes + sum(job.stamp.size for job in taken) + size
        self._passages = totals.passages
        # By processor time, as by the clock counts would be a minute old on a busy computer.
        worked = time.thread_time() - began
        self._count_at = time.monotonic() + max(COUNT_EVERY_S, worked / COUNT_SHARE)


THROUGHPUT_KEY = "rates"
# Defaults before the first measurement, from a laptop and a model with 6 layers.
DEFAULT_PAGES_A_SECOND = 60.0
DEFAULT_PASSAGES_A_SECOND = 25.0
DEFAULT_LAYERS = 6
DEFAULT_PASSAGES_A_PAGE = 3.0
# Smaller runs are not recorded.
LEAST_PAGES = 50
LEAST_PASSAGES = 100
# The weight of the latest run in the moving average.
RATE_WEIGHT = 0.5


class Throughput(Struct, frozen=True):
    """Pages read and passages embedded per second, if nothing else runs."""

    pages: float = DEFAULT_PAGES_A_SECOND
    passages: float = DEFAULT_PASSAGES_A_SECOND
    passages_a_page: float = DEFAULT_PASSAGES_A_PAGE
    measured: bool = False


def load_throughput(catalog: Catalog, space: str, layers: int = DEFAULT_LAYERS) -> Throughput:
    """Return the rates measured in this library, or defaults.

    Args:
        space: The key of the embedding space whose rate of passages is returned.
        layers: The layers of its model, to scale the default.
    """
    known = _known(catalog)
    of_space = known.get(f"passages:{space}")
    return Throughput(
        known.get("pages") or DEFAULT_PAGES_A_SECOND,
        of_space or DEFAULT_PASSAGES_A_SECOND * DEFAULT_LAYERS / layers,
        known.get("passages_a_page") or DEFAULT_PASSAGES_A_PAGE,
        measured=bool(known.get("pages") and of_space),
    )


def record_throughput(catalog: Catalog, space: str, done: RunCounts, effort: Effort) -> None:
    """Update the rates by a run's counts and busy times."""
    seen: dict[str, float] = {}
    if done.pages >= LEAST_PAGES and effort.reading_s > 0:
        seen["pages"] = done.pages / effort.reading_s
        seen["passages_a_page"] = done.written / done.pages
    if done.embedded >= LEAST_PASSAGES and effort.embedding_s > 0:
        seen[f"passages:{space}"] = done.embedded / effort.embedding_s
    if not seen:
        return
    known = _known(catalog)
    for key, rate in seen.items():
        known[key] = (
            rate if key not in known else RATE_WEIGHT * rate + (1 - RATE_WEIGHT) * known[key]
        )
    # Only estimates depend on this, so a full disk must not fail the run.
    with contextlib.suppress(LecternError):
        catalog.set_meta(THROUGHPUT_KEY, msgspec.json.encode(known).decode())


def _known(catalog: Catalog) -> dict[str, float]:
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(catalog.meta(THROUGHPUT_KEY) or "{}", type=dict[str, float])
    return {}
