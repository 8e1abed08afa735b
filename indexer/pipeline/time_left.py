"""A smoothed estimate of the time left.

Pure arithmetic over the work done and left at given times. Work finishes in batches, so a mean up
to the present would grow until the next batch and then drop; the rate is therefore measured from
batch to batch. The estimate follows decreases, and increases only when they exceed a threshold. It
must not know what the work is.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass, field

# The sliding window of the rate.
WINDOW_S = 120.0
# The least number of batches and seconds before an estimate is reported.
LEAST_BATCHES, LEAST_S = 5, 5.0
# A batch that takes so many times as long as the longest in the window lowers the rate.
PATIENCE = 2.0
# The time constant of the smoothing.
SMOOTHING_S = 5.0
# The reported time only grows when the measured one exceeds it by this.
GROWTH_SHARE, GROWTH_S = 1.25, 15.0


@dataclass(slots=True)
class TimeLeft:
    """Estimates one kind of work; times are seconds of one monotonic clock."""

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
            # The clock starts with the first batch: the time before it was preparation.
            self._done = done
            self._batches.append((now, done))
        while len(self._batches) > LEAST_BATCHES + 1 and now - self._batches[1][0] > WINDOW_S:
            self._batches.popleft()
