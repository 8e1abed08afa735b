"""How long a run will still take, smoothed.

Owns the estimate from what was done and what is left: pure arithmetic over the times it is given.
Work comes in batches, so a mean up to this moment would grow until the next batch and fall with
it; here a rate is taken from batch to batch. The estimate follows what is measured downwards, and
upwards only when the conditions have changed. It must not know what the work is.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass, field

# Rates are of so many seconds.
WINDOW_S = 120.0
# Nothing is reported before there is as much to measure.
LEAST_BATCHES, LEAST_S = 5, 5.0
# A batch that takes so many times as long as the longest of the window means a lower rate.
PATIENCE = 2.0
# The estimate takes this long to follow what is measured.
SMOOTHING_S = 5.0
# The reported time only grows when the measured one exceeds it by this.
GROWTH_SHARE, GROWTH_S = 1.25, 15.0


@dataclass(slots=True)
class TimeLeft:
    """Follows one kind of work; times are seconds of one clock and never go back."""

    _batches: deque[tuple[float, float]] = field(default_factory=deque)  # when, done by then
    _done: float | None = None
    _measured: float = 0.0  # smoothed, as of ``_at``
    _reported: float | None = None
    _at: float = 0.0

    def follow(self, now: float, done: float, left: float) -> float | None:
        """Take how much is done and left by now; give the seconds left, None without a basis."""
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
            # The first batch tells when the work began: before it, things were made ready.
            self._done = done
            self._batches.append((now, done))
        while len(self._batches) > LEAST_BATCHES + 1 and now - self._batches[1][0] > WINDOW_S:
            self._batches.popleft()
