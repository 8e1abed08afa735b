"""Throttling: the latency of queries while the library indexes, by pace, relative to an idle one.

The library of one set answers its own queries while another set is read into a copy of it. Idle
latency is measured before and after each pace, and the factor is relative to the mean of both. So
neither a machine that becomes slower nor a growing library favours one side.
"""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.progress import CancelToken
from indexer.api.requests import GetActivity, Index, SetPace
from indexer.api.status import Speed
from indexer.engine.engine import Engine
from tests.benchmarks import sets
from tests.benchmarks.latency import Spent, ask
from tests.benchmarks.libraries import note
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

# The smallest library answers, so that searching is short and the time that indexing adds is seen.
ASKED, READ = "chunking-eval", "financebench"
PACES = ("slow", "normal", "fast")
LOOK_S = 0.05
COLUMNS = ("pace", "queries", "p50 ms", "p95 ms", "p50 of idle", "p95 of idle", "passages/s")


@dataclass(frozen=True, slots=True)
class Beside:
    """Queries while the library indexes, and how many passages a second it embedded.

    ``idle`` are the same queries before and after indexing.
    """

    pace: str
    spent: Spent
    rate: float
    idle: tuple[Spent, Spent]


def run(options: Options, libraries: Libraries) -> Section:
    """Ask idle, at every pace, and idle again."""
    with libraries.open(sets.find(ASKED)) as engine:
        folder = engine.config.library
    copy = options.out / "libraries" / "throttled"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    queries = [query.text for query in sets.find(ASKED).queries()]
    with closing(Engine.open(options.config(copy))) as engine:
        measured = [_beside(engine, pace, queries) for pace in PACES]
    shutil.rmtree(copy, ignore_errors=True)
    return Section(
        "throttle",
        "Queries beside indexing",
        COLUMNS,
        tuple(row for one in measured for row in _rows(one)),
        (_NOTE,),
        {"beside": [asdict(one) for one in measured]},
    )


def _beside(engine: Engine, pace: str, queries: Sequence[str]) -> Beside:
    engine.call(SetPace(Speed(pace)))
    before = ask(engine, queries)
    with _indexing(engine, sets.find(READ).corpus):
        began, passages = time.perf_counter(), _passages(engine)
        spent = ask(engine, queries)
        rate = (_passages(engine) - passages) / (time.perf_counter() - began)
    note(f"{pace}: p50 {np.median(spent.milliseconds):.1f} ms beside {rate:.1f} passages/s")
    return Beside(pace, spent, rate, (before, ask(engine, queries)))


@contextmanager
def _indexing(engine: Engine, corpus: Path) -> Iterator[None]:
    """Index on another thread; the block begins once passages are being embedded."""
    token = CancelToken()

    def work() -> None:
        engine.call(Index((corpus,)), token=token)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while not _passages(engine):
            time.sleep(LOOK_S)
        yield
    finally:
        token.cancel()
        thread.join()


def _passages(engine: Engine) -> int:
    """The number of passages that the current run has embedded."""
    running = engine.call(GetActivity()).running
    return int(running.progress.passages) if running else 0


def _rows(one: Beside) -> Iterator[tuple[Cell, ...]]:
    idle = [milliseconds for spent in one.idle for milliseconds in spent.milliseconds]
    p50, p95 = _percentiles(idle)
    yield f"idle around {one.pace}", len(idle), p50, p95, None, None, None
    median, high = _percentiles(one.spent.milliseconds)
    count = len(one.spent.milliseconds)
    yield one.pace, count, median, high, median / p50, high / p95, one.rate


def _percentiles(milliseconds: Sequence[float]) -> tuple[float, float]:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return float(p50), float(p95)


_NOTE = (
    f"The queries of {ASKED}, one after the other, while {READ} is read into the same library. "
    "Slow is to stay within 1.5 times idle."
)
