"""The source of events on this system, and the hints it gives.

Owns the choice of a source, and the changed paths on their way from its threads to the watcher. It
must not know how a source works.
"""

from __future__ import annotations

import logging
import platform
import threading
from typing import Protocol

log = logging.getLogger(__name__)

# Past so many, a scan of everything is quicker than one by one.
MOST_HINTS = 50_000


class Hints:
    """Paths with events. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[bytes] = set()
        self._lost = ""
        self._awake = False

    def add(self, path: bytes) -> None:
        """Say that something may have changed at an absolute path."""
        with self._changed:
            if len(self._paths) >= MOST_HINTS:
                self._lost = "too much changed at once"
                self._paths.clear()
            self._paths.add(path)
            self._changed.notify_all()

    def lost(self, reason: str) -> None:
        """Say that changes were missed, so that everything has to be scanned."""
        with self._changed:
            self._lost = reason
            self._changed.notify_all()

    def wake(self) -> None:
        """End the wait of whoever waits for hints."""
        with self._changed:
            self._awake = True
            self._changed.notify_all()

    def take(self, seconds: float) -> tuple[set[bytes], str]:
        """Wait for hints, at most so long.

        Returns:
            The paths, and why everything has to be scanned, "" if it has not.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._paths or self._lost or self._awake, seconds)
            taken, lost = self._paths, self._lost
            self._paths, self._lost, self._awake = set(), "", False
            return taken, lost


class EventSource(Protocol):
    """Delivers events of folders; ``exhausted`` says that the system watches no more."""

    exhausted: bool

    @property
    def folders(self) -> int: ...

    def enter(self, path: bytes, *, whole: bool = True) -> bool: ...

    def holds(self, path: bytes) -> bool: ...

    def leave(self, path: bytes) -> None: ...

    def close(self) -> None: ...


def open_source(hints: Hints) -> EventSource | None:
    """Open the source of this system; None if it gives no more."""
    try:
        if platform.system() == "Linux":
            from indexer.watching.inotify import InotifySource

            return InotifySource(hints)
        from indexer.watching.observer import ObserverSource

        return ObserverSource(hints)
    except OSError:
        log.warning("the system gives no more watches", exc_info=True)
        return None
