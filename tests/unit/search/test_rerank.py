"""What is read of the leading passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.query_terms import StemWeights
from indexer.search.rerank import (
    NEAR,
    digit_share,
    has_figure,
    heading_share,
    share_together,
)
from indexer.text.terms import stems

ENGLISH = ("en",)


def wanted(question: str) -> frozenset[str]:
    return frozenset(stems(question, "en").split())


def test_all_of_a_heading_asked_for_is_more_than_a_part() -> None:
    asked = wanted("what does the cash flow statement say of dividends?")
    whole = heading_share(["Statement of Cash Flows"], asked, ENGLISH)
    part = heading_share(["Statement of Changes in Equity"], asked, ENGLISH)
    assert whole == 1.0 > part > 0.0


def test_the_heading_above_counts_and_those_further_up_do_not() -> None:
    asked = wanted("governing law")
    assert heading_share(["Governing Law", "General"], asked, ENGLISH) == 1.0
    assert heading_share(["Governing Law", "General", "Notices"], asked, ENGLISH) == 0.0


def test_words_that_say_nothing_are_not_counted() -> None:
    assert heading_share(["The End of the Term"], wanted("end term"), ENGLISH) == 1.0
    assert heading_share(["Of the"], wanted("of the"), ENGLISH) == 0.0
    assert heading_share([], wanted("end"), ENGLISH) == 0.0


@given(st.lists(st.text(max_size=30), max_size=4), st.frozensets(st.text(max_size=5), max_size=5))
def test_it_is_a_share(path: list[str], asked: frozenset[str]) -> None:
    assert 0.0 <= heading_share(path, asked, ENGLISH) <= 1.0


@pytest.mark.parametrize(
    "question",
    ["revenue in FY2018?", "the margin in %", "who paid in £?", "٢٠١٨ الإيرادات", "Umsatz 2018"],
)
def test_a_figure_or_the_sign_of_one_has_figure(question: str) -> None:
    assert has_figure(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "who may end the lease?",
        "R and D",
        "Was kostet es?",
        "150 mg or placebo?",
        "Rule 22.4.1(e)",
    ],
)
def test_other_digits_are_no_figure(question: str) -> None:
    assert not has_figure(question)


@given(st.text())
def test_the_share_is_of_all_characters(text: str) -> None:
    found = digit_share(text)
    assert 0.0 <= found <= 1.0
    assert round(found * len(text)) == sum(char in "0123456789" for char in text)


WEIGHTS = StemWeights(
    {"oil": (0, 2.0), "wick": (1, 1.0), "wicker": (1, 1.0), "lamp": (2, 1.0)}, 3, 4.0
)


@given(st.lists(st.sampled_from(["oil", "wick", "wicker", "lamp", "of", "sea"]), max_size=120))
def test_the_words_that_stand_together_are_those_of_the_best_stretch(stems: list[str]) -> None:
    stretches = (stems[at : at + NEAR + 1] for at in range(max(len(stems), 1)))
    found = [
        sum(dict(WEIGHTS.by_stem[stem] for stem in stretch if stem in WEIGHTS.by_stem).values())
        for stretch in stretches
    ]
    assert share_together(map(WEIGHTS.by_stem.get, stems), WEIGHTS) == pytest.approx(
        max(found) / WEIGHTS.total
    )


def test_a_question_without_words_has_none_together() -> None:
    assert share_together([None], StemWeights({}, 0, 0.0)) == 0.0
