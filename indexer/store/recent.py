"""The values that were used last, up to so many bytes. Must not know what they are."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

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
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._bytes = 0

    def get(self, key: K, read: Callable[[K], V]) -> V:
        """The value of a key, read if it is not kept; two threads may read the same."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = read(key)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._bytes += self._size(found)
            while self._bytes > self._most:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= self._size(oldest)
        return found
