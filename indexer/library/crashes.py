"""Detects that the engine crashed while documents were being read or embedded, and how.

Apart from ``recovery`` because it looks at the end of a process and not at the data: it returns the
increment of the crash counters, which ``indexer.catalog`` stores (``queue`` for files, ``spaces``
for documents being embedded). Owns the crash mark, a file that exists while documents are in
progress. It is written at its full size and removed by deletion, so that a full disk affects
neither: the traceback of a fault overwrites bytes that are already allocated.

A kill leaves no trace, whoever sent it, so it counts less than a fault or an out-of-memory kill,
which the kernel counts; a shutdown counts nothing.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import time
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import psutil

from indexer.catalog.states import FAULT, UNEXPLAINED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.catalog.catalog import Catalog

MARK_NAME = "at-work"
# The version of Lectern that the files set aside were last tried with.
TRIED_KEY = "set_aside_tried_with"
# Sizes of the JSON line and of the whole file; the rest is for a traceback.
_LINE_BYTES, _BYTES = 512, 8192
# Adjusting the clock shifts the computed boot time by less; a restart takes longer.
SAME_START_S = 30.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_KERNEL_COUNTS = Path("/proc/vmstat")


@contextmanager
def crash_mark(library: Path) -> Iterator[None]:
    """Hold the crash mark while the block runs."""
    path = library / MARK_NAME
    # On a full disk there is no mark, but nothing is read either.
    with contextlib.ExitStack() as ending:
        with contextlib.suppress(OSError):
            # After the file is closed: some systems delete none that is open.
            ending.callback(_remove, path)
            mark = ending.enter_context(path.open("wb", buffering=0))
            _write(mark)
            _catch_faults(mark, ending)
        yield


def blame_for_last_end(library: Path) -> int:
    """Return the increment of the crash counters of documents in progress; removes the mark."""
    path = library / MARK_NAME
    try:
        with path.open("rb") as file:
            content, inode = file.read(_BYTES), os.fstat(file.fileno()).st_ino
    except OSError:
        return 0
    _remove(path)
    line, trace = content[:_LINE_BYTES], content[_LINE_BYTES:]
    try:
        mark = json.loads(line.rstrip(b"\0"))
        if mark["inode"] != inode or not _same_boot(mark["boot"]):
            return 0  # copied from another library, or a power cut
        killed = _killed_for_memory() > mark["killed_for_memory"]
    except (ValueError, KeyError, TypeError):
        return 0  # the mark itself is truncated: nothing was read yet
    return FAULT if killed or trace.strip(b"\0") else UNEXPLAINED


def retry_after_update(catalog: Catalog) -> int:
    """Queue the files that crashed another version of Lectern; return how many."""
    version = _version()
    if catalog.meta(TRIED_KEY) == version:
        return 0
    with catalog.write():
        queued = catalog.queue.retry(files=catalog.queue.set_aside())
        catalog.set_meta(TRIED_KEY, version)
    return queued


def _version() -> str:
    try:
        return metadata.version("lectern")
    except metadata.PackageNotFoundError:
        return ""


def _write(mark: BinaryIO) -> None:
    known: dict[str, Any] = {
        "boot": _boot(),
        "since": time.time(),
        "inode": os.fstat(mark.fileno()).st_ino,
        "killed_for_memory": _killed_for_memory(),
    }
    mark.write(json.dumps(known).encode().ljust(_LINE_BYTES, b"\0").ljust(_BYTES, b"\0"))
    mark.seek(_LINE_BYTES)


def _catch_faults(mark: BinaryIO, ending: contextlib.ExitStack) -> None:
    """Direct the traceback of a fault to the mark, unless faulthandler is already enabled."""
    if not faulthandler.is_enabled():
        faulthandler.enable(mark, all_threads=False)
        ending.callback(faulthandler.disable)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _killed_for_memory() -> int:
    """The number of out-of-memory kills since the machine was started."""
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
