"""Queues files again that could not be read, and keeps the passwords of protected documents.

Owns the choice of files, and the passwords, which are kept in memory only and never logged. The
queue is the catalog's. It must not open files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.types import FileState
from indexer.catalog.roots import normal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.catalog.catalog import Catalog

# The states in which reading may succeed if it is tried again.
FAILED = (FileState.FAILED, FileState.UNREADABLE)


class PasswordsByPath:
    """Passwords by path. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}

    def set(self, path: str, password: str) -> None:
        self._known[normal(path)] = password

    def find(self, path: bytes) -> str | None:
        return self._known.get(normal(path))


def retry(catalog: Catalog, paths: Sequence[Path]) -> int:
    """Queue single files, what failed under folders, or, without paths, all that failed.

    Returns:
        How many files are queued.

    Raises:
        WorldError: ``not_a_root``, if the library has nothing at a path; nothing is queued then.
    """
    if not paths:
        return catalog.queue.retry(states=FAILED)
    chosen: list[int] = []
    for path in paths:
        known = catalog.files.at(path)
        if known is not None:
            chosen.append(known[0])
        elif catalog.coverage.holds(path):
            chosen += catalog.coverage.under(path, FAILED)
        else:
            raise WorldError("not_a_root", path=str(path))
    return catalog.queue.retry(files=chosen)


def unlock(catalog: Catalog, passwords: PasswordsByPath, path: Path, password: str) -> int:
    """Queue a protected file and its copies, to be opened with a password.

    Raises:
        WorldError: ``not_a_root``, if the library has no such file.
    """
    known = catalog.files.at(path)
    if known is None:
        raise WorldError("not_a_root", path=str(path))
    # A copy read without the password would fail, and the failure would be shared.
    copies = {known[0], *catalog.queue.copies(known[0])}
    for row in catalog.files.get(copies).values():
        passwords.set(row.path, password)
    return catalog.queue.retry(files=copies)
