"""Reports of faults inside Lectern, as files that a person may read and send.

Owns their content: versions, the system, exception types and lines of the program. Messages of
exceptions and paths are left out, since they may quote a document or name a file. Nothing here
sends anything.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app import paths
from app.processor import missing
from app.versions import LIBRARIES, version
from indexer.embed.devices import RUNTIMES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PREFIX = "fault-"
KEPT = 10


class FaultHandler(logging.Handler):
    """Writes a report of each exception that is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            with contextlib.suppress(OSError):
                _write(record.name, error)


def about_this_system() -> Iterator[str]:
    """Describe the system, without anything that identifies the person."""
    yield f"lectern {version('lectern') or '(from its folder)'}"
    yield f"python {platform.python_version()} on {platform.platform()}"
    for name in (*LIBRARIES, *RUNTIMES):
        if found := version(name):
            yield f"{name} {found}"
    if lacks := missing():
        yield f"the processor lacks {lacks}"


def reports() -> list[Path]:
    """Return the reports there are, the newest first."""
    found = paths.log_folder().glob(f"{PREFIX}*.txt")
    return sorted(found, key=lambda file: file.stat().st_mtime_ns, reverse=True)


def remove() -> None:
    """Delete all reports."""
    for file in reports():
        file.unlink(missing_ok=True)


def _write(logger: str, error: BaseException) -> None:
    """Write a report in place of an earlier one with the same traceback."""
    places = list(_places(error))
    name = hashlib.sha256("\n".join(places).encode()).hexdigest()[:12]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    lines = [f"{now}, logged by {logger}", *about_this_system(), "", *places]
    file = paths.log_folder() / f"{PREFIX}{name}.txt"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(file, flags, 0o600), "w", encoding="utf-8") as opened:
        opened.write("\n".join(lines) + "\n")
    for old in reports()[KEPT:]:
        old.unlink(missing_ok=True)


def _places(error: BaseException) -> Iterator[str]:
    """Yield the types of an exception and of its causes, each with the lines of its traceback."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        kind = type(current)
        yield f"{kind.__module__}.{kind.__qualname__}"
        for frame, line in traceback.walk_tb(current.__traceback__):
            module = frame.f_globals.get("__name__", "?")
            yield f"  {module}:{line} in {frame.f_code.co_qualname}"
        current = current.__cause__ or current.__context__
