"""The model of indexing by cores has the table of its page, and the readers of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.engine import indexing
from tests.benchmarks import scaling
from tests.benchmarks.scaling import Costs, predict

PAGE = Path(__file__).parents[3] / "docs" / "benchmarks" / "speed.md"


def test_the_page_has_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for line in scaling.section().markdown().splitlines()[2:]:
        assert line in page


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 8, 16])
def test_readers_are_as_many_as_the_engine_starts(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "cores", lambda: cores)
    assert scaling.readers(cores) == indexing._readers()


def test_a_run_is_as_fast_as_its_slowest_stage() -> None:
    million = 1_000_000
    alone = predict(Costs(100.0, reading=0.0, engine=0.0, once=0.0), 4, million)
    assert alone.share == pytest.approx(1 / scaling.AGAIN)
    assert alone.limit == "session"
    engine = predict(Costs(100.0, reading=0.0, engine=50.0, once=0.0), 1000, million)
    assert engine.rate == pytest.approx(20_000, rel=0.01)
    assert engine.limit == "the engine's one process"
    reading = predict(Costs(1.0, reading=100.0, engine=1.0, once=0.0), 4, million)
    assert reading.rate == pytest.approx(20_000)
    assert reading.limit == "readers"
    full = predict(Costs(1.0, reading=10.0, engine=1.0, once=0.0), 2, million)
    assert full.limit == "all cores"


def test_what_is_done_once_weighs_less_in_a_long_run() -> None:
    costs = Costs(100.0, reading=0.0, engine=0.0, once=1.0)
    assert predict(costs, 1, 1_000_000).rate < predict(costs, 1, 10_000_000).rate
