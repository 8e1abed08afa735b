"""Words of names and the words that may name a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.text.name_words import (
    YEARS,
    initialisms,
    last_year,
    name_tokens,
    query_name_tokens,
    year_tokens,
)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("ActivisionBlizzard_2019_10K", "Activision Blizzard"),
        ("BESTBUY_2023_10K", "Best Buy's margins"),
        ("JPMORGAN_2022Q2_10Q", "Q2 of FY2022"),
        ("3M_2018_10K", "3M in FY2018"),
        ("lease-agreement (final)", "the lease agreement"),
    ],
)
def test_people_find_names_as_they_speak_of_them(name: str, query: str) -> None:
    assert set(name_tokens(name)) & set(query_name_tokens(query))


def test_a_name_is_cut_at_case_and_digits() -> None:
    assert {"annual", "report", "2023"} <= set(name_tokens("AnnualReport2023"))


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("JOHNSON_JOHNSON_2022_10K", "jnj"),
        ("Johnson & Johnson", "jnj"),
        ("AdvancedMicroDevices", "amd"),
        ("World Health Organization, report", "who"),
    ],
)
def test_names_are_shortened_to_the_first_letters_of_neighbours(name: str, short: str) -> None:
    assert short in initialisms(name)


def test_first_letters_are_of_neighbouring_words_only() -> None:
    assert "amd" not in initialisms("Advanced 2 Micro Devices")
    assert initialisms("") == initialisms("ACME") == frozenset()


@given(st.text(max_size=60))
def test_words_are_folded_and_none_comes_twice(text: str) -> None:
    for found in (name_tokens(text), query_name_tokens(text)):
        assert len(found) == len(set(found))
        assert all(word == word.casefold() for word in found)


def test_a_pasted_paragraph_stays_cheap() -> None:
    assert len(query_name_tokens("word " * 10_000 + "end")) < 1_000


@pytest.mark.parametrize(
    ("query", "year"),
    [
        ("FY2018 - FY2020 average", 2020),
        ("between FY20 and FY21", 2021),
        ("Q2 of 2024", 2024),
        ("as of FY 2021, expected for 2024", 2021),
        ("costs of the 2024 notes as of December 31, 2013 and 2014", 2014),
        ("as of the end of the fiscal year 2021", 2021),
        ("as of today, and after many other things that were said, 2024", 2024),
        ("sold 18000 units to 7 shops", None),
        ("", None),
    ],
)
def test_the_last_year_of_a_query_is_found_as_people_write_it(query: str, year: int | None) -> None:
    assert last_year(query) == year


@given(st.sampled_from(YEARS))
def test_each_year_is_known_by_its_own_words(year: int) -> None:
    found = year_tokens(range(year, year + 1))
    assert {last_year(word) for word in found} == {year}
    assert not set(found) & set(year_tokens(range(year + 1, YEARS.stop)))
