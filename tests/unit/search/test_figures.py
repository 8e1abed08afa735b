"""Text that is made of figures, and questions that ask for some."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search import figures


@pytest.mark.parametrize(
    "question",
    ["revenue in FY2018?", "the margin in %", "who paid in £?", "٢٠١٨ الإيرادات", "Umsatz 2018"],
)
def test_a_figure_or_the_sign_of_one_asks_for_figures(question: str) -> None:
    assert figures.asked_for(question)


@pytest.mark.parametrize("question", ["", "who may end the lease?", "R and D", "Was kostet es?"])
def test_other_questions_ask_for_words(question: str) -> None:
    assert not figures.asked_for(question)


@given(st.text())
def test_the_share_is_of_all_characters(text: str) -> None:
    found = figures.share(text)
    assert 0.0 <= found <= 1.0
    assert round(found * len(text)) == sum(char in "0123456789" for char in text)
