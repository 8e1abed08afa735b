"""The tables of ``make bench-ranking``: variants, fits without one set, and the time.

It decides what is compared with what, and computes the intervals. It must not know engines.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import asdict, replace

from indexer.search.fusion import DEFAULT_WEIGHTS
from tests.benchmarks import scoring
from tests.benchmarks.ranking_fit import fit_weights
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.search.fusion import Weights
    from tests.benchmarks.ranking_evidence import Evidence
    from tests.benchmarks.report import Cell
    from tests.benchmarks.scoring import Measurer, RunHit

    Doubles = NDArray[np.float64]

DRAWN = 2_000
INTERVAL = (5.0, 95.0)
SEED = 20
# The usual constant of reciprocal rank fusion.
RRF = 60
OFF: Mapping[str, Weights] = {
    "without grouping": DEFAULT_WEIGHTS,
    "without sentence vectors": replace(DEFAULT_WEIGHTS, sentence=0.0),
    "question not weighed apart": replace(DEFAULT_WEIGHTS, question=0.0),
    "without the words of passages": replace(DEFAULT_WEIGHTS, words=0.0),
    "words together or apart alike": replace(DEFAULT_WEIGHTS, near=0.0),
    "without the words of documents": replace(DEFAULT_WEIGHTS, document_words=0.0),
    "without names": replace(DEFAULT_WEIGHTS, name_meaning=0.0, name_words=0.0),
    "without names where documents begin": replace(DEFAULT_WEIGHTS, opening=0.0),
    "years of names all alike": replace(DEFAULT_WEIGHTS, year=0.0),
    "without what stands around": replace(DEFAULT_WEIGHTS, around=0.0),
    "without headings": replace(DEFAULT_WEIGHTS, heading=0.0),
    "figures as good as words": replace(DEFAULT_WEIGHTS, figures=0.0),
    "short text as good as long": replace(DEFAULT_WEIGHTS, short=0.0),
}


@dataclass(frozen=True, slots=True)
class AskedSet:
    """The questions of a set in one wording, and the evidence for them."""

    name: str
    evidence: list[Evidence]
    measurer: Measurer

    def rows(self, hits: Callable[[Evidence], list[RunHit]]) -> Doubles:
        """The measures of each query for some ranking: (queries, columns)."""
        return np.array([self.measurer.measure(one.id, hits(one)) for one in self.evidence])


def ablation(asked: Sequence[AskedSet]) -> Section:
    """The table of each part switched off, each retriever alone, and the usual fusions."""
    rows: list[tuple[Cell, ...]] = []
    for one in asked:
        shipped = one.rows(lambda each: each.shipped)
        rows.append((one.name, "as it ships", *_means(shipped), None))
        for label, weights in OFF.items():
            found = one.rows(partial(_weighted, weights))
            rows.append((one.name, label, *_means(found), _change(found, shipped)))
        for label, scores in _RETRIEVERS.items():
            found = one.rows(partial(_scored, scores))
            rows.append((one.name, label, *_means(found), _change(found, shipped)))
    told = (
        "A difference below 0 means that the part helps, or that the retriever or fusion is worse. "
        "Parts are left out of the score; the candidates are the same."
    )
    columns = ("set", "ranking", *scoring.COLUMNS, "mrr@10, difference")
    return Section("ranking", "Each part off, each retriever alone", columns, tuple(rows), (told,))


def left_out(asked: Sequence[AskedSet], shipped: Weights) -> Section:
    """The table of weights fitted without a set, measured on it, beside its better retriever."""
    rows: list[tuple[Cell, ...]] = []

    @cache  # fits without one set or another try mostly the same weights
    def ranks(at: int, weights: Weights) -> Doubles:
        return asked[at].rows(partial(_weighted, weights))[:, _MRR]

    def ranks_without(left: int, weights: Weights) -> list[Doubles]:
        return [ranks(at, weights) for at in range(len(asked)) if at != left]

    for number, out in enumerate(asked):
        fitted = fit_weights(partial(ranks_without, number))
        alone = [out.rows(partial(_scored, _RETRIEVERS[name])) for name in _SINGLE]
        better = max(alone, key=lambda found: _means(found)[_MRR])
        found = out.rows(partial(_weighted, fitted))
        now = out.rows(partial(_weighted, shipped))
        rows.append((out.name, "the better retriever", *_means(better), None, ""))
        rows.append(
            (
                out.name,
                "fitted on the others",
                *_means(found),
                _change(found, better),
                _told(fitted),
            )
        )
        rows.append((out.name, "as it ships", *_means(now), _change(now, better), _told(shipped)))
    columns = ("set", "weights", *scoring.COLUMNS, "mrr@10 over the better retriever", "values")
    told = (
        "Fitted from plain values, one weight after the other, by the mean of the sets' mrr@10; a "
        "value moves only if the gain is two standard errors above none. "
        "Nothing is folded here. What ships was chosen with all sets in view, from the middle of a "
        "flat optimum; what it promises for other libraries is the line above it."
    )
    title = "Weights fitted without the set"
    return Section("ranking-left-out", title, columns, tuple(rows), (told,))


def speed(asked: Sequence[AskedSet], weights: Weights) -> Section:
    """The table of processor times of the leading passages' features and of the fusion."""
    rows: list[tuple[Cell, ...]] = []
    for one in asked:
        spent = []
        for each in one.evidence:
            began = time.thread_time()
            each.scores(weights)
            spent.append(1e3 * (time.thread_time() - began))
        reading = [each.reading for each in one.evidence]
        both = np.add(spent, reading)
        sizes = [len(each.owner) for each in one.evidence]
        milliseconds = (
            np.median(reading),
            np.median(spent),
            np.median(both),
            *np.quantile(both, [0.95]),
        )
        rows.append((one.name, int(np.median(sizes)), max(sizes), *map(float, milliseconds)))
    columns = (
        "set", "candidates, median", "most", "features, ms", "fusion, ms", "both, ms", "both, 95 %",
    )  # fmt: skip
    told = "Of processor; medians, but for the last column. Retrieval and similarities aside."
    return Section("ranking-speed", "Time of ranking", columns, tuple(rows), (told,))


