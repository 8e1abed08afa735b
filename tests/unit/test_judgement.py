"""What chance gives, which names are missing, and the verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.judgement import (
    DEFAULT_JUDGE,
    EACH_ONCE,
    MOST_WORDS,
    Judge,
    Signs,
    chance,
    missing,
)

counts = st.lists(st.floats(0, 5_000), min_size=1, max_size=12)
passages = st.integers(1, 5_000)


@given(counts, passages)
def test_chance_is_a_share(found: list[float], many: int) -> None:
    assert 0.0 < chance(found, many) <= 1.0


@given(counts, passages)
def test_the_order_of_words_says_nothing(found: list[float], many: int) -> None:
    assert chance(found, many) == pytest.approx(chance(found[::-1], many))


def test_chance_bounds_what_strewn_words_reach() -> None:
    """The bound holds for the thing it bounds: words strewn at random, the best passage taken."""
    random = np.random.default_rng(7)
    many = 2_000
    often = np.array([900, 400, 150, 60, 25, 10, 4, 2])
    weights = np.log1p((many - often + 0.5) / (often + 0.5))
    best = []
    for _ in range(40):
        there = random.random((many, len(often))) < often / many
        best.append((there @ weights).max() / weights.sum())
    bound = chance(often.tolist(), many)
    assert np.mean(best) <= bound <= 1.5 * np.mean(best)


def test_one_word_alone_may_stand_anywhere_by_chance() -> None:
    assert chance([3.0], 1_000) == 1.0
    assert chance([], 1_000) == 1.0
    assert chance([3.0], 0) == 1.0


def test_a_long_question_has_less_by_chance_than_a_short_one() -> None:
    assert chance([5.0] * 20, 5_000) < chance([5.0] * 4, 5_000)


def test_only_names_that_are_not_there_are_missing() -> None:
    counts_ = [10.0, 10.0, 10.0, 10.0]
    named = [True, True, False, False]
    assert missing(counts_, 100, named, [True, False, False, True]) == pytest.approx(0.25)
    assert missing(counts_, 100, named, [True, True, False, False]) == 0.0
    assert missing([], 100, [], []) == 0.0


def test_a_rare_name_is_missed_more_than_a_common_one() -> None:
    rare = missing([1.0, 500.0], 1_000, [True, True], [False, True])
    common = missing([1.0, 500.0], 1_000, [True, True], [True, False])
    assert rare > common > 0.0


def test_a_passage_with_every_word_is_good_whatever_else() -> None:
    assert DEFAULT_JUDGE.is_good(Signs(-6, 0.5, 0, EACH_ONCE, length=5))


def test_what_no_leg_finds_is_not_good() -> None:
    nothing = Signs(meaning=0, words=0.4, missing=0, share=0.2, length=10)
    assert not DEFAULT_JUDGE.is_good(nothing)
    assert DEFAULT_JUDGE.is_good(replace(nothing, meaning=5))
    assert not DEFAULT_JUDGE.is_good(replace(nothing, meaning=4, missing=0.5))


def test_a_short_query_needs_less_likeness_than_a_long_one() -> None:
    signs = Signs(meaning=1.5, words=0.5, missing=0, share=0.2, length=5)
    assert DEFAULT_JUDGE.is_good(signs)
    assert not DEFAULT_JUDGE.is_good(replace(signs, length=MOST_WORDS))


@given(
    st.floats(-50, 50), st.floats(0, 9), st.floats(0, 1), st.floats(0, 5), st.floats(0, 5),
    st.floats(0, 1),
)  # fmt: skip
def test_more_signs_never_count_less(
    meaning: float, words: float, lacking: float, more: float, times: float, found: float
) -> None:
    judge = Judge(3.7, -7.7, -1.0, 3.5)
    before = judge.score(Signs(meaning, words, lacking, 0.1, 8))
    after = judge.score(Signs(meaning + more, words + times, lacking * found, 0.1, 8))
    assert after >= before - 1e-9
