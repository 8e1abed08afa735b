"""Throttling: what a query costs while the library indexes, by pace, against an idle one.

The library of one set answers its own queries while another set is read into a copy of it. Idle
latency is measured before and after, and the factor is of the mean of the two medians, so that a
machine that grows slower meanwhile favours neither side.
"""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.engine import Engine
from indexer.progress import CancelToken, ignore
from tests.benchmarks import sets
from tests.benchmarks.latency import Spent, ask
from tests.benchmarks.libraries import note
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

# The smallest library answers, so that what indexing adds is not lost in what searching takes.
ASKED, READ = "chunking-eval", "financebench"
PACES = ("slow", "normal", "fast")
LOOK_S = 0.05
COLUMNS = ("pace", "queries", "p50 ms", "p95 ms", "p50 of idle", "p95 of idle", "passages/s")


@dataclass(frozen=True, slots=True)
class Beside:
    """Queries while the library indexes, and how many passages it understood a second."""

    pace: str
    spent: Spent
    rate: float


def run(options: Options, libraries: Libraries) -> Section:
    """Ask idle, at every pace, and idle again."""
    with libraries.open(ASKED) as engine:
        folder = engine.config.library
    copy = options.out / "libraries" / "throttled"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    queries = [query.text for query in sets.find(ASKED).queries()]
    with closing(Engine.open(options.config(copy))) as engine:
        before = ask(engine, queries)
        measured = [_beside(engine, pace, queries) for pace in PACES]
        after = ask(engine, queries)
    shutil.rmtree(copy, ignore_errors=True)
    rows = _rows(before, after, measured)
    return Section(
        "throttle",
        "Queries beside indexing",
        COLUMNS,
        rows,
        (_NOTE,),
        {"before": asdict(before), "after": asdict(after), "beside": [asdict(m) for m in measured]},
    )


def _beside(engine: Engine, pace: str, queries: Sequence[str]) -> Beside:
    engine.pace(speed=pace)
    with _indexing(engine, sets.find(READ).corpus):
        began, passages = time.perf_counter(), _passages(engine)
        spent = ask(engine, queries)
        rate = (_passages(engine) - passages) / (time.perf_counter() - began)
    note(f"{pace}: p50 {np.median(spent.milliseconds):.1f} ms beside {rate:.1f} passages/s")
    return Beside(pace, spent, rate)


@contextmanager
def _indexing(engine: Engine, corpus: Path) -> Iterator[None]:
    """Index on another thread; the block begins once passages are being understood."""
    token = CancelToken()

    def work() -> None:
        engine.index([corpus], report=ignore, token=token)

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
    """Understood by the run that goes on."""
    running = engine.activity()["running"]
    return int(running["progress"]["passages"]) if running else 0


def _rows(before: Spent, after: Spent, measured: Sequence[Beside]) -> tuple[tuple[Cell, ...], ...]:
    idle = [np.percentile(one.milliseconds, [50, 95]) for one in (before, after)]
    p50, p95 = np.mean(idle, axis=0).tolist()
    rows: list[tuple[Cell, ...]] = [
        ("idle, before", *_cells(before), None, None, None),
        ("idle, after", *_cells(after), None, None, None),
    ]
    for one in measured:
        count, median, high = _cells(one.spent)
        factors = float(median or 0) / p50, float(high or 0) / p95
        rows.append((one.pace, count, median, high, *factors, one.rate))
    return tuple(rows)


def _cells(spent: Spent) -> tuple[Cell, Cell, Cell]:
    p50, p95 = np.percentile(spent.milliseconds, [50, 95])
    return len(spent.milliseconds), float(p50), float(p95)


_NOTE = (
    f"The queries of {ASKED}, one after the other, while {READ} is read into the same library. "
    "Slow is to stay within 1.5 times idle."
)
