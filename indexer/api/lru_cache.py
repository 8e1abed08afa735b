"""LRU caches bounded by the sizes of their values, for one thread and for many."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """An LRU cache for one thread.

    Args:
        room: The most that the sizes of all values may add up to; the last value is always kept.
        size_of: Returns the size of a value; by default 1, so that ``room`` is their number.
        evicted: Called with each value that leaves the cache, except through ``pop``.
    """

    def __init__(
        self,
        room: int,
        size_of: Callable[[V], int] = lambda _value: 1,
        evicted: Callable[[V], object] = lambda _value: None,
    ) -> None:
        self._room, self._size_of, self._evicted = room, size_of, evicted
        self._used = 0
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys, the most recently used one last."""
        return iter(self._values)

    def get(self, key: K) -> V | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        self.pop(key)
        self._values[key] = value
        self._used += self._size_of(value)
        while self._used > self._room and len(self._values) > 1:
            self.discard(next(iter(self._values)))

    def computed(self, key: K, compute: Callable[[K], V]) -> V:
        """Return the value of a key; a missing one is computed and kept."""
        if key not in self._values:
            self.put(key, compute(key))
        self._values.move_to_end(key)
        return self._values[key]

    def pop(self, key: K) -> V | None:
        """Remove a value and return it."""
        if key not in self._values:
            return None
        value = self._values.pop(key)
        self._used -= self._size_of(value)
        return value

    def discard(self, key: K) -> None:
        """Evict a value, if it is there."""
        if (value := self.pop(key)) is not None:
            self._evicted(value)

    def clear(self) -> None:
        """Evict all values."""
        while self._values:
            self.discard(next(iter(self._values)))


class SharedCache(Generic[K, V]):
    """An LRU cache in which each value is computed once, and other threads wait for it.

    Args:
        room: As for ``LruCache``; a larger value is not kept.
        size_of: As for ``LruCache``.
    """

    def __init__(self, room: int, size_of: Callable[[V], int] = lambda _value: 1) -> None:
        self._room, self._size_of = room, size_of
        self._lock = threading.Lock()
        self._kept: LruCache[K, V] = LruCache(room, size_of)
        #: The keys whose values are being computed, with what other threads wait for, if any do.
        self._computing: dict[K, Future[V] | None] = {}

    def get(self, key: K, compute: Callable[[], V]) -> V:
        """Return the value of a key; an error of ``compute`` is raised to every thread that waits.

        ``compute`` must not return None.
        """
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                return kept
            waiting = None
            if key in self._computing:
                waiting = self._computing[key] = self._computing[key] or Future()
            else:
                self._computing[key] = None
        if waiting is not None:
            return waiting.result()
        try:
            value = compute()
        except BaseException as error:
            with self._lock:
                others = self._computing.pop(key)
            if others is not None:
                others.set_exception(error)
            raise
        with self._lock:
            others = self._computing.pop(key)
            if self._size_of(value) <= self._room:
                self._kept.put(key, value)
        if others is not None:
            others.set_result(value)
        return value
