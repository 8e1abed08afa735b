"""The watcher's clock, and detecting that the machine was suspended.

Owns comparing the two clocks: during suspension the time of day advances, while the monotonic clock
stops on Linux and macOS; elsewhere a wait takes far longer than its timeout.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# A smaller difference is a slow machine, or a clock that was adjusted.
SLEPT_S = 30.0


@dataclass(frozen=True, slots=True)
class Clock:
    """The functions of time, for tests to replace."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic


class SleepWatch:
    """Detects suspension during a wait; waits have timeouts of a few seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall, self._monotonic = clock.wall(), clock.monotonic()
        self._waits_since = self._monotonic

    def waits(self) -> None:
        """Mark the beginning of a wait."""
        self._waits_since = self._clock.monotonic()

    def slept(self) -> bool:
        """Return, at the end of a wait, whether the machine was suspended."""
        wall, monotonic = self._clock.wall(), self._clock.monotonic()
        passed, grown = wall - self._wall, monotonic - self._monotonic
        self._wall, self._monotonic = wall, monotonic
        return passed - grown > SLEPT_S or monotonic - self._waits_since > SLEPT_S
