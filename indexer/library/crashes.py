"""Detects that the engine crashed, how, and whether documents were being read or embedded.

Unlike ``recovery`` it looks at the end of a process and not at data. It returns the increment of
the crash counters, which ``indexer.catalog`` stores (``queue`` for files, ``docs`` for documents
being embedded), and whether the store may be the cause. The crash mark is a file that exists while
an engine has the library open. It is written at its full size, so that the traceback of a fault
overwrites allocated bytes, and it is deleted at the end. So a full disk affects neither.

A kill leaves no trace of its sender, so it counts less than a fault. A kill for lack of memory,
which the kernel counts, says little about a document. A shutdown does not count.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import psutil
from msgspec import Struct

from indexer.api.codec import program_version
from indexer.catalog.states import FAULT, FOR_MEMORY, UNEXPLAINED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.catalog.catalog import Catalog

MARK_NAME = "at-work"
# The key of the version of Lectern that last tried the files that are set aside.
TRIED_KEY = "set_aside_tried_with"
# Sizes of the JSON line and of the whole file; the rest is for a traceback.
_LINE_BYTES, _BYTES = 512, 8192
# Adjusting the clock shifts the computed boot time by less than this; a restart takes longer.
SAME_START_S = 30.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_KERNEL_COUNTS = Path("/proc/vmstat")
# On Windows, Rust ends a process without calling the handlers of a fault.
_LEAVES_NO_TRACE = sys.platform == "win32"


class LastEnd(Struct, frozen=True):
    """How the last engine ended.

    ``blame`` is the increment of the crash counters of documents in progress, or ``FOR_MEMORY``;
    ``by_fault`` says whether a fault in any part may have ended it.
    """

    blame: int = 0
    by_fault: bool = False


class CrashMark:
    """The crash mark of an engine, from its construction until ``remove``.

    A read-only library has none.
    """

    def __init__(self, library: Path, *, writable: bool = True) -> None:
        self._path = library / MARK_NAME
        self._writable = writable
        self._open = contextlib.ExitStack()
        self._mark: BinaryIO | None = None
        self._note(working=False)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Note that documents are in progress while the block runs."""
        self._note(working=True)
        try:
            yield
        finally:
            self._note(working=False)

    def remove(self) -> None:
        """Remove the mark when the engine ends regularly."""
        marked = self._mark is not None
        self.leave()
        if marked:
            _remove(self._path)  # closed before, as some systems do not delete open files

    def leave(self) -> None:
        """Close the mark without touching the library's folder."""
        self._mark = None
        self._open.close()

    def _note(self, *, working: bool) -> None:
        if not self._writable:
            return
        # On a full disk there is no mark, but nothing is read either.
        with contextlib.suppress(OSError):
            if self._mark is None:
                self._mark = self._open.enter_context(self._path.open("wb", buffering=0))
                if not faulthandler.is_enabled():
                    faulthandler.enable(self._mark, all_threads=False)
                    self._open.callback(faulthandler.disable)
            _write(self._mark, working=working)


def last_end(library: Path) -> LastEnd:
    """Return how the last engine ended, and remove its mark."""
    path = library / MARK_NAME
    try:
        with path.open("rb") as file:
            content, inode = file.read(_BYTES), os.fstat(file.fileno()).st_ino
    except OSError:
        return LastEnd()
    _remove(path)
    line, trace = content[:_LINE_BYTES], content[_LINE_BYTES:]
    try:
        mark = json.loads(line.rstrip(b"\0"))
        if mark["inode"] != inode or not _same_boot(mark["boot"]):
            return LastEnd()  # copied from another library, or a power cut
        killed = _killed_for_memory() > mark["killed_for_memory"]
        working = bool(mark.get("working", True))  # older versions marked only this state
    except (ValueError, KeyError, TypeError):
        return LastEnd()  # the mark is truncated, so nothing had been read yet
    fault = bool(trace.strip(b"\0"))
    blame = FAULT if fault else FOR_MEMORY if killed else UNEXPLAINED
    return LastEnd(blame if working else 0, fault or killed or _LEAVES_NO_TRACE)


def retry_after_update(catalog: Catalog) -> None:
    """Queue the files that crashed an earlier version of Lectern."""
    version = program_version()
    if catalog.meta(TRIED_KEY) != version:
        with catalog.db.write():
            catalog.queue.retry(files=catalog.queue.set_aside())
            catalog.set_meta(TRIED_KEY, version)


def _write(mark: BinaryIO, *, working: bool) -> None:
    known: dict[str, Any] = {
        "working": working,
        "boot": _boot(),
        "since": time.time(),
        "inode": os.fstat(mark.fileno()).st_ino,
        "killed_for_memory": _killed_for_memory(),
    }
    mark.seek(0)
    mark.write(json.dumps(known).encode().ljust(_LINE_BYTES, b"\0").ljust(_BYTES, b"\0"))
    mark.seek(_LINE_BYTES)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _killed_for_memory() -> int:
    """The number of out-of-memory kills since the machine started."""
    try:
        counts = dict(line.split() for line in _KERNEL_COUNTS.read_text("ascii").splitlines())
        return int(counts["oom_kill"])
    except (OSError, KeyError, ValueError):
        return 0


def _boot() -> str | float:
    """An identifier of the current boot of the machine."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return float(psutil.boot_time())


def _same_boot(before: str | float) -> bool:
    now = _boot()
    if isinstance(before, float) and isinstance(now, float):
        return abs(now - before) < SAME_START_S
    return before == now
