"""What counts as the same text in a list of passages."""

from __future__ import annotations

import string
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.search.passage_hits import MIN_JACCARD, NearDuplicates
from indexer.text.stop_words import NEGATIONS, NUMBER_WORDS

REPORT = (
    "The Company maintains disclosure controls and procedures that are designed to ensure that "
    "information required to be disclosed in its reports is recorded, processed, summarized and "
    "reported within the time periods specified, and that such information is accumulated and "
    "communicated to management as appropriate to allow timely decisions. As of December 31, "
    "{year}, an evaluation of the effectiveness of these controls was carried out under the "
    "supervision of management, who concluded that they were effective at the reasonable "
    "assurance level."
)
TABLE = "Revenue {} {} {} Cost {} {} {} Income {} {} {}"

letters = st.text(string.ascii_lowercase, min_size=1, max_size=6)
texts = st.lists(letters, max_size=40).map(" ".join)


def joined(texts: list[str], query: str = "") -> list[int | None]:
    groups = NearDuplicates(frozenset(query.split()))
    return [groups.join_group(doc, text) for doc, text in enumerate(texts)]


def test_a_paragraph_with_other_small_words_joins_the_first() -> None:
    report = REPORT.format(year=2018)
    same = [report.replace("such information", "this information"), report.replace("who", "which")]
    assert joined([report, *same], "disclosure controls") == [None, 0, 0]


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("2018", "2019"),  # a year
        ("December", "March"),  # a date
        ("The Company", "The Owner"),  # a name
        ("were effective", "were not effective"),
        ("of management", "of two managers"),
    ],
)
def test_what_states_something_else_is_listed_by_itself(said: str, instead: str) -> None:
    report = REPORT.format(year=2018)
    assert joined([report, report.replace(said, instead)]) == [None, None]
    assert joined([report.replace(said, instead), report]) == [None, None]


def test_a_paragraph_that_says_more_is_listed_by_itself() -> None:
    report = REPORT.format(year=2018)
    more = report.replace(
        "assurance level",
        "assurance level, as all plants test by hand each week and tell the owner",
    )
    assert joined([report, more]) == [None, None]


def test_a_word_of_the_query_keeps_them_apart() -> None:
    report = REPORT.format(year=2018)
    assert joined([report, report.replace("timely", "early")], "timely controls") == [None, None]


def test_tables_with_other_numbers_are_not_the_same() -> None:
    assert joined([TABLE.format(*range(9)), TABLE.format(*range(9, 18))]) == [None, None]


def test_within_a_document_nothing_is_grouped() -> None:
    groups = NearDuplicates(frozenset())
    report = REPORT.format(year=2018)
    assert [groups.join_group(doc, report) for doc in (1, 1, 2, 1)] == [None, None, 0, None]


def test_a_group_that_was_opened_before_another_document_came_is_joined() -> None:
    groups = NearDuplicates(frozenset())
    first, other = REPORT.format(year=2018), TABLE.format(*range(9))
    shown = [(1, other), (1, first), (1, first), (2, first), (3, other), (1, "new")]
    assert [groups.join_group(*one) for one in shown] == [None, None, None, 1, 0, None]


def test_case_and_punctuation_say_nothing() -> None:
    assert joined(["No refunds, ever!", "NO REFUNDS EVER", "no returns ever"]) == [None, 0, None]


@pytest.mark.parametrize("text", ["", "…", "word"])
def test_the_shortest_texts_are_grouped_too(text: str) -> None:
    assert joined([text, text]) == [None, 0]


@given(st.lists(texts, max_size=12), st.lists(letters, max_size=3).map(" ".join))
def test_equal_texts_are_grouped_and_numbers_point_to_what_is_shown(
    found: list[str], query: str
) -> None:
    numbers = joined(found, query)
    shown = [text for text, number in zip(found, numbers, strict=True) if number is None]
    for text, number in zip(found, numbers, strict=True):
        assert text in shown or number is not None
        if number is not None:
            assert number < len(shown)
            kept, here = set(shown[number].split()), set(text.split())
            assert kept & set(query.split()) == here & set(query.split())
    assert len(set(shown)) == len(shown)


@given(st.lists(letters, min_size=30, max_size=60, unique=True), st.integers(0, 29))
def test_one_word_of_many_makes_no_difference(found: list[str], at: int) -> None:
    assume(found[at] not in NEGATIONS | NUMBER_WORDS)
    changed = [*found[:at], "otherwise", *found[at + 1 :]]
    shingles = [set(zip(text, text[1:], text[2:], strict=False)) for text in (found, changed)]
    similar = len(shingles[0] & shingles[1]) >= MIN_JACCARD * len(shingles[0] | shingles[1])
    assert joined([" ".join(found), " ".join(changed)]) == [None, 0 if similar else None]


def test_a_long_list_is_grouped_likewise() -> None:
    many = [" ".join(f"{word}{n // 2}" for word in string.ascii_lowercase) for n in range(2_000)]
    numbers = joined(many)
    assert all(a is None and b is not None for a, b in list(pairwise(numbers))[::2])
