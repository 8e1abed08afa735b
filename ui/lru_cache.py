"""An LRU cache bounded by the sizes of its values."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Values by their keys, of which those used last are kept.

    Args:
        room: The most that the sizes of all values may add up to; one value is kept in any case.
        size_of: Returns the size of a value; by default 1, so that ``room`` is their number.
    """

    def __init__(self, room: int, size_of: Callable[[V], int] = lambda _value: 1) -> None:
        self._room, self._size_of = room, size_of
        self._used = 0
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        if key in self._values:
            self._used -= self._size_of(self._values.pop(key))
        self._values[key] = value
        self._used += self._size_of(value)
        while self._used > self._room and len(self._values) > 1:
            self._used -= self._size_of(self._values.popitem(last=False)[1])

    def clear(self) -> None:
        self._values.clear()
        self._used = 0
