"""What each sign says, and the verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.judgement import (
    DEFAULT_JUDGE,
    NO_YEAR,
    OTHER_YEAR,
    Signs,
    missing_names,
    missing_year,
    share_of,
)
from indexer.named_things import Named, Standing, years_of
from indexer.terms import words

shares = st.floats(0, 1)
rarities = st.lists(st.floats(0, 12), min_size=1, max_size=12)


def standing(called: str, said: str = "") -> Standing:
    return Standing.of(called).saying(frozenset(words(said)), years_of(said))


ACME = standing("ACMEROBOTICS_2019_10K Acme Robotics Inc.", "Sales to Globex fell in 2018.")
LETTER = standing("letter", "In 2018 we met.")


def named(*names: tuple[str, ...], years: tuple[str, ...] = ()) -> Named:
    return Named(names, years)


@given(rarities, st.data())
def test_a_share_grows_with_what_is_there(weights: list[float], data: st.DataObject) -> None:
    there = data.draw(st.lists(st.booleans(), min_size=len(weights), max_size=len(weights)))
    more = [one or other for one, other in zip(there, reversed(there), strict=True)]
    assert 0.0 <= share_of(weights, there, 2) <= share_of(weights, more, 2) <= 1.0


@given(rarities)
def test_a_share_is_of_the_whole(weights: list[float]) -> None:
    everything = [True] * len(weights)
    assert share_of(weights, everything) in (pytest.approx(1.0), 0.0)
    assert share_of(weights, [False] * len(weights)) == 0.0


def test_squared_the_rarest_word_counts_most() -> None:
    assert share_of([6.0, 2.0], [True, False], 2) > share_of([6.0, 2.0], [True, False])
    assert share_of([], []) == 0.0


def test_a_name_that_a_document_has_is_not_missing() -> None:
    weighed = {"acme": 6.0, "robotics": 5.0, "globex": 7.0, "initech": 7.0}
    asked = named(("acme", "robotics"), ("globex",))
    assert missing_names(asked, weighed, 8.0, [LETTER, ACME]) == 0.0
    assert missing_names(asked, weighed, 8.0, [LETTER]) == pytest.approx(7 / 8)
    assert missing_names(asked, weighed, 8.0, []) == pytest.approx(7 / 8)
    half = missing_names(named(("acme",), ("initech",)), weighed, 8.0, [ACME])
    assert half == pytest.approx(7 / 8 * 7 / 13)


def test_all_that_is_named_must_be_in_one_document() -> None:
    other = standing("globex")
    apart = [standing("acme"), other]
    assert missing_names(named(("acme",), ("globex",)), {}, 8.0, apart) == pytest.approx(0.5)


def test_nobody_misses_a_common_name() -> None:
    assert missing_names(named(("ltd",)), {"ltd": 0.1}, 8.0, [LETTER]) < 0.02
    assert missing_names(named(), {}, 8.0, [LETTER]) == 0.0
    assert missing_names(named(("ltd",)), {"ltd": 0.0}, 0.0, [LETTER]) == 0.0


def test_the_last_year_of_a_query_is_the_one_a_document_is_of() -> None:
    assert missing_year(named(years=("2018", "2019")), [ACME]) == 0.0
    assert missing_year(named(years=("2019", "2020")), [ACME]) == 1.0
    assert missing_year(named(), [ACME]) == 0.0
    assert missing_year(named(years=("2019",)), []) == 1.0


def test_what_a_document_says_of_another_year_is_little() -> None:
    assert missing_year(named(years=("2018",)), [ACME]) == OTHER_YEAR
    assert missing_year(named(years=("2018",)), [LETTER]) == 0.0
    assert missing_year(named(years=("2017",)), [LETTER]) == NO_YEAR
    assert missing_year(named(years=("2018",)), [ACME, LETTER]) == 0.0


def test_what_no_sign_speaks_for_is_not_good() -> None:
    nothing = Signs(meaning=0, page=0.2, unheard=0, names=0, year=0)
    assert not DEFAULT_JUDGE.is_good(nothing)
    assert DEFAULT_JUDGE.is_good(replace(nothing, meaning=4))
    assert DEFAULT_JUDGE.is_good(replace(nothing, page=0.5))
    assert not DEFAULT_JUDGE.is_good(replace(nothing, meaning=4, names=1.0))
    assert not DEFAULT_JUDGE.is_good(replace(nothing, meaning=4, year=1.0))
    assert not DEFAULT_JUDGE.is_good(replace(nothing, page=0.5, unheard=0.4))


def test_no_likeness_outweighs_a_missing_name() -> None:
    most = Signs(meaning=99, page=0.2, unheard=0, names=1, year=0)
    assert not DEFAULT_JUDGE.is_good(most)


@given(st.floats(-50, 50), shares, shares, shares, shares, st.floats(0, 5), shares)
def test_more_signs_never_count_less(
    meaning: float,
    page: float,
    unheard: float,
    names: float,
    year: float,
    more: float,
    found: float,
) -> None:
    before = DEFAULT_JUDGE.score(Signs(meaning, page, unheard, names, year))
    after = DEFAULT_JUDGE.score(
        Signs(meaning + more, max(page, found), unheard * found, names * found, year * found)
    )
    assert after >= before - 1e-9
