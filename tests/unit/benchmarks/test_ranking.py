"""The arithmetic of the ranking benchmark: intervals, fitting, variants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from indexer.search.fusion import (
    DEFAULT_WEIGHTS,
    DocumentEvidence,
    PageEvidence,
    Weights,
)
from indexer.search.rerank import RerankEvidence
from tests.benchmarks.ranking_evidence import Evidence
from tests.benchmarks.ranking_fit import NEUTRAL, TRIED, fit_weights
from tests.benchmarks.ranking_tables import OFF, interval


def evidence(n: int) -> Evidence:
    random = np.random.default_rng(3)
    arrays = [random.random(n, dtype=np.float32) for _ in range(10)]
    one = np.ones(1, np.float32)
    return Evidence(
        id="q",
        pages=PageEvidence(*arrays[:5]),
        documents=DocumentEvidence(one, one, one, one, one, 0.5),
        owner=np.zeros(n, np.intp),
        read=RerankEvidence(
            arrays[5],
            arrays[6],
            1000 * arrays[7],
            0.2 * arrays[8],
            arrays[9],
            np.arange(n),
            0.5,
        ),
        words=arrays[0],
        places=[{"file": "a", "page": at, "start": at, "end": at + 1} for at in range(n)],
        shipped=[],
    )


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_an_interval_holds_its_mean(differences: list[float]) -> None:
    mean, low, high = interval(np.array(differences))
    assert low - 1e-9 <= mean <= high + 1e-9
    assert min(differences) - 1e-9 <= low <= high <= max(differences) + 1e-9


def test_an_interval_is_the_same_each_time_and_narrows_with_more_queries() -> None:
    few = np.tile([0.0, 1.0], 10)
    many = np.tile([0.0, 1.0], 1_000)
    assert interval(few) == interval(few)
    assert np.ptp(interval(many)[1:]) < np.ptp(interval(few)[1:])


def test_weights_that_matter_are_found_and_others_stay() -> None:
    wanted = {"words": 2.0, "heading": 0.15}

    def measure(weights: Weights) -> list[np.ndarray]:
        found = asdict(weights)
        missed = sum(abs(float(found[name]) - value) for name, value in wanted.items())
        return [np.full(9, -missed), np.full(5, -missed)]

    assert fit_weights(measure) == replace(NEUTRAL, **wanted)


@pytest.mark.parametrize(("better", "moves"), [(1, False), (3, False), (30, True)])
def test_plain_values_stay_where_a_gain_may_be_chance(better: int, moves: bool) -> None:
    def measure(weights: Weights) -> list[np.ndarray]:
        return [np.where(np.arange(200) < better, weights.words, 0.0)]

    assert (fit_weights(measure).words != NEUTRAL.words) == moves


def test_every_weight_is_tried() -> None:
    assert set(TRIED) == set(asdict(DEFAULT_WEIGHTS))
    for start in (NEUTRAL, DEFAULT_WEIGHTS):
        assert all(getattr(start, name) in values for name, values in TRIED.items())


def test_variants_rank_by_their_own_weights() -> None:
    one = evidence(30)
    # Words together count only where tables do not lead.
    words = replace(one, read=replace(one.read, figures=0 * one.read.figures))
    shipped = one.scores(DEFAULT_WEIGHTS)
    changed = [label for label, weights in OFF.items() if weights != DEFAULT_WEIGHTS]
    for label in changed:
        if label not in {
            "without the words of documents",
            "without names",
            "years of names all alike",
        }:  # one document
            of = one if OFF[label].near else words
            assert (of.scores(OFF[label]) != of.scores(DEFAULT_WEIGHTS)).any(), label
    best = one.hits(shipped)[0]
    assert best["page"] == int(shipped.argmax())


def test_passages_without_a_score_are_no_hits() -> None:
    one = evidence(3)
    hits = one.hits(np.array([0.5, -np.inf, 0.7], np.float32))
    assert [hit["page"] for hit in hits] == [2, 0]


@pytest.mark.parametrize("n", [1, 5])
def test_few_candidates_are_scored_too(n: int) -> None:
    assert evidence(n).scores(DEFAULT_WEIGHTS).shape == (n,)
