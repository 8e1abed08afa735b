"""Names where documents begin."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.search.openings import (
    FEW_OPENINGS,
    Openings,
    asked_runs,
    matched,
    names_in,
    read_openings,
)
from indexer.search.query_terms import QueryTerms
from indexer.store.store import Store
from tests.store_rows import rows

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = st.frozensets(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=5)


def openings(*pairs: frozenset[tuple[str, str]]) -> Openings:
    return Openings(np.arange(len(pairs), dtype=np.int32)[::-1], pairs)


@given(st.lists(PAIRS, min_size=1, max_size=6), PAIRS)
def test_a_document_with_more_of_a_name_has_no_less_evidence(
    others: list[frozenset[tuple[str, str]]], pairs: frozenset[tuple[str, str]]
) -> None:
    found = openings(*others, pairs, pairs & others[0])
    scores = dict(zip(found.docs.tolist(), found.evidence(1.0).lookup(found.docs), strict=True))
    assert scores[1] >= scores[0]
    assert all(0.0 <= score <= 2.0 for score in scores.values())


def test_a_pair_of_one_opening_is_worth_more_than_a_common_one() -> None:
    own, common = frozenset({("direct", "response")}), frozenset({("services", "agreement")})
    found = openings(own, *[common] * 9)
    scores = found.evidence(1.0).lookup(found.docs)
    assert scores[0] > scores[1] > 0.0
    assert found.naming_words(found.docs[:1]) == {"direct", "response"}
    assert found.naming_words(found.docs[1:]) == set()
    assert len(found.docs) - 1 > FEW_OPENINGS


def test_the_words_that_query_and_opening_both_capitalise() -> None:
    found = replace(openings(*[frozenset()] * 2), capitals=(frozenset({"buyer"}), frozenset("ab")))
    assert found.capitals_of(found.docs[:1]) == {"buyer"}
    assert found.capitals_of(found.docs) == {"buyer", "a", "b"}
    assert found.capitals_of(np.array([7], np.int32)) == found.capitals_of(found.docs[:0]) == set()


def test_without_a_likely_document_a_whole_name_names_one() -> None:
    whole, part = frozenset({("direct", "response"), ("response", "inc")}), frozenset({("a", "b")})
    none: frozenset[tuple[str, str]] = frozenset()
    found = openings(whole, part, *[none] * 30)
    assert found.naming_words(np.zeros(0, np.int32)) == {"direct", "response", "inc"}
    found = openings(part, *[none] * 30)
    assert found.naming_words(np.zeros(0, np.int32)) == set()


def test_an_opening_with_all_of_a_written_name_counts_by_its_lead() -> None:
    whole = frozenset({("direct", "response"), ("response", "inc")})
    none: frozenset[tuple[str, str]] = frozenset()
    best = [
        replace(openings(*having, *[none] * 80), written=written).evidence(1.0).scores.max()
        for having, written in (([whole], whole), ([whole], none), ([whole, whole], whole))
    ]
    assert best == [2.0, 1.0, 1.0]


def test_a_stop_word_is_part_of_a_name_where_both_write_it_so() -> None:
    text = "between Corio Inc. and Commerce One, Inc. (The Agreement)"
    for query, expected in (
        ("Commerce One, Inc.", {("commerce", "one"), ("one", "inc")}),
        ("commerce one and the agreement", set()),
    ):
        asked, written = asked_runs(query, {}), names_in(query).pairs
        assert matched(asked, frozenset(), text, written) == expected


def test_words_without_capitals_are_no_name() -> None:
    assert names_in("the lamp is lit by Idan Maimon at dusk").pairs == {("idan", "maimon")}
    other = "\u0e04\u0e48\u0e32\u0e2b\u0e49\u0e2d\u0e07 \u5317\u4eac \u5927\u5b66"
    assert names_in(other).pairs == set()


def test_no_documents_are_no_evidence() -> None:
    found = openings()
    assert not len(found.evidence(1.0).docs)
    assert found.naming_words(np.zeros(0, np.int32)) == set()


def test_openings_are_those_of_the_passages_there_are(tmp_path: Path) -> None:
    asked = QueryTerms("Lamp Oil", "Lamp Oil", "Lamp Oil", (), (), (), 0.0)
    docs, name = np.array([2, 3, 1], np.int32), frozenset({("lamp", "oil")})
    none = name & {("", "")}
    with closing(Store.open(tmp_path / "index", threads=1)) as store:
        store.add_passages([*rows(1, ["Lamp Oil", "Wicks"]), *rows(2, ["The lease"])])
        assert read_openings(store, asked, docs).pairs == (none, none, name)
        store.delete_docs([1])
        store.add_passages([*rows(1, ["Lamp glass"]), *rows(3, ["Lamp Oil"])])
        assert read_openings(store, asked, docs).pairs == (none, name, none)
