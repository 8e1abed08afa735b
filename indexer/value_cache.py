"""A cache of computed values, bounded by their number."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class ValueCache(Generic[K, V]):
    """Computed values by their keys; each is computed once, and other threads wait for it.

    Args:
        count: The most values kept; when there would be more, all are dropped.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._known: dict[K, Future[V]] = {}

    def get(self, key: K, compute: Callable[[], V]) -> V:
        """Return the value of a key, computed if it is not cached.

        An error is raised to every thread that waits.
        """
        with self._lock:
            found = self._known.get(key)
            if first := found is None:
                if len(self._known) >= self._count:
                    self._known = {}
                found = self._known[key] = Future()
        if first:
            try:
                found.set_result(compute())
            except BaseException as error:
                self._known.pop(key, None)
                found.set_exception(error)
                raise
        return found.result()
