"""Which documents were being read or embedded when the engine crashed.

Owns the crash mark, a file beside the catalog for as long as documents are in progress, and what it
says when an engine left it there. The mark is made at its full size and taken away
by deletion, so a disk that fills up meanwhile neither keeps it nor hides a fault: the traceback of
a fault is written over what is already there.

A kill leaves no trace, whether a person or the system wanted it, so it counts less than a fault
and less than an out-of-memory kill, which the kernel counts; a machine that went down counts
nothing. ``indexer.catalog`` adds up: ``queue`` for files that are read, ``spaces`` for documents
that the model has. It must not know what either is.
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
# The first part is a line of JSON, the rest is for a traceback.
_LINE_BYTES, _BYTES = 512, 8192
# Adjusting the clock moves the time of the last start by moments; a restart takes longer.
SAME_START_S = 30.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_KERNEL_COUNTS = Path("/proc/vmstat")


@contextmanager
def crash_mark(library: Path) -> Iterator[None]:
    """Keep the crash mark for as long as the block runs."""
    path = library / MARK_NAME
    # Without room nothing is read either, and only files in flight are counted.
    with contextlib.ExitStack() as ending:
        with contextlib.suppress(OSError):
            # After the file is closed: some systems delete none that is open.
            ending.callback(_remove, path)
            mark = ending.enter_context(path.open("wb", buffering=0))
            _write(mark)
            _catch_faults(mark, ending)
        yield


def blame_for_last_end(library: Path) -> int:
    """What the crash counters of documents in progress grow by; removes the mark."""
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
            return 0  # another library's, copied while its engine was at work; or a power cut
        killed = _killed_for_memory() > mark["killed_for_memory"]
    except (ValueError, KeyError, TypeError):
        return 0  # the mark itself was cut short: nothing was read yet
    return FAULT if killed or trace.strip(b"\0") else UNEXPLAINED


def retry_after_update(catalog: Catalog) -> int:
    """Queue what another version of Lectern set aside, wrongly perhaps; gives how many files."""
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
    """Have the traceback of a fault written into the mark, unless it is wanted elsewhere."""
    if not faulthandler.is_enabled():
        faulthandler.enable(mark, all_threads=False)
        ending.callback(faulthandler.disable)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _killed_for_memory() -> int:
    """How many processes the kernel has killed for lack of memory since it was started."""
    try:
        counts = dict(line.split() for line in _KERNEL_COUNTS.read_text("ascii").splitlines())
        return int(counts["oom_kill"])
    except (OSError, KeyError, ValueError):
        return 0


def _boot() -> str | float:
    """What tells this run of the machine from another."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return float(psutil.boot_time())


def _same_boot(before: str | float) -> bool:
    now = _boot()
    if isinstance(before, float) and isinstance(now, float):
        return abs(now - before) < SAME_START_S
    return before == now
