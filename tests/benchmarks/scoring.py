"""Runs of queries, and their scores by ``score.py``.

It writes run files and calls the scorer that comes with the sets. That runs unchanged in a process
of its own, so that our numbers can be compared with those of others. This module must not know how
hits are found.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks import sets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from indexer.api.types import Hit
    from tests.benchmarks.sets import BenchSet, Query

LIMIT = 20
# The two kinds of sets have different names for the same measures.
COLUMNS = ("@1", "recall@5", "recall@10", "mrr@10", "doc@1")
_NAMES = {
    "@1": ("page_hit@1", "recall@1"),
    "recall@5": ("page_recall@5", "recall@5"),
    "recall@10": ("page_recall@10", "recall@10"),
    "mrr@10": ("mrr@10",),
    "doc@1": ("doc@1",),
}

RunHit = dict[str, Any]


def percentiles(milliseconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile of some times, (n,)."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return float(p50), float(p95)


@dataclass(frozen=True, slots=True)
class Ran:
    """Queries that were asked: the file with their hits, and the time of each in ms."""

    file: Path
    milliseconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return float(np.median(self.milliseconds)) if self.milliseconds else 0.0


def run_hits(hits: Iterable[Hit]) -> list[RunHit]:
    """Hits in the form of a run file."""
    return [
        {"file": hit.file, "page": hit.page, "start": hit.start, "end": hit.end} for hit in hits
    ]


def ask_all(queries: Sequence[Query], ask: Callable[[str], list[RunHit]], file: Path) -> Ran:
    """Ask every query and write the run file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    spent = []
    with file.open("w", encoding="utf-8") as lines:
        for query in queries:
            began = time.perf_counter()
            hits = ask(query.text)
            spent.append(1e3 * (time.perf_counter() - began))
            lines.write(json.dumps({"id": query.id, "hits": hits}, ensure_ascii=False) + "\n")
    return Ran(file, tuple(spent))


def score(wanted: BenchSet, run: Path) -> dict[str, float]:
    """The scores of a run by the set's own scorer, under our names of the columns."""
    command = [sys.executable, str(sets.SCORE), str(wanted.folder), str(run), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: Mapping[str, float] = json.loads(done.stdout)
    return {
        column: next(float(found[name]) for name in _NAMES[column] if name in found)
        for column in COLUMNS
    }


def ranks(wanted: BenchSet, run: Path) -> list[float]:
    """The reciprocal rank of the first right hit for each query of a set, in its order."""
    scorer = _scorer()
    hits = {row["id"]: row["hits"] for row in scorer.read_lines(run)}
    found = []
    for query in scorer.read_lines(wanted.folder / "queries.jsonl"):
        spans = "spans" in query["gold"][0]
        measure = scorer.span_scores if spans else scorer.page_scores
        found.append(float(measure(query["gold"], hits.get(query["id"], [])[:LIMIT])["mrr@10"]))
    return found


@dataclass(frozen=True, slots=True)
class Measurer:
    """Scores the hits of single queries of a set, without a run file."""

    _gold: Mapping[str, list[dict[str, Any]]]
    _scorer: Any

    @classmethod
    def from_set(cls, wanted: BenchSet) -> Measurer:
        scorer = _scorer()
        queries = scorer.read_lines(wanted.folder / "queries.jsonl")
        return cls({query["id"]: query["gold"] for query in queries}, scorer)

    @classmethod
    def from_gold(cls, gold: Mapping[str, list[dict[str, Any]]]) -> Measurer:
        """Score queries of our own; ``gold`` is by query as in a set's file."""
        return cls(gold, _scorer())

    def files(self, query: str) -> set[str]:
        """The files that answer a query."""
        return {gold["file"] for gold in self._gold[query]}

    def measure(self, query: str, hits: Sequence[RunHit]) -> tuple[float, ...]:
        """The measures of one query, in the order of ``COLUMNS``."""
        gold = self._gold[query]
        spans = "spans" in gold[0]
        scores = self._scorer.span_scores if spans else self._scorer.page_scores
        found = scores(gold, hits[:LIMIT])
        return tuple(
            next(float(found[name]) for name in _NAMES[column] if name in found)
            for column in COLUMNS
        )


def compared(base: Sequence[float], other: Sequence[float]) -> str:
    """How many queries another run answers better, and how many worse.

    >>> compared([1.0, 0.5, 0.0], [0.5, 1.0, 1.0])
    '+2 -1'
    """
    pairs = list(zip(base, other, strict=True))
    better, worse = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
    return f"+{better} -{worse}"


def _scorer() -> Any:
    spec = importlib.util.spec_from_file_location("lectern_bench_score", sets.SCORE)
    if spec is None or spec.loader is None:
        raise ImportError(f"{sets.SCORE} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
