"""The watched roots: whether by events or by polling, when each was scanned, which are due.

The threads of a source of events put changed paths into a queue for the watcher.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from indexer.api.answers import WatchedRoot
from indexer.catalog.roots import below, join
from indexer.files.scanner import in_place, mounts, reports_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.catalog.records import Root


# Above this number, scanning everything is faster than scanning single entries.
MOST_HINTS = 50_000


class Hints:
    """Paths with events. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paths: set[bytes] = set()
        self._lost = ""
        self._awake = False

    def add_hint(self, path: bytes) -> None:
        """Add an absolute path that may have changed."""
        with self._changed:
            if len(self._paths) >= MOST_HINTS:
                self._lost = "too much changed at once"
                self._paths.clear()
            self._paths.add(path)
            self._changed.notify_all()

    def lost(self, reason: str) -> None:
        """Report that changes were missed, so that everything must be scanned."""
        with self._changed:
            self._lost = reason
            self._changed.notify_all()

    def wake(self) -> None:
        """End the current ``take``."""
        with self._changed:
            self._awake = True
            self._changed.notify_all()

    def take_hints(self, seconds: float) -> tuple[set[bytes], str]:
        """Wait for hints; return them, and why everything must be scanned, or ""."""
        with self._changed:
            self._changed.wait_for(lambda: self._paths or self._lost or self._awake, seconds)
            taken, lost = self._paths, self._lost
            self._paths, self._lost, self._awake = set(), "", False
            return taken, lost


class EventSource(Protocol):
    """Delivers events of folders; ``exhausted`` if the system's limit of watches is reached."""

    exhausted: bool

    @property
    def folders(self) -> int: ...

    def watch_folder(self, path: bytes, *, whole: bool = True) -> bool: ...

    def unwatch_folder(self, path: bytes) -> None: ...

    def close(self) -> None: ...


# Reasons why a root is polled.
NETWORK = "network"
EXHAUSTED = "exhausted"


class _Watched(Struct):
    """A root. ``seen`` describes its path and the mounts at the last time it was unreachable."""

    root: Root
    scanned: float = float("-inf")
    why: str = ""
    seen: tuple[object, ...] = ()

    @property
    def how(self) -> str:
        if not self.root.online:
            return "offline"
        return "polling" if self.why else "events"


class WatchedRoots:
    """The roots of one library while they are watched. Thread-safe.

    Roots for which not all changes are reported are scanned every ``poll_s`` seconds, others every
    ``scan_s``. The source is None if the system has none.
    """

    def __init__(self, source: EventSource | None, poll_s: float, scan_s: float) -> None:
        self._source = source
        self._poll_s, self._scan_s = poll_s, scan_s
        self._lock = threading.Lock()
        self._known: dict[int, _Watched] = {}
        self._unwatched: set[bytes] = set()  # folders beyond the limit of watches

    @property
    def ids(self) -> set[int]:
        with self._lock:
            return set(self._known)

    @property
    def roots(self) -> list[Root]:
        with self._lock:
            return [each.root for each in self._known.values()]

    def watch_folder(self, path: bytes, whole: bool) -> None:  # noqa: FBT001  # a callback of scans
        """Start watching a folder."""
        source = self._source
        if source is not None and source.watch_folder(path, whole=whole):
            return
        with self._lock:
            # A deleted folder needs no watch. A root without a watch must be polled.
            a_root = any(each.root.path == path for each in self._known.values())
            if source is None or source.exhausted or a_root:
                self._unwatched.add(path)

    def update_roots(self, roots: Sequence[Root], now: float) -> set[int]:
        """Update the roots from the catalog; return those to scan.

        These are new roots, roots that became unreachable or reachable, have moved or have new
        patterns, and roots that are due.
        """
        with self._lock:
            before, self._known = self._known, {}
            due = set()
            for root in roots:
                each = before.pop(root.id, None) or _Watched(root)
                self._known[root.id] = each
                if self._is_due(each, root, now):
                    due.add(root.id)
                if each.root.path != root.path:
                    self._leave(each.root.path, roots)
                each.root, each.why = root, each.why or self._short(root)
        for each in before.values():
            self._leave(each.root.path, roots)
        return due

    def scanning(self, roots: Iterable[Root]) -> None:
        """Prepare for a scan of roots, which enters every folder again."""
        with self._lock:
            for root in roots:
                if self._source is not None and not (root.online and in_place(root)):
                    # The folder at this path was replaced.
                    self._source.unwatch_folder(root.path)
                self._unwatched = {p for p in self._unwatched if below(root.path, p) is None}

    def scanned(self, roots: Sequence[Root], since: float) -> None:
        """Store the time at which roots were scanned."""
        with self._lock:
            for root in roots:
                each = self._known.setdefault(root.id, _Watched(root))
                each.root, each.scanned, each.seen = root, since, _seen(root)
                each.why = self._short(root) or ("" if reports_changes(root.path) else NETWORK)

    def roots_status(self) -> tuple[WatchedRoot, ...]:
        """Return how each root is watched."""
        with self._lock:
            return tuple(
                WatchedRoot(_path(each.root), each.how, each.why) for each in self._known.values()
            )

    def _is_due(self, each: _Watched, root: Root, now: float) -> bool:
        since = now - each.scanned
        if since > self._scan_s or (each.why and since > self._poll_s):
            return True
        if each.root.patterns != root.patterns or each.root.path != root.path:
            return True
        return not in_place(root) if root.online else _seen(root) != each.seen

    def _short(self, root: Root) -> str:
        """Return ``exhausted`` if a folder of a root has no watch, else ""."""
        short = any(below(root.path, path) is not None for path in self._unwatched)
        return EXHAUSTED if short else ""

    def _leave(self, path: bytes, roots: Iterable[Root]) -> None:
        # The folder may belong to another root as well.
        if self._source is not None and all(below(root.path, path) is None for root in roots):
            self._source.unwatch_folder(path)


def _seen(root: Root) -> tuple[object, ...]:
    """The status of a root's path, and the mounts; a change of these may make it reachable."""
    here: tuple[object, ...] = ()
    try:
        found = os.stat(root.path)
        here = (found.st_dev, found.st_ino, found.st_mtime_ns)
    except OSError:
        pass
    return (*here, *(mount.point for mount in mounts()))


def _path(root: Root) -> str:
    return os.fsdecode(join(root.path, root.file_name))
