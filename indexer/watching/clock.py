"""The time as a watcher needs it, and whether this machine slept meanwhile.

Owns the comparison of the two clocks: the one that shows the time of day goes on while a machine
sleeps, the monotonic one stops on Linux and macOS; where it does not, a wait takes
far longer than it was meant to.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Less is a slow machine, or a clock that was set right.
SLEPT_S = 30.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the time comes from."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic


class SleepWatch:
    """Tells whether the machine slept since it was last asked; waits are of a few seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall, self._monotonic = clock.wall(), clock.monotonic()
        self._waits_since = self._monotonic

    def waits(self) -> None:
        """Say that a wait begins now."""
        self._waits_since = self._clock.monotonic()

    def slept(self) -> bool:
        """Tell it at the end of a wait."""
        wall, monotonic = self._clock.wall(), self._clock.monotonic()
        passed, grown = wall - self._wall, monotonic - self._monotonic
        self._wall, self._monotonic = wall, monotonic
        return passed - grown > SLEPT_S or monotonic - self._waits_since > SLEPT_S
