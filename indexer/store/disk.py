"""What the file system may do to the store: run out of room, damage it, keep half a table.

Owns the signs by which these are told. It must not know tables.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Lance passes on what the system said, in words only: full disk and quota, on each system.
_FULL = (
    "no space left on device",
    "disk quota exceeded",
    "not enough space on the disk",
    "(os error 112)",
)


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Open tables and read what is needed at once.

    Raises:
        WorldError: ``library_damaged``, if Lance cannot make sense of its files.
    """
    try:
        yield
    except (RuntimeError, OSError) as error:
        if not str(error).startswith("lance error"):
            raise
        reason = str(error).partition(", /")[0]  # the rest is a place in the source of Lance
        raise WorldError("library_damaged", library=str(path.parent), reason=reason) from error


@contextmanager
def needing_room(path: Path) -> Iterator[None]:
    """Do something that writes below a folder.

    Raises:
        WorldError: ``disk_full``, whatever error of the store that was.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        told = str(error).lower()
        if not any(sign in told for sign in _FULL):
            raise
        raise WorldError("disk_full", needed="what the store needs", path=str(path)) from error


def drop_unborn(path: Path) -> None:
    """Remove tables whose making was interrupted before their first version; they hold no row.

    LanceDB lists them and then cannot open them.
    """
    for table in path.glob("*.lance"):
        if not any((table / "_versions").glob("*.manifest")):
            shutil.rmtree(table)
