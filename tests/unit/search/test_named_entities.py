"""Names as people write them, and documents that are about what they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.named_entities import DocumentProfile, named_in, years_in
from indexer.text.terms import words


def document(called: str, said: str = "") -> DocumentProfile:
    return DocumentProfile.from_name(called).with_text(frozenset(words(said)), years_in(said))


REPORT = document("BESTBUY_2023Q2_10Q BEST BUY CO., INC. 10-Q July 29, 2023", "Stores closed.")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What did Acme Robotics Inc. owe?", [("acme", "robotics", "inc")]),
        ("Consider the lease; Indorama Loop and Datec end it", [("indorama", "loop", "datec")]),
        ("between HERTZ GROUP REALTY TRUST and others", [("hertz", "group", "realty", "trust")]),
        ("does Bank of America (USA) pay?", [("bank", "america")]),
        ("What is JnJ's margin in USD?", [("jnj",)]),
        ("sales of 3M in Q2", [("3m",), ("q2",)]),
        ("debt of MGM in H1 2023", []),
        ("Which trees keep their leaves?", []),
        ("Has 365 days", []),
        ("WHAT DOES ACME OWE?", []),
        ("vacation policy", []),
        ("", []),
    ],
)
def test_names_are_runs_of_capitals(query: str, names: list[tuple[str, ...]]) -> None:
    assert list(named_in(query).names) == names


@pytest.mark.parametrize(
    ("query", "year"),
    [
        ("revenue in FY2019 and 2018", "2019"),
        ("did it grow between FY20 and FY21?", "2021"),
        ("room 20190", ""),
        ("1,850 ships", ""),
    ],
)
def test_the_last_year_is_the_one_that_is_meant(query: str, year: str) -> None:
    assert named_in(query).year == year


@given(st.text(max_size=80))
def test_what_is_named_is_folded_and_named_once(query: str) -> None:
    named = named_in(query)
    assert len(set(named.names)) == len(named.names)
    assert all(name and len(set(name)) == len(name) for name in named.names)
    assert all(word == word.casefold() for name in named.names for word in name)
    assert named.year == "" or named.year.isdigit()


@given(st.text(alphabet="aB2 .,;:()\"'", max_size=200))
def test_marks_never_break_it(query: str) -> None:
    named_in(query)


@pytest.mark.parametrize("name", [("best", "buy"), ("bestbuy",), ("best",), ("10q",)])
def test_a_document_has_the_names_it_is_called_by(name: tuple[str, ...]) -> None:
    assert all(REPORT.has(word, name) for word in name)


def test_a_document_is_called_by_its_first_letters() -> None:
    found = document("JOHNSON_JOHNSON_2022_10K")
    assert found.has("jnj", ("jnj",))
    assert not found.has("jn", ("jn",))  # not by a part of them


def test_what_it_says_counts_and_what_it_does_not_say_does_not() -> None:
    assert REPORT.has("stores", ("stores",))
    assert not REPORT.has("walmart", ("walmart",))
    assert not REPORT.has("be", ("be",))  # two letters begin too many words
    assert not document("").has("acme", ("acme",))


def test_years_of_names_are_not_years_of_text() -> None:
    found = document("report 2021", "debt due 2030")
    assert found.years == {"2021"}
    assert found.text_years == {"2030"}
    assert years_in("FY2015, 12015, 2099-01") == {"2015", "2099"}
