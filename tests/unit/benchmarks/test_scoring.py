"""Run files go through the scorer that comes with the sets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks import scoring
from tests.benchmarks.sets import BenchSet
from tests.corpora import needs_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.scoring import RunHit

pytestmark = [needs_corpus, pytest.mark.corpus]


def _pages(*pages: int) -> list[RunHit]:
    return [{"file": "a.pdf", "page": page, "start": 0, "end": 9} for page in pages]


@pytest.fixture
def tiny(tmp_path: Path) -> BenchSet:
    gold = [{"file": "a.pdf", "pages": [3]}]
    lines = [json.dumps({"id": f"q{n}", "query": str(n), "gold": gold}) for n in range(2)]
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return BenchSet("tiny", folder)


def test_a_run_is_scored_and_timed(tiny: BenchSet, tmp_path: Path) -> None:
    answers = {"0": _pages(3, 1), "1": _pages(1, 1, 3)}
    ran = scoring.ask_all(tiny.queries(), answers.__getitem__, tmp_path / "runs" / "r.jsonl")
    assert len(ran.milliseconds) == 2
    assert ran.median >= 0.0
    scores = scoring.score(tiny, ran.file)
    assert scores == {"@1": 0.5, "recall@5": 1.0, "recall@10": 1.0, "mrr@10": 0.75, "doc@1": 1.0}
    assert scoring.ranks(tiny, ran.file) == [1.0, 0.5]
