"""Latency: one warm query after the other, including its embedding, at 100,000 passages and more.

The synthetic libraries (see ``synthetic_engine``) hold 100,000 and, on request, 1,000,000 passages.
Queries are also restricted to folders that hold 1 %, 50 % and 99 % of their documents. The sets'
own libraries are timed while their quality is measured.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.requests import Search
from indexer.engine.engine import Engine
from indexer.search.calibration import thinned
from tests.benchmarks import scoring, sets, synthetic_library
from tests.benchmarks.libraries import note
from tests.benchmarks.processes import MB
from tests.benchmarks.report import Section
from tests.benchmarks.synthetic_texts import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

# How many queries are not timed, while caches fill and the session for queries is opened.
WARM, QUERIES = 20, 100
LIMIT = 10  # what a person sees first
# Natural questions without quotes; their words occur in the synthetic texts.
SYNTHETIC_QUERIES = "chunking-eval"
COLUMNS = ("library", "passages", "within", "queries", "p50 ms", "p95 ms", "max ms", "processor ms")


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds of n queries, (n,), and their total processor time in all threads."""

    milliseconds: tuple[float, ...]
    worked: float

    def cells(self) -> tuple[Cell, ...]:
        count = len(self.milliseconds)
        times = scoring.percentiles(self.milliseconds)
        return count, *times, max(self.milliseconds), self.worked / count


def run(options: Options, _libraries: Libraries) -> Section:
    """Ask every synthetic library."""
    rows: list[tuple[Cell, ...]] = []
    notes = [_NOTE]
    for size in synthetic_library.sizes(options):
        rows += _synthetic(options, size)
        built = synthetic_library.facts(options, size)
        notes.append(
            f"{size:,} synthetic passages were built at commit {built['commit']} in "
            f"{built['seconds']:.0f} s, by an engine of at most {built['engine_peak'] / MB:.0f} MB "
            f"and children of at most {built['child_peak'] / MB:.0f} MB (resident)."
        )
    return Section("latency", "Query latency, warm", COLUMNS, tuple(rows), tuple(notes))


def ask(engine: Engine, queries: Sequence[str]) -> Spent:
    """Time queries as the engine's callers send them."""
    chosen = thinned(list(dict.fromkeys(queries)), WARM + QUERIES)
    for text in chosen[:WARM]:
        engine.call(Search(text, LIMIT, full_text=False))
    spent = []
    working = time.process_time()
    for text in chosen[WARM:] or chosen:  # a repeated query is not encoded again
        began = time.perf_counter()
        engine.call(Search(text, LIMIT, full_text=False))
        spent.append(1e3 * (time.perf_counter() - began))
    return Spent(tuple(spent), 1e3 * (time.process_time() - working))


def _synthetic(options: Options, size: int) -> list[tuple[Cell, ...]]:
    library = synthetic_library.ensure(options, size)
    queries = [query.text for query in sets.find(SYNTHETIC_QUERIES).queries()]
    rows: list[tuple[Cell, ...]] = []
    with closing(Engine.open(options.config(library))) as engine:
        for folder, share in {"": "everything", **FOLDERS}.items():
            prefix = f"in:{folder} " if folder else ""
            spent = ask(engine, [prefix + text for text in queries])
            label = f"in: {share}" if folder else share
            note(f"synthetic {size:,}, {label}: p50 {np.median(spent.milliseconds):.1f} ms")
            rows.append(("synthetic", _passages(engine), label, *spent.cells()))
    return rows


def _passages(engine: Engine) -> int:
    return engine.catalog.spaces.totals().passages


_NOTE = (
    "From the query's text to ten hits: parsed, embedded in fp32, searched, ranked, read. "
    f"At most {QUERIES} queries of a set, one after the other, after {WARM} to warm up. Processor "
    "time is the mean over all threads; other work on the machine changes it less."
)
