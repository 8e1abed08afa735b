"""Debounces changed paths.

A path has settled once it had no event, and its size and time were constant, for a while; a folder
once nothing below it is unsettled either. A path that never settles, such as a log, is reported at
intervals. Pure: time and status are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Size and time of a path, or None if it does not exist.
SizeAndTime = tuple[int, int] | None

SETTLED_S = 0.4
PATIENCE_S = 60.0
MOST_PATIENCE_S = 3600.0


@dataclass(slots=True)
class _Waiting:
    first: float
    since: float
    stamp: SizeAndTime | str = "not seen yet"


@dataclass(slots=True)
class Settling:
    """Unsettled paths; ``separator`` is that of path components."""

    separator: bytes = b"/"
    settled_s: float = SETTLED_S
    _waiting: dict[bytes, _Waiting] = field(default_factory=dict)
    _restless: dict[bytes, float] = field(default_factory=dict)  # seconds until it is reported

    def __len__(self) -> int:
        return len(self._waiting)

    def hint(self, path: bytes, now: float) -> None:
        """Add an event of a path."""
        waiting = self._waiting.setdefault(path, _Waiting(now, now))
        waiting.since = now

    def clear(self) -> None:
        """Remove all paths, as everything is scanned anyway."""
        self._waiting.clear()

    def ready(self, now: float, stamp_of: Callable[[bytes], SizeAndTime]) -> list[bytes]:
        """Remove and return the paths that have settled.

        Args:
            now: A monotonic time in seconds.
            stamp_of: Returns size and time of a path.
        """
        settled = []
        busy: set[bytes] = set()
        for path, waiting in self._waiting.items():
            if self._is_settled(path, waiting, now, stamp_of(path)):
                settled.append(path)
            else:
                busy.update(_above(path, self.separator))
        chosen = [path for path in settled if path not in busy]
        for path in chosen:
            del self._waiting[path]
        return chosen

    def _is_settled(self, path: bytes, waiting: _Waiting, now: float, stamp: SizeAndTime) -> bool:
        if stamp != waiting.stamp:
            if isinstance(waiting.stamp, tuple):
                waiting.since = now
            waiting.stamp = stamp
        elif now - waiting.since >= self.settled_s:
            self._restless.pop(path, None)
            return True
        patience = self._restless.get(path, PATIENCE_S)
        if now - waiting.first < patience:
            return False
        self._restless[path] = min(2 * patience, MOST_PATIENCE_S)
        return True


def _above(path: bytes, separator: bytes) -> list[bytes]:
    """Return the parent folders of a path."""
    parts = path.split(separator)
    return [separator.join(parts[:end]) for end in range(1, len(parts))]
