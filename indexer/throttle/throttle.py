"""The speed of indexing, by the person's choice and the state of the machine.

Owns speed, pause, the duty cycle, and the reason that is shown. It must not know the work: a worker
reports how long a piece took, and pauses.
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
# Seconds after the last key for which the person counts as typing.
TYPING_S = 2.0
# Seconds after an answer for which another query is expected.
QUERY_S = 0.5
# A pause is waited in steps of so many seconds, so that a change of speed is effective.
LISTEN_S = 0.1
# The longest pause in seconds.
LONGEST_REST_S = 20.0


# The duty cycles while the person, or another program, needs the machine.
SLOW_SHARE = 0.25
GENTLE_SHARE = 0.5
TYPING_SHARE = 0.1
# Automatic reasons and their duty cycles; the first that applies is shown.
_AUTOMATIC = {"typing": TYPING_SHARE, "battery": GENTLE_SHARE, "busy": GENTLE_SHARE}


@dataclass(slots=True)
class Throttle:
    """Speed, pause and reason of one engine. Thread-safe.

    Attributes:
        adaptive: Whether to slow down automatically; a command that the person waits for does not.
        machine: The load of the machine.
        disk_full: Set by a worker that waits for space.
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
        """Set some values; None leaves one unchanged."""
        with self._changed:
            if speed is not None:
                self.speed = speed
            if paused is not None:
                self.paused = paused
            if typing:
                self._typed_at = time.monotonic()
            self._changed.notify_all()

    def query_answered(self) -> None:
        """Record that a query was answered."""
        self._asked_at = time.monotonic()

    def load(self, catalog: Catalog) -> None:
        """Load speed and pause from the catalog."""
        with contextlib.suppress(ValueError):
            self.speed = Speed(catalog.meta(SPEED_KEY) or Speed.NORMAL)
        self.paused = catalog.meta(PAUSED_KEY) == "1"

    def save(self, catalog: Catalog) -> None:
        """Store speed and pause in the catalog."""
        with catalog.write():
            catalog.set_meta(SPEED_KEY, str(self.speed))
            catalog.set_meta(PAUSED_KEY, str(int(self.paused)))

    @property
    def reason(self) -> str:
        """Why work waits or is slow now: a stable code, "" if it does neither."""
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
        """The duty cycle, 0 to 1."""
        chosen = SLOW_SHARE if self.speed is Speed.SLOW else 1.0
        return min(chosen, _AUTOMATIC.get(self._automatic(), 1.0))

    @property
    def slowed(self) -> bool:
        """Whether pieces of work must be small, so that others wait less."""
        return self.share < 1.0

    def rest(self, worked: float, stopping: Callable[[], bool]) -> None:
        """Pause after some seconds of work, according to the duty cycle.

        A change of speed, or ``stopping``, ends the pause early.
        """
        began = time.monotonic()
        while not stopping():
            share = self.share
            left = min(worked * (1.0 / share - 1.0), LONGEST_REST_S) - (time.monotonic() - began)
            if left <= 0.0:
                return
            self.wait(min(left, LISTEN_S))

    def wait(self, seconds: float) -> None:
        """Wait, at most until a change of speed or pause."""
        with self._changed:
            self._changed.wait(seconds)

    def _automatic(self) -> str:
        """The automatic reason for working slowly."""
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
