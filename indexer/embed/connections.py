"""The log of all network connections, which the person can read.

Owns a file beside the models with a JSON object a line: ``time`` (ISO, UTC), ``what`` was requested
and the ``outcome``. Only model downloads (``indexer.embed.fetch``)
connect to a network. Standard library only.
"""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from indexer.api.codec import decode
from indexer.api.errors import WorldError
from indexer.api.status import ConnectionMade

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

FILE_NAME = "connections.log"
MOST_LINES = 200
_MOST_BYTES = 1 << 18


def note(folder: Path, what: str, outcome: str) -> None:
    """Add a connection to the log of a folder, or to the program's log if that fails.

    Args:
        folder: Of the log.
        what: What was requested.
        outcome: A code of ``indexer.api.phrases``, or the message of another program.
    """
    line = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "what": what,
        "outcome": outcome,
    }
    log.info("connected: %s: %s", what, outcome)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(folder / FILE_NAME, flags, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        log.warning("the connection could not be logged: %s", error.strerror)


def read(folder: Path) -> tuple[ConnectionMade, ...]:
    """Return the last ``MOST_LINES`` connections, newest first; unreadable lines are skipped."""
    try:
        with (folder / FILE_NAME).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    found = filter(None, map(_line, reversed(text.splitlines())))
    return tuple(islice(found, MOST_LINES))


def _line(text: str) -> ConnectionMade | None:
    try:
        return decode(ConnectionMade, json.loads(text))
    except (ValueError, WorldError):
        return None
