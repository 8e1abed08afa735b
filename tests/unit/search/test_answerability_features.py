"""The signs of a query, gathered from its words and its hits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import Also, Hit, Why
from indexer.search.answerability_features import signs
from indexer.search.query_terms import Asked
from indexer.store import DocFilter

# Of three documents: "lease" is in two of them, "globex" in the last, "kiosk" in none.
WORDS = ("lease", "globex", "kiosk")
COUNTS = ((4.0, 2.0, 0.0), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0))
ASKED = Asked(
    text="lease of the Globex kiosk in 2019",
    question="lease of the Globex kiosk in 2019",
    groups=(("lease", "leases"), ("globex",), ("kiosk",)),
    terms=(),
    question_terms=(),
    ceiling=1.0,
    counts=(6.0, 3.0, 0.0),
    words=WORDS,
    passages=100,
)
# As alike as documents can be, in deviations.
ALIKE = 9.0
EVERYWHERE = tuple(np.array(count, np.float32) for count in COUNTS)


def hit(file: str, text: str, title: str = "", headings: tuple[str, ...] = ()) -> Hit:
    return Hit(
        path=f"/docs/{file}", root="/docs", file=file, title=title, page=1, page_last=1, start=0,
        end=len(text), score=1.0, text=text, heading_path=headings, why=Why.BOTH,
    )  # fmt: skip


LEASES = hit("leases.txt", "All leases end in May.")


def test_a_passage_holds_the_forms_of_words_and_those_of_its_headings() -> None:
    alone = signs(ASKED, EVERYWHERE, None, [LEASES], 1.5, ALIKE)
    below = signs(ASKED, EVERYWHERE, None, [replace(LEASES, heading_path=("Globex",))], 1.5, ALIKE)
    assert 0.0 < alone.page < below.page < 1.0
    assert alone.meaning == 1.5


def test_what_stands_nowhere_is_unheard_of() -> None:
    everywhere = signs(ASKED, EVERYWHERE, None, [LEASES], 0.0, ALIKE)
    assert 0.0 < everywhere.unheard < 0.6
    # In the first two documents nobody speaks of Globex.
    there = signs(ASKED, EVERYWHERE, DocFilter.of([0, 1]), [LEASES], 0.0, ALIKE)
    assert there.unheard > everywhere.unheard


@pytest.mark.parametrize(
    "found",
    [
        hit("globex-2019.pdf", "It ends in May."),
        hit("globex/lease-2019.pdf", "It ends in May."),
        hit("a.pdf", "It ends in May.", title="Lease with Globex, 2019"),
        hit("a.pdf", "Globex leases it since 2019."),
    ],
)
def test_names_and_years_stand_in_names_titles_and_passages(found: Hit) -> None:
    told = signs(ASKED, EVERYWHERE, None, [found, LEASES], 0.0, ALIKE)
    assert told.names == told.year == 0.0
    assert signs(ASKED, EVERYWHERE, None, [LEASES], 0.0, ALIKE).names > 0.5


def test_who_is_named_in_another_document_does_not_answer_for_the_first() -> None:
    other = hit("globex-2019.pdf", "Globex leases it since 2019.")
    assert signs(ASKED, EVERYWHERE, None, [LEASES, other], 0.0, ALIKE).names > 0.5


def test_passages_further_down_speak_for_the_document_of_the_first() -> None:
    further = hit("leases.txt", "Globex leases it since 2019.")
    told = signs(ASKED, EVERYWHERE, None, [LEASES, further], 0.0, ALIKE)
    assert told.names == told.year == 0.0


@given(st.floats(-9, 9), st.floats(0, 9))
def test_a_missing_name_counts_the_more_the_more_alike_documents_are(
    alike: float, more: float
) -> None:
    before, after = (
        signs(ASKED, EVERYWHERE, None, [LEASES], 0.0, deviations).names
        for deviations in (alike, alike + more)
    )
    assert 0.0 < before <= after < 1.0


def test_a_document_folded_under_a_hit_counts_too() -> None:
    also = Also("/docs/globex-2019.txt", "globex-2019.txt", "", 1, 1, 0, 5)
    folded = replace(LEASES, also=(also,))
    assert signs(ASKED, EVERYWHERE, None, [folded], 0.0, ALIKE).year == 0.0


def test_passages_far_down_the_list_say_nothing() -> None:
    far = [hit("leases.txt", "Nothing.")] * 5
    told = signs(ASKED, EVERYWHERE, None, [*far, hit("leases.txt", "Globex.")], 0.0, ALIKE)
    assert told.names > 0.5
