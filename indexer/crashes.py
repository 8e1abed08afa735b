"""Which documents were being read or embedded when the engine came to a bad end.

Owns the mark that says "work is under way", durable while it is, and the decision whether an end
was unclean. What a kill, a fault of a library and a shortage of memory leave behind looks the
same, so all of them count against the documents in hand; a machine that went down does not.
``indexer.catalog`` does the counting: ``queue`` for files that are read, ``spaces`` for documents
that the model has. It must not know what either is.
"""

from __future__ import annotations

import contextlib
import json
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from indexer.errors import LecternError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.catalog import Catalog

KEY = "at_work"
# Adjusting the clock moves the time of the last start by moments; a restart takes longer.
SAME_START_S = 30.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@contextmanager
def at_work(catalog: Catalog) -> Iterator[None]:
    """Say that documents are in hand, for as long as the block runs."""
    _mark(catalog, json.dumps({"boot": _boot(), "since": time.time()}))
    try:
        yield
    finally:
        _mark(catalog, "")


def ended_badly(catalog: Catalog) -> bool:
    """Whether the last engine of the library ended in the middle of its work; clears the mark."""
    mark = catalog.meta(KEY)
    if not mark:
        return False
    _mark(catalog, "")
    try:
        return _same_boot(json.loads(mark)["boot"])
    except (ValueError, KeyError, TypeError):
        return True


def _mark(catalog: Catalog, mark: str) -> None:
    # Without room nothing is read either, and a file that is not in flight is never blamed.
    with contextlib.suppress(LecternError):
        catalog.set_meta(KEY, mark)


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
