"""Which sentences of a library stand for questions, and what they make its baseline."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.calibration import (
    FEWEST,
    MOST_WORDS,
    baseline,
    own_sentence,
    telling,
    thinned,
)
from indexer.text.terms import words

LONG = "The lamp is inspected by the keeper in every month of the year."
OTHER = "Each inspection is entered in the register of the station."
TABLE = "12 14 18 | 33.1 47.9 | 0.12 0.14 (3)"


def test_a_middle_sentence_stands_for_a_passage() -> None:
    assert own_sentence(f"{LONG} {OTHER} {LONG}", "en") == OTHER
    assert own_sentence(f"Yes. {LONG} See p. 4.", "en") == LONG


@pytest.mark.parametrize("view", ["", "Yes.", TABLE, "word " * (MOST_WORDS + 1) + "."])
def test_tables_and_what_is_too_short_or_too_long_stand_for_nothing(view: str) -> None:
    assert own_sentence(view, "en") == ""


def test_a_language_without_spaces_has_words_too() -> None:
    assert own_sentence("灯塔的灯每个月都由看守人检查一次。", "zh")


@given(st.lists(st.text()), st.integers(0, 50))
def test_few_sentences_are_taken_from_the_whole_library(sentences: list[str], count: int) -> None:
    numbered = [f"{number} {text}" for number, text in enumerate(sentences)]
    found = thinned(numbered, count)
    assert len(found) == min(count, len(sentences))
    places = [numbered.index(one) for one in found]
    steps = {after - before for before, after in pairwise([*places, len(numbered)])}
    assert not found or (places[0] == 0 and max(steps) - min(steps) <= 1)


@given(st.text(max_size=300))
def test_a_sentence_is_a_part_of_its_passage(view: str) -> None:
    found = own_sentence(view, "")
    assert found in view
    assert len(words(found)) <= MOST_WORDS


@given(st.lists(st.floats(-9, 9), min_size=10), st.floats(0, 9))
def test_the_baseline_lies_among_the_scores_and_moves_with_them(
    scores: list[float], more: float
) -> None:
    assert min(scores) <= baseline(scores) <= max(scores)
    assert baseline([one + more for one in scores]) == pytest.approx(baseline(scores) + more)


def test_where_two_thirds_count_as_answered_without_their_document_a_lead_must_be_large() -> None:
    answered, others = [float(lead) for lead in range(1, 71)], [-1.0] * 30
    assert telling(answered + others) == pytest.approx(36.0, abs=1.0)
    assert telling(answered[:60] + others + [-1.0] * 10) == 0.0


def test_few_sentences_do_not_tell_that_nothing_can_be_told() -> None:
    assert telling([5.0] * (FEWEST - 1)) == 0.0
    assert telling([5.0] * FEWEST) == 5.0
