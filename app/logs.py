"""The log: a rotating file, readable by its owner only.

Owns where records go and how much is kept. The names of files may be logged, their content never.
"""

from __future__ import annotations

import contextlib
import logging
import os
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Any

from app import fault_reports, paths

if TYPE_CHECKING:
    from pathlib import Path

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


def log_file() -> Path:
    return paths.log_folder() / FILE_NAME


def start(level: int = logging.INFO) -> Path | None:
    """Write the log of this process to the file; idempotent.

    Returns:
        The file, or None where it cannot be written: a command works without a log.
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
    root.addHandler(fault_reports.FaultHandler())
    root.setLevel(level)
    return log_file()


def stop() -> None:
    """Stop logging to the file."""
    root = logging.getLogger()
    ours = (OwnerOnlyHandler, fault_reports.FaultHandler)
    for handler in [each for each in root.handlers if isinstance(each, ours)]:
        root.removeHandler(handler)
        handler.close()


def remove() -> None:
    """Delete the log, which names files, and the reports of faults."""
    stop()
    fault_reports.remove()
    for file in paths.log_folder().glob(f"{FILE_NAME}*"):
        file.unlink(missing_ok=True)
