"""What counts as a statement, and how its numbers and negations are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.answers import Statement
from indexer.search.compare_statements import ReadStatement, Wording, overlap, statements
from indexer.store.values import StoredPassage
from indexer.text.terms import words


def passage(*sentences: str, headings: tuple[str, ...] = ()) -> StoredPassage:
    text = "".join(sentences)
    starts = tuple(len("".join(sentences[:i])) for i in range(len(sentences)))
    return StoredPassage(
        doc=1, text_id="t", language="en", ordinal=0, page_first=3, page_last=4, char_start=100,
        char_end=100 + len(text), heading_path=headings, text=text, view=text, text_starts=starts,
        view_starts=starts,
    )  # fmt: skip


def stated(text: str, *headings: str) -> bool:
    return bool(statements([passage(text, headings=headings)], "en"))


def statement(text: str) -> ReadStatement:
    return ReadStatement(0, 0, Statement(1, 1, 0, len(text), (), text), tuple(words(text)))


@pytest.mark.parametrize(
    "text",
    [
        "The tenant pays the rent on the first day of each month.",
        "NEITHER PARTY WILL BE LIABLE TO THE OTHER PARTY FOR ANY DAMAGES OF WHATEVER KIND.",
        "and the landlord has no obligation to mend what the tenant broke;",
        "This agreement is made on the ___ day of ___ by and between ___ and the tenant.",
        "Term. This Agreement goes on to the end of December 31, 2019",
        "Consulting agreement between Alder Harbour Ltd and Birch Street Advisers LLP, 3 May 2024.",
    ],
)
def test_a_sentence_states_something(text: str) -> None:
    assert stated(text)


@pytest.mark.parametrize(
    "text",
    [
        "(a)",
        "12.4",
        "conjunction therewith by such Licensee.",
        "Section 4.2. Termination for Convenience.",
        "ARTICLE 3 REPRESENTATIONS AND WARRANTIES OF THE PARTIES",
        "Termination of the Agreement by the Landlord ..... 12",
        "11.7 Irreparable Injury to Us 27\n11.8 Compliance with the Covenants 27",
        "By: ________________ for and on behalf of the tenant",
        "Name: Jane Doe of the house of the Does",
        "By ___ Its ___ Exhibits to be added by the parties",
        "Cash and cash equivalents at the end of the year 876,560 1,117,400",
        "Proceeds from the issuance of the debt \u2014 989,280",
        "1,011 876 560 1,117 400 834 556 of the year",
        "Revenue of the year (in thousands):",
        "Munich Product Development Sales Marketing Administration Berlin Bangalore",
    ],
)
def test_what_only_names_or_counts_states_nothing(text: str) -> None:
    assert not stated(text)


def test_a_heading_that_stands_in_its_path_states_nothing() -> None:
    text = "what the tenant has to pay for"
    assert not stated(text, "Costs", "What the tenant has to pay for")


def test_where_a_statement_stands() -> None:
    one, two = statements(
        [passage("The roof is mended by the landlord. ", "12. ", "The rent is due in June.\n")],
        "en",
    )
    assert (one.row, two.row) == (0, 2)
    first, second = one.statement, two.statement
    assert (first.start, first.end) == (100, 135)
    assert (second.start, second.end, second.page, second.page_last) == (140, 164, 3, 4)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The term is three (3) years.", {"three", "3"}),
        ("4. The rent is $1,250.50.", {"1250.5"}),
        ("Subject to Section 4.2 and Note 18 it ends.", set()),
        ("(b) Nothing is due.", set()),
    ],
)
def test_numbers_are_amounts_not_places(text: str, numbers: set[str]) -> None:
    assert statement(text).numbers == numbers


def test_a_negation_is_seen() -> None:
    assert statement("The tenant shall not sublet.").negations == {"not"}
    assert statement("The tenant shall sublet.").negations == frozenset()


sentences = st.lists(st.sampled_from(["rent", "roof", "the", "of", "pays", "tenant"]), min_size=5)


@given(sentences, sentences)
def test_shared_words_are_a_likeness(first: list[str], second: list[str]) -> None:
    one, other = statement(" ".join(first)), statement(" ".join(second))
    assert overlap(one, one) == 1.0
    assert overlap(one, other) == overlap(other, one)
    assert 0.0 <= overlap(one, other) <= 1.0


@given(sentences, st.lists(sentences, max_size=3))
def test_what_stands_there_is_found_whole(one: list[str], others: list[list[str]]) -> None:
    said = [statement(" ".join(text)) for text in (*others, one)]
    assert Wording(said).share(statement(" ".join(one))) == 1.0
    assert Wording(()).share(statement(" ".join(one))) == 0.0
