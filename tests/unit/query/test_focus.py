"""Which part of a query asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.query.focus import question, split_clauses, without_context


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("retention of title", "retention of title"),
        ("when does it end?", "when does it end?"),
        (
            'Consider the lease with Acme, Inc. ("Tenant"); When does the lease end?',
            "When does the lease end?",
        ),
        (
            "What is the net income of 2019? Answer in millions.",
            "What is the net income of 2019?",
        ),
        (
            "Assume that you are an analyst. Answer this: what was the margin in 2020?",
            "what was the margin in 2020?",
        ),
        # No mark and no name tells what is asked: all of it is searched.
        ("Force majeure. Termination for convenience.",) * 2,
        # Too short to stand alone.
        ("The tenant left. Why?",) * 2,
    ],
)
def test_the_question_is_told_from_the_rest(query: str, expected: str) -> None:
    assert question(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "In the supply agreement between Acme and Lamp; A; the cap on liability",
            "A; the cap on liability",
        ),
        ("Lamp Supply: does the cap hold?", "does the cap hold?"),
        ("the cap on liability: Acme, Lamp", "the cap on liability:"),
        ("Acme agreement; party of the first part (P); does the cap hold", "does the cap hold"),
        # A document is named in the question itself.
        ("What does Acme owe? Answer in millions.", "What does Acme owe?"),
        (
            "Consider the Acme Supply Agreement; name its cap on liability",
            "name its cap on liability",
        ),
    ],
)
def test_what_names_a_document_is_no_question(query: str, expected: str) -> None:
    names = frozenset(["supply", "agreement", "acme", "lamp"])
    assert question(query, names) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            'In the Supply Agreement between Acme ("Buyer") and Lamp ("Seller"), may it end?',
            "may it end?",
        ),
        ("根据 Acme Lamp supply agreement，租金是 多少 呢", "租金是 多少 呢"),
        ("may it end, in the Acme supply agreement", "may it end,"),
        (
            "May it end, as in the Acme supply agreement, or be renewed?",
            "May it end, or be renewed?",
        ),
        # A name alone is part of what is asked, as are parts of other words too.
        *[
            (one, one)
            for one in (
                "Of Acme, what is the rent?",
                "What does Acme supply, and what does the wick of the lamp cost?",
                "Under the indemnities that Acme gave Lamp for its wicks, who pays?",
                "What is the effect of the supply agreement of Lamp (Acme, Inc.) on the rent?",
                "Acme supply agreement with Lamp",
                "In the Acme supply agreement, why?",
            )
        ],
    ],
)
def test_the_parts_that_name_a_document_are_no_question(query: str, expected: str) -> None:
    names = frozenset(["supply", "agreement", "acme", "lamp", "buyer"])
    assert without_context(query, names) == expected
    assert without_context(query, frozenset()) == query


@given(st.text(alphabet='aB, ;"', max_size=60), st.frozensets(st.sampled_from("ab")))
def test_some_question_is_left(query: str, names: frozenset[str]) -> None:
    left = without_context(query, names)
    assert left == query or len(left.split()) >= 3


@given(st.text(max_size=200))
def test_clauses_make_up_the_query(query: str) -> None:
    joined = "".join("".join(split_clauses(query)).split())
    assert joined == "".join(query.split())


@given(st.text(max_size=200))
def test_the_question_is_never_empty_where_the_query_is_not(query: str) -> None:
    assert bool(question(query).strip()) == bool(query.strip())
