"""Ablation: what each part of a search contributes, query by query on the same library.

The library, the queries and the rest of the search stay the same. One column counts the queries
that a variant answers better and worse than the unchanged search.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, cast

from tests.benchmarks import scoring
from tests.benchmarks.libraries import note
from tests.benchmarks.multivector import Multivectors, MultivectorStore
from tests.benchmarks.report import Section
from tests.benchmarks.size import weigh
from tests.benchmarks.variants import SingleRetrievers, Variant, searching, variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.engine.engine import Engine
    from indexer.store.store import Store
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell
    from tests.benchmarks.sets import BenchSet

COLUMNS = ("set", "search", *scoring.COLUMNS, "better, worse", "p50 ms")
WARM = 10


def run(options: Options, libraries: Libraries) -> Section:
    """Ask every variant about every set."""
    rows: list[tuple[Cell, ...]] = []
    notes = ["Better and worse: queries, by the reciprocal rank of the first right hit."]
    for number, wanted in enumerate(options.chosen):
        with libraries.open(wanted) as engine:
            compared = _Compared(options, wanted)
            rows += [compared.row(variant) for variant in variants(engine)]
            if number == 0:  # it reads every sentence vector for every query: one set is enough
                multivectors = Multivectors.from_engine(engine, options.out / "multivector")
                rows += [compared.row(variant) for variant in _by_lancedb(engine, multivectors)]
                ours = weigh(engine, libraries.folder(wanted.library))["sentence vectors, keys"]
                notes.append(_sizes(wanted, multivectors.size, ours))
    return Section("ablation", "What each part is worth", COLUMNS, tuple(rows), tuple(notes))


def _by_lancedb(engine: Engine, multivectors: Multivectors) -> list[Variant]:
    """Variants with LanceDB's own multivector column: within the whole search, and alone."""
    store = cast("Store", MultivectorStore(engine.store, multivectors))
    alone = SingleRetrievers(engine, store).meaning
    return [
        Variant("LanceDB's multivector column for sentences", partial(searching, engine, store)),
        Variant("LanceDB's multivector column alone", lambda: nullcontext(alone)),
    ]


class _Compared:
    """The variants of one set; the others are compared with the first."""

    def __init__(self, options: Options, wanted: BenchSet) -> None:
        self._folder = options.out / "runs"
        self._set = wanted
        self._queries = wanted.queries()
        self._base: Sequence[float] | None = None

    def row(self, variant: Variant) -> tuple[Cell, ...]:
        name = "".join(sign if sign.isalnum() else "-" for sign in variant.label)
        file = self._folder / f"{self._set.name}-{name}.jsonl"
        with variant.opened() as ask:
            for query in self._queries[:WARM]:
                ask(query.text)
            ran = scoring.ask_all(self._queries, ask, file)
        note(f"{self._set.name}, {variant.label}: p50 {ran.median:.1f} ms")
        ranks = scoring.ranks(self._set, ran.file)
        change = None if self._base is None else scoring.compared(self._base, ranks)
        self._base = self._base or ranks
        scores = scoring.score(self._set, ran.file)
        columns = (scores[column] for column in scoring.COLUMNS)
        return self._set.name, variant.label, *columns, change, ran.median


def _sizes(wanted: BenchSet, theirs: int, ours: int) -> str:
    return (
        f"On {wanted.name} LanceDB's column takes {theirs / 1e6:.1f} MB for the sentence vectors "
        f"in float16, ours {ours / 1e6:.1f} MB as they ship, keys included in both."
    )
