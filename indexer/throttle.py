"""How hard the library works now, and why: what the person chose, and what the machine asks for.

Owns speed, pause and the reason that is shown. It must not know what work is held back: whoever
works asks here before each piece.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.catalog import Catalog

SPEED_KEY, PAUSED_KEY = "speed", "paused"

# After the last key the person is expected to go on typing for so long.
TYPING_S = 2.0


class Speed(StrEnum):
    """What the person chose."""

    SLOW = "slow"
    NORMAL = "normal"
    FAST = "fast"


@dataclass(slots=True)
class Throttle:
    """Speed, pause and reason of one engine. Thread-safe."""

    speed: Speed = Speed.NORMAL
    paused: bool = False
    disk_full: bool = False
    _typed_at: float = float("-inf")
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
        if self.speed is not Speed.FAST and time.monotonic() - self._typed_at < TYPING_S:
            return "typing"
        return ""
