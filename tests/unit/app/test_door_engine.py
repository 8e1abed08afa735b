"""What an engine of a door lets wait: a slow request holds up no search and no reading."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.engine import LastingEngine
from indexer.api.requests import Compare, ReadPassages, Search
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.contract import Request
    from indexer.api.progress import CancelToken, Progress


class StandingEngine:
    """An engine whose comparisons end when they may; it knows those that were begun."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.running: list[object] = []

    def call(
        self,
        request: Request[Any],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> Any:
        if isinstance(request, Compare):
            self.running.append(request)
            assert self.free.wait(WAIT_S)
        return type(request)

    def close(self) -> None:
        self.free.set()


def test_slow_comparisons_hold_up_no_search_and_no_reading() -> None:
    engine = StandingEngine()
    lasting = LastingEngine(lambda: engine)
    threads = [threading.Thread(target=lasting.call, args=(Compare("a", "b"),)) for _ in range(20)]
    for thread in threads:
        thread.start()
    try:
        wait_for(lambda: len(engine.running) == 2)
        done: list[object] = []
        asked = (Search("roof", 5), ReadPassages(Path("/a.txt")))
        others = [
            threading.Thread(target=lambda one=each: done.append(lasting.call(one)), daemon=True)
            for each in asked
        ]
        for each in others:
            each.start()
        wait_for(lambda: len(done) == len(asked), 10)
        assert len(engine.running) == 2
    finally:
        engine.free.set()
        for thread in threads:
            thread.join()
    assert len(engine.running) == 20
