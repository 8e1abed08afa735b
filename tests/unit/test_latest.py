"""What several callers ask for at a time is computed once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexer.latest import Latest


def test_who_asks_meanwhile_waits_for_the_one_that_computes() -> None:
    latest: Latest[str, int] = Latest(2)
    begun, asked, computed = threading.Event(), threading.Event(), []

    def compute() -> int:
        begun.set()
        asked.wait()
        computed.append(1)
        return 7

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(latest.get, "a", compute)
        begun.wait()
        second = pool.submit(latest.get, "a", compute)
        asked.set()
        assert (first.result(), second.result(), computed) == (7, 7, [1])


def test_an_error_is_not_kept_and_the_last_ones_are() -> None:
    latest: Latest[str, int] = Latest(2)
    with pytest.raises(ZeroDivisionError):
        latest.get("a", lambda: 1 // 0)
    assert latest.get("a", lambda: 1) == latest.get("a", lambda: 2) == 1
    assert [latest.get(key, lambda: 3) for key in ("b", "c", "a")] == [3, 3, 3]
