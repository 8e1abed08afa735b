"""The signs of a query, gathered from its words and its hits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexer.asked import Asked
from indexer.signs import signs
from indexer.store import DocFilter
from indexer.types import Also, Hit, Why

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
EVERYWHERE = tuple(np.array(count, np.float32) for count in COUNTS)


def hit(file: str, text: str, title: str = "", headings: tuple[str, ...] = ()) -> Hit:
    return Hit(
        path=f"/docs/{file}", root="/docs", file=file, title=title, page=1, page_last=1, start=0,
        end=len(text), score=1.0, text=text, heading_path=headings, why=Why.BOTH,
    )  # fmt: skip


LEASES = hit("leases.txt", "All leases end in May.")


def test_a_passage_holds_the_forms_of_words_and_those_of_its_headings() -> None:
    alone = signs(ASKED, EVERYWHERE, None, [LEASES], 1.5)
    below = signs(ASKED, EVERYWHERE, None, [replace(LEASES, heading_path=("Globex",))], 1.5)
    assert 0.0 < alone.page < below.page < 1.0
    assert alone.meaning == 1.5


def test_what_stands_nowhere_is_unheard_of() -> None:
    everywhere = signs(ASKED, EVERYWHERE, None, [LEASES], 0.0)
    assert 0.0 < everywhere.unheard < 0.6
    # In the first two documents nobody speaks of Globex.
    there = signs(ASKED, EVERYWHERE, DocFilter.of([0, 1]), [LEASES], 0.0)
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
    told = signs(ASKED, EVERYWHERE, None, [LEASES, found], 0.0)
    assert told.names == told.year == 0.0
    assert signs(ASKED, EVERYWHERE, None, [LEASES], 0.0).names > 0.5


def test_a_document_folded_under_a_hit_counts_too() -> None:
    also = Also("/docs/globex-2019.txt", "globex-2019.txt", "", 1, 1, 0, 5)
    folded = replace(LEASES, also=(also,))
    assert signs(ASKED, EVERYWHERE, None, [folded], 0.0).year == 0.0


def test_documents_far_down_the_list_are_not_meant() -> None:
    far = [hit(f"{n}.txt", "Nothing.") for n in range(5)]
    assert signs(ASKED, EVERYWHERE, None, [*far, hit("globex.txt", "")], 0.0).names > 0.5
