"""The LRU caches keep what was used last, within their room, and compute it once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.lru_cache import LruCache, SharedCache


def test_the_value_used_longest_ago_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    cache.clear()
    assert len(cache) == 0
    assert "a" not in cache


def test_what_is_evicted_is_closed_and_what_is_taken_out_is_not() -> None:
    closed: list[int] = []
    cache: LruCache[str, int] = LruCache(2, evicted=closed.append)
    for value, key in enumerate("abc"):
        cache.put(key, value)
    assert closed == [0]
    assert cache.pop("b") == 1
    assert cache.pop("b") is None
    cache.discard("b")
    assert cache.computed("d", lambda _key: 3) == 3
    assert cache.computed("c", lambda _key: 9) == 2
    assert list(cache) == ["d", "c"]
    cache.clear()
    assert closed == [0, 3, 2]


@given(st.lists(st.tuples(st.integers(0, 5), st.text(max_size=8))), st.integers(1, 20))
def test_sizes_never_add_up_to_more_than_the_room(puts: list[tuple[int, str]], room: int) -> None:
    cache: LruCache[int, str] = LruCache(room, len)
    for key, value in puts:
        cache.put(key, value)
        assert cache.get(key) == value
        kept = [found for each in range(6) if (found := cache.get(each)) is not None]
        assert sum(map(len, kept)) <= room or len(kept) == 1


def test_who_asks_meanwhile_waits_for_the_one_that_computes() -> None:
    cache: SharedCache[str, int] = SharedCache(2)
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


def test_an_error_is_not_kept() -> None:
    cache: SharedCache[str, int] = SharedCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 1) == cache.get("a", lambda: 2) == 1


@pytest.mark.parametrize(
    ("room", "asked", "computed"),
    [
        (3, ("a", "b", "c", "a", "d", "a", "c", "b"), ["a", "b", "c", "d", "b"]),
        (
            5,
            ("aa", "bbb", "cccc", "cccc", "bbb", "too long", "too long"),
            ["aa", "bbb", "cccc", "bbb", "too long", "too long"],
        ),
    ],
)
def test_a_shared_cache_keeps_what_was_used_last_within_its_room(
    room: int, asked: tuple[str, ...], computed: list[str]
) -> None:
    cache: SharedCache[str, str] = SharedCache(room, len)
    made: list[str] = []

    def compute(key: str) -> str:
        made.append(key)
        return key

    for key in asked:
        assert cache.get(key, partial(compute, key)) == key
    assert made == computed
