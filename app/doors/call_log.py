"""The log of calls through the doors: bounded, on this machine only, readable by its owner.

Each call is a line of JSON. A full file replaces the older one, so that no more than twice
``MAX_BYTES`` are kept. ``lectern remove --everything`` deletes both files.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import paths

if TYPE_CHECKING:
    from app.doors.access import Door
    from app.settings import Settings

log = logging.getLogger(__name__)

FILE_NAME = "doors.jsonl"
SETTING = "door_log"
MAX_BYTES = 512 << 10
_MOST_CHARACTERS = 300  # of a value


def log_file() -> Path:
    return paths.log_folder() / FILE_NAME


def note_call(settings: Settings, door: Door, who: str, what: str, **detail: object) -> None:
    """Append a call to the log, unless the person has switched it off.

    ``who`` is the name that the asking program gives itself; ``detail`` says what it asked for,
    and how many answers there were.
    """
    if not settings[SETTING]:
        return
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    values = {name: _shortened(value) for name, value in detail.items() if value not in ("", None)}
    entry = {"time": now, "door": door.value, "who": _shortened(who), "what": what, **values}
    line = json.dumps(entry, default=str).encode("ascii") + b"\n"
    file = log_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if file.stat().st_size > MAX_BYTES:
                file.replace(_older(file))
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab", buffering=0) as opened:
            opened.write(line)  # one write, so that lines of several processes do not mix
    except OSError:
        log.warning("the log of the doors cannot be written", exc_info=True)


def read_calls(most: int) -> list[dict[str, Any]]:
    """Return the calls in the log, the newest first."""
    return list(islice(_entries(), most))


def remove_log() -> None:
    """Delete the log."""
    for file in (log_file(), _older(log_file())):
        file.unlink(missing_ok=True)


def _entries() -> Iterator[dict[str, Any]]:
    for file in (log_file(), _older(log_file())):
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in reversed(lines):
            with suppress(ValueError):
                if isinstance(entry := json.loads(line), dict):
                    yield entry


def _older(file: Path) -> Path:
    return file.with_suffix(".old.jsonl")


def _shortened(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _MOST_CHARACTERS else f"{value[:_MOST_CHARACTERS]}…"
    return value
