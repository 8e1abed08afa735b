"""The values that were computed last, each of them once. Must not know what they are."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class Latest(Generic[K, V]):
    """The values of the last keys. Thread-safe: who asks for one that is being computed waits.

    Args:
        count: How many are kept; they are forgotten together.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._known: dict[K, Future[V]] = {}

    def get(self, key: K, compute: Callable[[], V]) -> V:
        """The value of a key, computed if it is not known; an error is raised to all who wait."""
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
