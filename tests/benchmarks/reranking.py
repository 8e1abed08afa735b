"""What a re-ranker is worth: each set's questions as they are ranked, and as it orders the hits.

    lectern models import FOLDER
    python -m tests.benchmarks.reranking --model NAME --out DIR --questions 80

It reads all hits it is given, however long that takes; the time is of the processor. "Both" orders
hits by the sum of 1 / (10 + place) in either order. With ``--out`` of an earlier run of the quality
benchmark its libraries are searched, and indexed again only where files have changed.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from indexer.api.requests import Search
from indexer.embed import reranker
from indexer.query.reranking import rerank_request, reranked
from indexer.search.calibration import thinned
from tests.benchmarks import scoring, sets
from tests.benchmarks.libraries import Libraries, Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.engine.engine import Engine

MRR = scoring.COLUMNS.index("mrr@10")
DAMPING = 10


def both(order: Sequence[int]) -> tuple[int, ...]:
    """The order by both rankings, from the other's order of the first hits.

    >>> both((2, 0, 1))
    (0, 2, 1)
    """
    place = {hit: at for at, hit in enumerate(order)}
    score = [1 / (DAMPING + at) + 1 / (DAMPING + place[at]) for at in range(len(order))]
    return tuple(sorted(range(len(order)), key=lambda at: -score[at]))


def measure(engine: Engine, name: str, questions: int, depth: int) -> dict[str, Any]:
    """The mean reciprocal ranks of a set, and what ordering its hits took."""
    wanted = sets.find(name)
    measurer = scoring.Measurer.from_set(wanted)
    queries = thinned(wanted.queries(), questions)
    ranks: dict[str, list[float]] = {"as ranked": [], "as ordered": [], "both": []}
    spent = 0.0
    for query in queries:
        found = engine.call(Search(query.text, depth))
        request = rerank_request(query.text, found)
        began = time.process_time()
        order = engine.call(replace(request, wait=True)) if request else ()
        spent += time.process_time() - began
        for label, each in zip(ranks, ((), order, both(order)), strict=True):
            hits = scoring.run_hits(reranked(found, each).hits)
            ranks[label].append(measurer.measure(query.id, hits)[MRR])
    return {
        "set": name, "questions": len(queries),
        **{label: round(fmean(values), 4) for label, values in ranks.items()},
        "changed": scoring.compared(ranks["as ranked"], ranks["as ordered"]),
        "ms": round(1e3 * spent / len(queries)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--model", required=True, help="id of the re-ranker, which is installed")
    parser.add_argument("--out", type=Path, required=True, help="folder of libraries")
    parser.add_argument("--questions", type=int, default=10_000, help="of each set at most")
    parser.add_argument("--depth", type=int, default=20, help="hits that are ordered")
    parser.add_argument("sets", nargs="*", default=sets.NAMES)
    options = parser.parse_args()
    reranker.BUDGET_S = 1e6
    libraries = Libraries(Options(options.out, keep=True))
    for name in options.sets:
        with libraries.open(sets.find(name)) as engine:
            engine.reranker.configure_reranker(replace(engine.config, reranker=options.model))
            found = measure(engine, name, options.questions, options.depth)
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
