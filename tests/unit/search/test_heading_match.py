"""How much of a heading a question asks for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.search.heading_match import heading_share
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
