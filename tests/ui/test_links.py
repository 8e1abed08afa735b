"""A link finds its passage by the passage's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.query.grammar import parse
from tests.ui.search.hits import hit
from ui.citations import CitedSource, quoted
from ui.search.query_text import is_link, link_of, query_of


def test_a_link_has_words_of_the_best_sentence() -> None:
    link = link_of(hit())
    assert link == "lectern://passage?text=It%20rises%20with%20the%20index."
    assert is_link(link)
    assert parse(query_of(link)).phrases == ("It rises with the index.",)


def test_a_citation_ends_with_its_link() -> None:
    one = hit()
    source = CitedSource.from_hit(one)
    assert quoted(one, source, link=True).text().splitlines()[-1] == link_of(one)
    assert link_of(one) not in quoted(one, source).text()


def test_a_passage_of_few_words_has_none() -> None:
    assert link_of(hit(text="Rent.", best=(0, 5))) == ""


@pytest.mark.parametrize(
    "link",
    [
        "lectern:", "lectern://", "lectern://passage", "lectern://passage?text=",
        "lectern://delete?text=everything", "lectern://[", "https://example.com/?text=a",
    ],
)  # fmt: skip
def test_an_invalid_link_has_no_query(link: str) -> None:
    assert query_of(link) == ""


@given(st.text())
def test_the_link_of_any_passage_is_one_phrase(text: str) -> None:
    link = link_of(hit(text=text, best=(0, len(text))))
    assert not link or len(parse(query_of(link)).phrases) <= 1
    assert all(char.isascii() and not char.isspace() for char in link)