def interval(differences: Doubles) -> tuple[float, float, float]:
    """The mean of paired differences and its bootstrap interval.

    Args:
        differences: Shape (queries,).
    """
    drawn = np.random.default_rng(SEED).integers(0, len(differences), (DRAWN, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), INTERVAL)
    return float(differences.mean()), float(low), float(high)


def _meaning(one: Evidence) -> NDArray[np.float32]:
    return one.pages.pooled


def _words(one: Evidence) -> NDArray[np.float32]:
    return np.where(one.words > 0, one.words, np.float32(-np.inf))


def _weighted(weights: Weights, one: Evidence) -> list[RunHit]:
    return one.hits(one.scores(weights))


def _scored(scores: Callable[[Evidence], NDArray[np.float32]], one: Evidence) -> list[RunHit]:
    return one.hits(scores(one))


def _halves(one: Evidence) -> NDArray[np.float32]:
    return (_between(one.pages.pooled) + _between(one.words)).astype(np.float32)


def _reciprocal(one: Evidence) -> NDArray[np.float32]:
    ranks = [np.argsort(np.argsort(-each, kind="stable")) for each in (one.pages.pooled, one.words)]
    total: Doubles = np.sum([1.0 / (RRF + 1 + rank) for rank in ranks], axis=0)
    return total.astype(np.float32)


def _between(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    spread = float(np.ptp(scores))
    return (scores - scores.min()) / np.float32(spread) if spread > 0 else np.zeros_like(scores)


_SINGLE = ("meaning alone", "words alone")
_RETRIEVERS: Mapping[str, Callable[[Evidence], NDArray[np.float32]]] = {
    "meaning alone": _meaning,
    "words alone": _words,
    "halves of both, normalised": _halves,
    "reciprocal ranks": _reciprocal,
}
_MRR = scoring.COLUMNS.index("mrr@10")


def _means(rows: Doubles) -> tuple[float, ...]:
    return tuple(float(mean) for mean in rows.mean(axis=0))


def _change(rows: Doubles, base: Doubles) -> str:
    mean, low, high = interval(rows[:, _MRR] - base[:, _MRR])
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def _told(weights: Weights) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in asdict(weights).items())
