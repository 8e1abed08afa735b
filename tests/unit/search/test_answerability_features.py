"""The features of a query, from its words and its hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.api.types import Also, Hit, Why
from indexer.search.answerability import (
    Similarity,
    answerability_features,
    is_foreign,
)
from indexer.search.query_terms import QueryTerms
from indexer.store.values import DocSet
from indexer.text.terms import words

if TYPE_CHECKING:
    from indexer.search.answerability import AnswerabilityFeatures

# Of three documents: "lease" is in two of them, "globex" in the last, "kiosk" in none.
WORDS = ("lease", "globex", "kiosk")
COUNTS = ((4.0, 2.0, 0.0), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0))
TERMS = QueryTerms(
    text="lease of the Globex kiosk in 2019",
    question="lease of the Globex kiosk in 2019",
    asked="lease of the Globex kiosk in 2019",
    expansions=(("lease", "leases"), ("globex",), ("kiosk",)),
    terms=(),
    question_terms=(),
    ceiling=1.0,
    counts=(6.0, 3.0, 0.0),
    words=WORDS,
    passages=100,
)
# As similar as documents can be, in deviations.
SIMILAR = 9.0
DOCUMENT_COUNTS = tuple(np.array(count, np.float32) for count in COUNTS)


def hit(file: str, text: str, title: str = "", headings: tuple[str, ...] = ()) -> Hit:
    return Hit(
        path=f"/docs/{file}", root="/docs", file=file, title=title, page=1, page_last=1, start=0,
        end=len(text), score=1.0, text=text, heading_path=headings, why=Why.BOTH,
    )  # fmt: skip


def features(
    hits: list[Hit],
    docs: DocSet | None = None,
    meaning: float = 0.0,
    similar: float = SIMILAR,
) -> AnswerabilityFeatures:
    similarity = Similarity(meaning, around=0.5, between_documents=similar, clarity=0.5)
    return answerability_features(TERMS, DOCUMENT_COUNTS, docs, hits, similarity)


LEASES = hit("leases.txt", "All leases end in May.")


def test_a_passage_holds_the_forms_of_words_and_those_of_its_headings() -> None:
    alone = features([LEASES], meaning=1.5)
    below = features([replace(LEASES, heading_path=("Globex",))], meaning=1.5)
    assert 0.0 < alone.page < below.page < 1.0
    assert (alone.meaning, alone.around) == (1.5, 0.5)


def test_what_stands_nowhere_is_out_of_vocabulary() -> None:
    everywhere = features([LEASES])
    assert 0.0 < everywhere.out_of_vocabulary < 0.6
    # In the first two documents nobody speaks of Globex.
    there = features([LEASES], docs=DocSet.from_docs([0, 1]))
    assert there.out_of_vocabulary > everywhere.out_of_vocabulary


@pytest.mark.parametrize(
    "leading",
    [
        hit("globex-2019.pdf", "It ends in May."),
        hit("globex/lease-2019.pdf", "It ends in May."),
        hit("a.pdf", "It ends in May.", title="Lease with Globex, 2019"),
        hit("a.pdf", "Globex leases it since 2019."),
    ],
)
def test_names_and_years_stand_in_names_titles_and_passages(leading: Hit) -> None:
    found = features([leading, LEASES])
    assert found.names == found.year == 0.0
    assert features([LEASES]).names > 0.5


def test_who_is_named_in_another_document_does_not_answer_for_the_first() -> None:
    other = hit("globex-2019.pdf", "Globex leases it since 2019.")
    assert features([LEASES, other]).names > 0.5


def test_passages_further_down_speak_for_the_document_of_the_first() -> None:
    further = hit("leases.txt", "Globex leases it since 2019.")
    found = features([LEASES, further])
    assert found.names == found.year == 0.0


@given(st.floats(-9, 9), st.floats(0, 9))
def test_names_and_clarity_count_the_more_the_more_similar_documents_are(
    similar: float, more: float
) -> None:
    before, after = (
        features([LEASES], similar=deviations) for deviations in (similar, similar + more)
    )
    assert 0.0 < before.names <= after.names < 1.0
    assert 0.0 < before.clarity <= after.clarity <= 0.5


def test_a_near_duplicate_of_a_hit_counts_too() -> None:
    also = Also("/docs/globex-2019.txt", "globex-2019.txt", "", 1, 1, 0, 5)
    grouped = replace(LEASES, also=(also,))
    assert features([grouped]).year == 0.0


def test_passages_far_down_the_list_say_nothing() -> None:
    far = [hit("leases.txt", "Nothing.")] * 5
    found = features([*far, hit("leases.txt", "Globex.")])
    assert found.names > 0.5


@pytest.mark.parametrize(
    ("text", "coverage", "language", "foreign"),
    [
        ("wann endet der Vertrag mit dem Kiosk?", 0.2, "en", True),
        ("wann endet der Vertrag mit dem Kiosk?", 0.2, "de", False),
        ("Vertragsende Kiosk", 0.2, "en", True),  # in no clear language
        ("Vertragsende Kiosk", 0.4, "en", False),
        ("wann endet der Vertrag mit dem Kiosk?", 0.9, "en", False),  # the library has its words
        ("wann endet der Vertrag mit dem Kiosk?", 0.2, "", False),
    ],
)
def test_a_query_is_foreign_to_documents_that_lack_its_words(
    text: str, coverage: float, language: str, foreign: bool
) -> None:
    asked = replace(TERMS, text=text, words=tuple(words(text)), coverage=coverage)
    assert is_foreign(asked, language) is foreign
    assert not is_foreign(replace(asked, across=False), language)
