"""A cache of values that every query reads from the catalog, invalidated by its version.

Owns the rule when a cached value is still valid. Must not know what the values mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from indexer.database import Database

V = TypeVar("V")


class CachedValues(Generic[V]):
    """Values by key, each read at a version of the catalog."""

    def __init__(self, database: Database, seen: Callable[[], int]) -> None:
        """Cache values; ``seen`` returns the version, of the whole catalog or of its files."""
        self._db = database
        self._seen = seen
        self._known: dict[Hashable, tuple[int, V]] = {}

    def get(self, key: Hashable, read: Callable[[], V]) -> V:
        """Return the value of a key, read again if the catalog has changed since.

        Callers share the object and must not change it. Inside a write transaction nothing is
        cached, since that may be rolled back.
        """
        if self._db.in_write:
            return read()
        # Taken before the rows are read, so the rows are at least of this version.
        version = self._seen()
        known = self._known.get(key)
        if known is None or known[0] < version:
            known = self._known[key] = (version, read())
        return known[1]
