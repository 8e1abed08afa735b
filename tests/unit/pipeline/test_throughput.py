"""The rates of estimates: defaults first, then measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.engine.estimate import WalkCounts, pages_of
from indexer.pipeline.parts import Effort, RunCounts
from indexer.pipeline.rates import (
    DEFAULT_PAGES_A_SECOND,
    DEFAULT_PASSAGES_A_SECOND,
    THROUGHPUT_KEY,
    Throughput,
    load_throughput,
    record_throughput,
)

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog


def test_without_measurements_rates_are_defaults(catalog: Catalog) -> None:
    assert load_throughput(catalog, "space") == Throughput(
        DEFAULT_PAGES_A_SECOND, DEFAULT_PASSAGES_A_SECOND, measured=False
    )
    # More layers take longer.
    assert load_throughput(catalog, "space", 8).passages == DEFAULT_PASSAGES_A_SECOND * 6 / 8


def test_small_runs_are_not_recorded(catalog: Catalog) -> None:
    record_throughput(catalog, "space", RunCounts(pages=3, written=9, embedded=9), Effort(1.0, 1.0))
    record_throughput(
        catalog, "space", RunCounts(pages=900, written=900, embedded=900), Effort(0.0, 0.0)
    )
    assert not load_throughput(catalog, "space").measured


def test_the_latest_runs_count_most(catalog: Catalog) -> None:
    done = RunCounts(pages=1000, written=4000, embedded=2000)
    record_throughput(catalog, "space", done, Effort(10.0, 100.0))
    first = load_throughput(catalog, "space")
    assert (first.pages, first.passages, first.passages_a_page) == (100.0, 20.0, 4.0)
    assert first.measured
    record_throughput(catalog, "space", done, Effort(5.0, 50.0))
    second = load_throughput(catalog, "space")
    assert 100.0 < second.pages < 200.0
    assert 20.0 < second.passages < 40.0


def test_another_model_is_another_rate(catalog: Catalog) -> None:
    record_throughput(
        catalog, "space", RunCounts(pages=1000, written=1, embedded=2000), Effort(10.0, 100.0)
    )
    other = load_throughput(catalog, "other")
    assert other.passages == DEFAULT_PASSAGES_A_SECOND
    assert not other.measured


def test_a_damaged_record_of_rates_is_ignored(catalog: Catalog) -> None:
    for damage in ("{", "[1]", '{"pages": "many"}'):
        catalog.set_meta(THROUGHPUT_KEY, damage)
        assert load_throughput(catalog, "space").pages == DEFAULT_PAGES_A_SECOND


def test_searchable_by_meaning_is_never_before_by_words() -> None:
    counted = WalkCounts(formats={"text": [2, 30_000]})
    quick = counted.to_estimate(Throughput(pages=1.0, passages=1000.0), {})
    assert quick.seconds_meaning == quick.seconds_words == 10.0
    slow = counted.to_estimate(Throughput(pages=10.0, passages=1.0, passages_a_page=3.0), {})
    assert (slow.seconds_words, slow.seconds_meaning) == (1.0, 30.0)


def test_the_estimate_of_pages_from_bytes_is_bounded() -> None:
    assert pages_of("pdf", 0, 0, {}) == 0
    assert pages_of("pdf", 3, 10, {}) == 3
    assert pages_of("pdf", 1, 10**12, {}) == 20_000
    assert pages_of("pdf", 1, 1000, {"pdf": 10.0}) == 100
