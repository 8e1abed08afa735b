"""The LRU cache keeps what was used last, within its room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.api.lru_cache import LruCache


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
