"""Values that every query asks the catalog for, kept until what they are read from changes.

Owns nothing but the rule of when a kept value still holds. Must not know what the values mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from indexer.catalog.database import Database

V = TypeVar("V")


class CachedValues(Generic[V]):
    """Values by key, each as of a version of the catalog."""

    def __init__(self, database: Database, seen: Callable[[], int]) -> None:
        """Keep values that ``seen`` tells the version of: all of the catalog, or its places."""
        self._db = database
        self._seen = seen
        self._known: dict[Hashable, tuple[int, V]] = {}

    def get(self, key: Hashable, read: Callable[[], V]) -> V:
        """Give the value of a key, read only where none as new as this thread's rows is kept.

        The same object until then: it must not be changed. Inside a transaction that writes it is
        read, since that may yet be undone.
        """
        if self._db.in_write:
            return read()
        # Before the rows are read: they are of this version or of a later one.
        version = self._seen()
        known = self._known.get(key)
        if known is None or known[0] < version:
            known = self._known[key] = (version, read())
        return known[1]
