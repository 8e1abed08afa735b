"""How hard the library works now, and why: what the person chose, and what the machine asks for.

Owns speed, pause, the share of the time that is worked, and the reason that is shown. It must not
know what work is held back: a worker says how long a piece took, and rests.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.api.status import Speed
from indexer.throttle.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.catalog.catalog import Catalog

SPEED_KEY, PAUSED_KEY = "speed", "paused"
# After the last key the person is expected to go on typing for so long.
TYPING_S = 2.0
# After an answer the person reads it, and the next query is not far.
QUERY_S = 0.5
# A rest is cut into pieces, so that a change of speed takes effect.
LISTEN_S = 0.1
# However long a piece of work took, nobody rests longer than this at a stretch.
LONGEST_REST_S = 20.0


# Share of the time that is worked while the person, or another program, needs the machine.
SLOW_SHARE = 0.25
GENTLE_SHARE = 0.5
TYPING_SHARE = 0.1
# Why work is slow by itself, and how slow; the first that holds is the one that is shown.
_AUTOMATIC = {"typing": TYPING_SHARE, "battery": GENTLE_SHARE, "busy": GENTLE_SHARE}


@dataclass(slots=True)
class Throttle:
    """Speed, pause and reason of one engine. Thread-safe.

    Attributes:
        adaptive: Whether to slow down by itself: a command that the person waits for does not.
        machine: Asked for what goes on beside us.
        disk_full: Set by whoever waits for space.
    """

    adaptive: bool = False
    machine: Machine = field(default_factory=Machine)
    speed: Speed = Speed.NORMAL
    paused: bool = False
    disk_full: bool = False
    _typed_at: float = float("-inf")
    _asked_at: float = float("-inf")
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def set(self, speed: Speed | None, *, paused: bool | None, typing: bool | None) -> None:
        """Change what is given; None leaves a thing as it is."""
        with self._changed:
            if speed is not None:
                self.speed = speed
            if paused is not None:
                self.paused = paused
            if typing:
                self._typed_at = time.monotonic()
            self._changed.notify_all()

    def query_answered(self) -> None:
        """Say that a query was just answered."""
        self._asked_at = time.monotonic()

    def load(self, catalog: Catalog) -> None:
        """Take up speed and pause where the last engine of the library left them."""
        with contextlib.suppress(ValueError):
            self.speed = Speed(catalog.meta(SPEED_KEY) or Speed.NORMAL)
        self.paused = catalog.meta(PAUSED_KEY) == "1"

    def save(self, catalog: Catalog) -> None:
        """Keep speed and pause for the next engine."""
        with catalog.write():
            catalog.set_meta(SPEED_KEY, str(self.speed))
            catalog.set_meta(PAUSED_KEY, str(int(self.paused)))

    @property
    def reason(self) -> str:
        """Why work waits or is slow now: a stable code, "" when it does neither."""
        if self.paused:
            return "paused"
        if self.disk_full:
            return "disk_full"
        slow = self._automatic()
        if not slow and time.monotonic() - self._asked_at < QUERY_S:
            return "query"
        return slow

    @property
    def share(self) -> float:
        """Which share of the time is to be worked, 0 to 1."""
        chosen = SLOW_SHARE if self.speed is Speed.SLOW else 1.0
        return min(chosen, _AUTOMATIC.get(self._automatic(), 1.0))

    @property
    def slowed(self) -> bool:
        """Whether pieces of work ought to be small, so that others are soon let in."""
        return self.share < 1.0

    def rest(self, worked: float, stopping: Callable[[], bool]) -> None:
        """Rest after some seconds of work, as long as the share of the time asks for.

        A change of speed, or ``stopping``, ends the rest early.
        """
        began = time.monotonic()
        while not stopping():
            share = self.share
            left = min(worked * (1.0 / share - 1.0), LONGEST_REST_S) - (time.monotonic() - began)
            if left <= 0.0:
                return
            self.wait(min(left, LISTEN_S))

    def wait(self, seconds: float) -> None:
        """Wait, but not past a change of speed or pause."""
        with self._changed:
            self._changed.wait(seconds)

    def _automatic(self) -> str:
        """Why work is slow without the person having asked for it."""
        if self.speed is Speed.FAST:
            return ""
        if time.monotonic() - self._typed_at < TYPING_S:
            return "typing"
        if not self.adaptive:
            return ""
        self.machine.sample()
        if self.machine.on_battery:
            return "battery"
        return "busy" if self.machine.busy else ""
