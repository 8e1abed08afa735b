"""What a source of events is, and the queue of changed paths from its threads to the watcher."""

from __future__ import annotations

import threading
from typing import Protocol

# Beyond this number, scanning everything is faster than single entries.
MOST_HINTS = 50_000


class Hints:
    """Paths with events. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[bytes] = set()
        self._lost = ""
        self._awake = False

    def add(self, path: bytes) -> None:
        """Add an absolute path that may have changed."""
        with self._changed:
            if len(self._paths) >= MOST_HINTS:
                self._lost = "too much changed at once"
                self._paths.clear()
            self._paths.add(path)
            self._changed.notify_all()

    def lost(self, reason: str) -> None:
        """Report missed changes, so that everything must be scanned."""
        with self._changed:
            self._lost = reason
            self._changed.notify_all()

    def wake(self) -> None:
        """End the current ``take``."""
        with self._changed:
            self._awake = True
            self._changed.notify_all()

    def take(self, seconds: float) -> tuple[set[bytes], str]:
        """Wait for hints, at most so long.

        Returns:
            The paths, and why everything must be scanned, or "".
        """
        with self._changed:
            self._changed.wait_for(lambda: self._paths or self._lost or self._awake, seconds)
            taken, lost = self._paths, self._lost
            self._paths, self._lost, self._awake = set(), "", False
            return taken, lost


class EventSource(Protocol):
    """Delivers events of folders; ``exhausted``: the system's limit of watches is reached."""

    exhausted: bool

    @property
    def folders(self) -> int: ...

    def enter(self, path: bytes, *, whole: bool = True) -> bool: ...

    def holds(self, path: bytes) -> bool: ...

    def leave(self, path: bytes) -> None: ...

    def close(self) -> None: ...
