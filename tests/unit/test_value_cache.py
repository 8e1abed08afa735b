"""What several callers ask for at a time is computed once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexer.value_cache import ValueCache


def test_who_asks_meanwhile_waits_for_the_one_that_computes() -> None:
    cache: ValueCache[str, int] = ValueCache(2)
    begun, asked, computed = threading.Event(), threading.Event(), []

    def compute() -> int:
        begun.set()
        asked.wait()
        computed.append(1)
        return 7

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.get, "a", compute)
        begun.wait()
        second = pool.submit(cache.get, "a", compute)
        asked.set()
        assert (first.result(), second.result(), computed) == (7, 7, [1])


def test_an_error_is_not_kept_and_the_last_ones_are() -> None:
    cache: ValueCache[str, int] = ValueCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 1) == cache.get("a", lambda: 2) == 1
    assert [cache.get(key, lambda: 3) for key in ("b", "c", "a")] == [3, 3, 3]
