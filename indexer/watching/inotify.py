"""Events on Linux: one watch on each folder that a scan enters, and on no other.

It uses watchdog's inotify reader without its observers, because those also watch excluded folders
(a folder of programs may have more folders than all documents), walk the tree a second time, and do
not report events that the kernel drops. Here the scan adds each watch before it lists the folder,
so no change is missed; dropped events, unmounts and exhausted watches are reported.
"""

from __future__ import annotations

import errno
import itertools
import threading
from typing import TYPE_CHECKING

from msgspec import Struct, field
from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyFD, Mask

if TYPE_CHECKING:
    from watchdog.observers.inotify_c import InotifyEvent, WatchDescriptor

    from indexer.watching.watched import Hints

_C = InotifyConstants
_MASK = Mask(
    _C.IN_CREATE | _C.IN_DELETE | _C.IN_MOVE | _C.IN_MODIFY | _C.IN_ATTRIB | _C.IN_CLOSE_WRITE
    | _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_ONLYDIR | _C.IN_EXCL_UNLINK
)  # fmt: skip
_GONE = _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_UNMOUNT
_EXHAUSTED = (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


_NONE = CallbackId(0)

Registered = tuple["WatchDescriptor", CallbackId]


class _Node(Struct, eq=False):
    """A folder on the way to, or with, a watch."""

    name: bytes
    above: _Node | None
    inner: dict[bytes, _Node] = field(default_factory=dict)
    watch: WatchDescriptor | None = None
    callback: CallbackId = _NONE

    @property
    def path(self) -> bytes:
        parts: list[bytes] = []
        node: _Node | None = self
        while node is not None:
            parts.append(node.name)
            node = node.above
        return b"/".join(reversed(parts)) or b"/"


class InotifySource:
    """A source of hints. Thread-safe.

    Raises ``OSError`` if the limit of inotify instances is reached.
    """

    def __init__(self, hints: Hints) -> None:
        self._hints = hints
        self._lock = threading.Lock()
        self._top = _Node(b"", None)
        self._nodes: dict[WatchDescriptor, _Node] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self.exhausted = False
        self._reader = InotifyFD()
        self._reader.start()

    @property
    def folders(self) -> int:
        """The number of watched folders."""
        return len(self._nodes)

    def watch_folder(self, path: bytes, *, whole: bool = True) -> bool:
        """Watch one folder, and return whether it is watched now; the scan enters every folder."""
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
            node = self._nodes.get(event.wd)
            if node is None or self._closed:
                return
            path = node.path
        if event.mask & _GONE:
            self._hints.add_hint(path)
            return
        child = path.rstrip(b"/") + b"/" + event.name if event.name else path
        if event.is_moved_from and event.mask & _C.IN_ISDIR:
            # Its watches move with the folder; the scan adds them again at the new path.
            self.unwatch_folder(child)
        if event.name:
            self._hints.add_hint(child)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Remove a folder whose watch the kernel has removed."""
        with self._lock:
            node = self._nodes.pop(wd, None)
            if node is not None and node.watch == wd:
                node.watch = None
                self._prune(node)

    def on_queue_overflow(self) -> None:
        """Report that the kernel dropped events."""
        self._hints.lost("more changed than the system could tell")

    # -- called with the lock held ------------------------------------------------------------

    def _register(
        self, path: bytes, watch: WatchDescriptor, callback: CallbackId
    ) -> list[Registered]:
        """Register a node under its watch, and return the nodes that it replaces."""
        node, replaced = self._node(path), []
        # The folder may have been watched before, at this or its earlier path, or another folder
        # may have been at this path.
        for old in {id(each): each for each in (node, self._nodes.get(watch, node))}.values():
            if old.watch is not None:
                replaced.append((old.watch, old.callback))
                self._nodes.pop(old.watch, None)
                old.watch = None
        node.watch, node.callback = watch, callback
        self._nodes[watch] = node
        return replaced

    def _node(self, path: bytes) -> _Node:
        node = self._top
        for part in path.split(b"/")[1:]:
            if part:
                found = node.inner.get(part)
                if found is None:
                    found = node.inner[part] = _Node(part, node)
                node = found
        return node

    def _forget(self, path: bytes) -> list[Registered]:
        node = self._top
        for part in path.split(b"/")[1:]:
            found = node.inner.get(part)
            if found is None:
                return []
            node = found
        watches: list[Registered] = []
        stack = [node]
        while stack:
            each = stack.pop()
            stack.extend(each.inner.values())
            if each.watch is not None:
                watches.append((each.watch, each.callback))
                self._nodes.pop(each.watch, None)
                each.watch = None
        node.inner.clear()
        self._prune(node)
        return watches

    def _prune(self, node: _Node) -> None:
        while node.above is not None and node.watch is None and not node.inner:
            if node.above.inner.get(node.name) is node:
                del node.above.inner[node.name]
            node = node.above
