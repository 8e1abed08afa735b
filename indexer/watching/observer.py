"""Events on systems that watch whole trees, such as macOS and Windows."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from indexer.catalog.roots import below, join

if TYPE_CHECKING:
    from watchdog.observers.api import ObservedWatch

    from indexer.watching.watched import Hints

log = logging.getLogger(__name__)

# Events for reading are not changes; indexing causes many.
_READING = frozenset({"opened", "closed_no_write"})


class ObserverSource(FileSystemEventHandler):
    """A source of hints. Thread-safe."""

    def __init__(self, hints: Hints) -> None:
        self._hints = hints
        self._lock = threading.Lock()
        self._watches: dict[bytes, ObservedWatch] = {}
        self._real: dict[bytes, bytes] = {}  # the resolved path of a watched folder
        self.exhausted = False
        self._observer = Observer()
        self._observer.start()

    @property
    def folders(self) -> int:
        return len(self._watches)

    def watch_folder(self, path: bytes, *, whole: bool = True) -> bool:
        """Watch a folder, with everything below it if ``whole``, unless it is watched already."""
        with self._lock:
            trees = [folder for folder, watch in self._watches.items() if watch.is_recursive]
            known = path in self._watches and not whole
            if known or any(below(folder, path) is not None for folder in trees):
                return True
            before = self._watches.pop(path, None)
            if before is not None:
                self._observer.unschedule(before)
            try:
                watch = self._observer.schedule(self, os.fsdecode(path), recursive=whole)
            except OSError:
                log.info("a folder cannot be watched", exc_info=True)
                return False
            self._watches[path], self._real[path] = watch, os.path.realpath(path)
            return True

    def unwatch_folder(self, path: bytes) -> None:
        """Stop watching a root."""
        with self._lock:
            watch = self._watches.pop(path, None)
            self._real.pop(path, None)
        if watch is not None:
            self._observer.unschedule(watch)

    def close(self) -> None:
        self._observer.stop()
        self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Convert an event to hints: its path and the destination of a move."""
        if event.event_type in _READING:
            return
        for path in (event.src_path, event.dest_path):
            if path:
                self._hints.add_hint(self._as_watched(os.fsencode(path)))

    def _as_watched(self, path: bytes) -> bytes:
        """Map a resolved path, which some systems report, to the watched path."""
        for watched, real in list(self._real.items()):
            if real != watched and (inside := below(real, path)) is not None:
                return join(watched, inside)
        return path
