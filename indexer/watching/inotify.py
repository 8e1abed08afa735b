"""Events on Linux, from a watch on each folder that a scan enters, and on no others.

It uses watchdog's inotify reader without its observers. Observers also watch excluded folders (a
folder of programs may have more folders than all documents), walk the tree a second time, and do
not report events that the kernel drops. Here the scan adds each watch before it lists the folder,
so no change is missed. Dropped events, unmounts and exhausted watches are reported.
"""

from __future__ import annotations

import errno
import itertools
import threading
from typing import TYPE_CHECKING

from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyFD, Mask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from watchdog.observers.inotify_c import InotifyEvent, WatchDescriptor

    from indexer.watching.watched import Hints

_C = InotifyConstants
_MASK = Mask(
    _C.IN_CREATE | _C.IN_DELETE | _C.IN_MOVE | _C.IN_MODIFY | _C.IN_ATTRIB | _C.IN_CLOSE_WRITE
    | _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_ONLYDIR | _C.IN_EXCL_UNLINK
)  # fmt: skip
_GONE = _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_UNMOUNT
_EXHAUSTED = (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


Registered = tuple["WatchDescriptor", CallbackId]


class InotifySource:
    """A source of hints. Thread-safe.

    Raises ``OSError`` if the limit of inotify instances is reached.
    """

    def __init__(self, hints: Hints) -> None:
        self._hints = hints
        self._lock = threading.Lock()
        # The watch of each folder, and the folder of each watch.
        self._watches: dict[bytes, Registered] = {}
        self._paths: dict[WatchDescriptor, bytes] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self.exhausted = False
        self._reader = InotifyFD()
        self._reader.start()

    @property
    def folders(self) -> int:
        """The number of watched folders."""
        return len(self._paths)

    def watch_folder(self, path: bytes, *, whole: bool = True) -> bool:
        """Watch one folder, as the scan enters every folder; return whether it is watched now."""
        del whole
        with self._lock:
            if self._closed:
                return False
            callback = CallbackId(next(self._numbers))
            try:
                watch = self._reader.add_callback(path, _MASK, self, callback)
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self.exhausted = True
                return False
            if watch < 0:  # watchdog ignores unreadable folders
                self._reader.remove_callbacks([(watch, callback)])
                return False
            self._reader.remove_callbacks(self._register(path, watch, callback))
            return True

    def unwatch_folder(self, path: bytes) -> None:
        """Stop watching a folder and everything below it."""
        with self._lock:
            watches = self._forget(path)
        self._reader.remove_callbacks(watches)

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self._reader.stop()
        self._reader.join()

    # -- called by watchdog's thread --------------------------------------------------------

    def on_event(self, event: InotifyEvent) -> None:
        """Turn an event into a hint."""
        with self._lock:
            path = self._paths.get(event.wd)
        if path is None or self._closed:
            return
        if event.mask & _GONE:
            self._hints.add_hint(path)
            return
        child = path.rstrip(b"/") + b"/" + event.name if event.name else path
        if event.is_moved_from and event.mask & _C.IN_ISDIR:
            # The watches move with the folder. The scan adds them again at the new path.
            self.unwatch_folder(child)
        if event.name:
            self._hints.add_hint(child)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Remove a folder whose watch the kernel has removed."""
        with self._lock:
            path = self._paths.pop(wd, None)
            if path is not None:
                del self._watches[path]

    def on_queue_overflow(self) -> None:
        """Report that the kernel dropped events."""
        self._hints.lost("more changed than the system could tell")

    # -- called with the lock held ------------------------------------------------------------

    def _register(
        self, path: bytes, watch: WatchDescriptor, callback: CallbackId
    ) -> list[Registered]:
        """Note the watch of a folder, and return the watches that it replaces."""
        # The folder may already be watched, at this or an earlier path, or another folder may have
        # been at this path.
        replaced = self._removed({path, self._paths.get(watch, path)} & self._watches.keys())
        self._watches[path], self._paths[watch] = (watch, callback), path
        return replaced

    def _forget(self, path: bytes) -> list[Registered]:
        inside = path.rstrip(b"/") + b"/"
        return self._removed(
            [each for each in self._watches if each == path or each.startswith(inside)]
        )

    def _removed(self, paths: Iterable[bytes]) -> list[Registered]:
        watches = [self._watches.pop(path) for path in paths]
        for watch, _ in watches:
            del self._paths[watch]
        return watches
