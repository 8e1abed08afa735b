"""The log, the reports of faults, and forgetting what was logged and remembered.

The log is a rotating file that only its owner can read; it may name files, but never holds their
content. A report of a fault is a file that a person may read and send. It has versions, the system,
exception types and lines of the program, but no paths and no messages of exceptions, since these
may name a file or quote a document. Nothing here sends anything.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from app import paths
from app.doors.call_log import remove_log
from app.engine import LIBRARIES, missing_instructions
from indexer.api.codec import program_version
from indexer.api.private_files import write_file
from indexer.embed.devices import RUNTIMES

PREFIX = "fault-"
KEPT_REPORTS = 10


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
    yield f"lectern {program_version() or '(from its folder)'}"
    yield f"python {platform.python_version()} on {platform.platform()}"
    for name in (*LIBRARIES, *RUNTIMES):
        if found := program_version(name):
            yield f"{name} {found}"
    if lacks := missing_instructions():
        yield f"the processor lacks {lacks}"


def fault_reports() -> list[Path]:
    """Return the existing reports, the newest first."""
    found = paths.log_folder().glob(f"{PREFIX}*.txt")
    return sorted(found, key=lambda file: file.stat().st_mtime_ns, reverse=True)


def _write(logger: str, error: BaseException) -> None:
    """Write a report in place of an earlier one with the same traceback."""
    places = list(_places(error))
    name = hashlib.sha256("\n".join(places).encode()).hexdigest()[:12]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    lines = [f"{now}, logged by {logger}", *about_this_system(), "", *places]
    write_file(paths.log_folder() / f"{PREFIX}{name}.txt", "\n".join(lines) + "\n")
    for old in fault_reports()[KEPT_REPORTS:]:
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


FILE_NAME = "lectern.log"
MAX_BYTES = 1_000_000
KEPT = 3
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class OwnerOnlyHandler(RotatingFileHandler):
    """A rotating file that is created readable by its owner only."""

    def _open(self) -> Any:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def rotate(self, source: str, dest: str) -> None:
        # Windows refuses to rename a file that another process has open; then it keeps growing.
        with contextlib.suppress(PermissionError):
            super().rotate(source, dest)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """Ignore a full disk, and a file that is gone because its library was locked."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def log_file() -> Path:
    return paths.log_folder() / FILE_NAME


def start(level: int = logging.INFO) -> Path | None:
    """Write the log of this process to the file; idempotent.

    Returns the file, or None where it cannot be written: a command works without a log.
    """
    root = logging.getLogger()
    if any(isinstance(handler, OwnerOnlyHandler) for handler in root.handlers):
        return log_file()
    try:
        paths.log_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = OwnerOnlyHandler(
            log_file(), maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True
        )
        log_file().touch(mode=0o600)
    except OSError:
        return None
    handler.setFormatter(logging.Formatter(_FORMAT))
    root.addHandler(handler)
    root.addHandler(FaultHandler())
    root.setLevel(level)
    return log_file()


def stop() -> None:
    """Stop logging to the file."""
    root = logging.getLogger()
    ours = (OwnerOnlyHandler, FaultHandler)
    for handler in [each for each in root.handlers if isinstance(each, ours)]:
        root.removeHandler(handler)
        handler.close()


def remove() -> None:
    """Delete the logs, which name files, and the reports of faults."""
    stop()
    remove_log()
    for file in (*fault_reports(), *paths.log_folder().glob(f"{FILE_NAME}*")):
        file.unlink(missing_ok=True)
