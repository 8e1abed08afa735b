"""A thread-safe LRU cache of what is read from a store."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

from indexer.api.lru_cache import LruCache

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key, of which those not used for longest go first. Thread-safe.

    Args:
        most: The bytes of all together; a larger value is not kept.
        size: The bytes of a value.
    """

    def __init__(self, most: int, size: Callable[[V], int]) -> None:
        self._most, self._size = most, size
        self._lock = threading.Lock()
        self._kept: LruCache[K, V] = LruCache(most, size)

    def get(self, key: K, read: Callable[[K], V]) -> V:
        """The value of a key, read if it is not kept; two threads may read the same."""
        with self._lock:
            found = self._kept.get(key)
        if found is not None:
            return found
        found = read(key)
        with self._lock:
            if self._size(found) <= self._most:
                self._kept.put(key, found)
        return found
