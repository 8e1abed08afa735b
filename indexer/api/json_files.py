"""Changes the person's JSON files, which other processes change too.

A change is made under a lock, to what the file holds at that moment. Keys that the caller does not
know stay. A file that cannot be read is never overwritten, and a link to a file remains a link.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.private_files import small_file, write_file

if TYPE_CHECKING:
    from filelock import BaseFileLock

_LOCK_S = 10.0  # how long another process may hold the lock


def read_object(file: Path) -> dict[str, Any]:
    """Return the object in a file; {} if there is no file.

    Raises ``ValueError`` if the file is damaged or holds no object (``JSONDecodeError`` says
    where), and ``OSError`` if the system does not let it be read.
    """
    try:
        content = json.loads(small_file(file).decode("utf-8"))
    except FileNotFoundError:
        return {}
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(content, dict):
        raise ValueError("no object")  # noqa: TRY004  # a fault of the file, not of a caller
    return content


@contextlib.contextmanager
def changing(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the object in a file, which the block changes. An empty object has no file.

    Raises ``ValueError`` as ``read_object`` does, and then writes nothing. Raises ``OSError`` if
    the file cannot be read or written, or another process keeps it locked.
    """
    with lock_for(file):
        place = Path(os.path.realpath(file))
        content = read_object(place)
        yield content
        if content:
            text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)
            write_file(place, text + "\n")
        else:
            place.unlink(missing_ok=True)


def put_aside(file: Path) -> Path | None:
    """Rename a damaged file; return its new path, or None if it is not damaged.

    Raises ``OSError`` if it cannot be read or moved.
    """
    if not _is_damaged(file):
        return None
    with lock_for(file):
        if not _is_damaged(file):
            return None  # another process was first
        names = (file.with_name(f"{file.stem}-unread-{number}.json") for number in count(1))
        return file.rename(next(name for name in names if not name.exists()))


def copies(file: Path) -> list[Path]:
    """Return the damaged files that ``put_aside`` has renamed."""
    return list(file.parent.glob(f"{file.stem}-unread-*.json"))


def _is_damaged(file: Path) -> bool:
    try:
        read_object(file)
    except ValueError:
        return True
    return False


def lock_for(file: Path) -> BaseFileLock:
    """Make the folder of a file and return the lock for changes to the file."""
    from filelock import FileLock  # only changes need this module

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return FileLock(Path(os.path.realpath(file)).with_suffix(".lock"), timeout=_LOCK_S, mode=0o600)
