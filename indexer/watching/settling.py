"""Debounces changed paths, and maps them to the entries and roots to scan.

A path has settled if it had no event for a while, and its size and time were constant. A folder has
settled if also nothing below it is unsettled. A path that never settles, such as a log, is reported
at intervals. All functions are pure: time and status are arguments.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.catalog.roots import below
from indexer.files.excludes import IGNORE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from indexer.catalog.records import Root

# Size and time of a path, or None if it does not exist.
SizeAndTime = tuple[int, int] | None

SETTLED_S = 0.4
PATIENCE_S = 60.0
MOST_PATIENCE_S = 3600.0


class _Waiting(Struct):
    first: float
    since: float
    stamp: SizeAndTime | str = "not seen yet"


class Settling(Struct):
    """Unsettled paths; ``separator`` separates path components."""

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

    def ready(self, now: float, stamp_of: Callable[[bytes], SizeAndTime]) -> list[bytes]:
        """Remove and return the paths that have settled at a monotonic time in seconds."""
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


_SEPARATOR = os.fsencode(os.sep)
_IGNORE_NAME = os.fsencode(IGNORE_NAME)


class Targets(Struct):
    """The single entries of roots to scan, and the ``whole`` roots, by the roots' ids."""

    entries: dict[int, dict[bytes, set[bytes]]] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)

    @property
    def partial(self) -> dict[int, dict[bytes, set[bytes]]]:
        return {root: within for root, within in self.entries.items() if root not in self.whole}


def targets(paths: Iterable[bytes], roots: Collection[Root]) -> Targets:
    """Return what to scan for some absolute paths."""
    chosen = {_meant(path) for path in paths}
    found = Targets()
    for path in chosen:
        # A path below a chosen path is scanned with it.
        if not any(above in chosen for above in _above(path, _SEPARATOR)):
            for root in roots:
                _place(path, root, found)
    return found


def _meant(path: bytes) -> bytes:
    """The path to scan for a changed path; for a file of patterns its folder."""
    folder, _, name = path.rpartition(_SEPARATOR)
    return folder if name == _IGNORE_NAME else path


def _place(path: bytes, root: Root, found: Targets) -> None:
    relative = below(root.path, path)
    if relative is None:
        # A folder above the root was moved or deleted.
        if below(path, root.path) is not None:
            found.whole.add(root.id)
    elif root.file_name:
        if relative in {b"", root.file_name}:
            found.whole.add(root.id)
    elif relative:
        folder, _, name = relative.rpartition(b"/")
        found.entries.setdefault(root.id, {}).setdefault(folder, set()).add(name)
    else:
        found.whole.add(root.id)
