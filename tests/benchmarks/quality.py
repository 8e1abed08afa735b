"""Quality: every query of every set, asked of the engine as it ships, with one setting for all.

The model is the one that Lectern chooses for a library of the set; if another is chosen for it,
both have a row.

CUAD's questions first name the contract that they are about. A second row asks them without that,
like a person who has only this contract in mind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.requests import GetStatus, Search
from tests.benchmarks import scoring
from tests.benchmarks.report import Section
from tests.benchmarks.sets import Query, without_preamble

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.engine.engine import Engine
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell
    from tests.benchmarks.sets import BenchSet

WARM = 10  # queries that are not timed
COLUMNS = ("set", "model", "queries", *scoring.COLUMNS, "p50 ms", "p95 ms")
BY_ITSELF = "with the model it gets by itself"
NOTE = (
    "Spans (chunking-eval, xquad): share of the gold characters within the first k hits. Pages "
    "(cuad, financebench): a gold page among the first k distinct pages. `doc@1`: the first hit is "
    "in the right file. Scored by the sets' own score.py. Times are of each query asked once, one "
    f"after the other, from its text to {scoring.LIMIT} hits with their texts, without the first "
    f"{WARM}."
)


def run(options: Options, libraries: Libraries) -> Section:
    """Index, ask and score."""
    rows: list[tuple[Cell, ...]] = []
    for wanted in options.chosen:
        with libraries.open(wanted) as engine:
            for label, queries in _phrasings(wanted):
                rows.append(_row(options, engine, wanted, label, queries))
        if wanted.model:
            label = f"{wanted.name}, {BY_ITSELF}"
            with libraries.open_folder(f"{wanted.name}-by-itself", wanted.corpus) as engine:
                rows.append(_row(options, engine, wanted, label, wanted.queries()))
    return Section("quality", "Quality", COLUMNS, tuple(rows), (NOTE,))


def _phrasings(wanted: BenchSet) -> Iterator[tuple[str, list[Query]]]:
    queries = wanted.queries()
    yield wanted.name, queries
    short = [Query(query.id, without_preamble(query.text)) for query in queries]
    if short != queries:
        yield f"{wanted.name}, without its preamble", short


def _row(
    options: Options, engine: Engine, wanted: BenchSet, label: str, queries: Sequence[Query]
) -> tuple[Cell, ...]:
    def ask(text: str) -> list[scoring.RunHit]:
        found = engine.call(Search(text, scoring.LIMIT))
        return scoring.run_hits(found.hits)

    file = options.out / "runs" / f"{label.replace(', ', '-').replace(' ', '-')}.jsonl"
    ran = scoring.ask_all(queries, ask, file)
    scores = scoring.score(wanted, ran.file)
    model = engine.call(GetStatus()).model
    shares = (scores[column] for column in scoring.COLUMNS)
    times = scoring.percentiles(ran.milliseconds[WARM:] or ran.milliseconds)
    return label, model, len(queries), *shares, *times
