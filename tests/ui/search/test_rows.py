"""The rows that an answer has at first, and the headings between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.types import Why
from tests.ui.search.hits import hit, many
from ui.search.describe import heading, row_spoken
from ui.search.rows import (
    CLOSEST,
    EVERYTHING,
    SHOWN,
    ResultOrder,
    ResultsLayout,
    RowKind,
    grouped,
    rows_of,
)

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from ui.search.rows import ResultRow


def laid_out(hits: list[Hit], **layout: object) -> list[ResultRow]:
    order = ResultOrder.RELEVANCE if layout.get("ranked", True) else ResultOrder.NAME
    return rows_of(grouped(hits, order), ResultsLayout(**layout))  # type: ignore[arg-type]  # by name


def kinds(rows: list[ResultRow]) -> list[RowKind]:
    return [row.kind for row in rows]


def scored(path: str, *scores: float) -> list[Hit]:
    return [hit(path, start=100 * at, score=score) for at, score in enumerate(scores)]


def test_a_document_shows_three_passages_and_how_many_more_it_has() -> None:
    rows = laid_out(scored("/d/a.pdf", *[1.0] * 11) + scored("/d/b.pdf", 1.0))
    assert kinds(rows) == [
        RowKind.DOCUMENT, *[RowKind.HIT] * SHOWN, RowKind.MORE, RowKind.DOCUMENT, RowKind.HIT,
    ]  # fmt: skip
    assert heading(rows[4], "") == "8 more in this document"
    unfolded = laid_out(scored("/d/a.pdf", *[1.0] * 11), unfolded=frozenset({rows[0].key}))
    assert kinds(unfolded) == [RowKind.DOCUMENT, *[RowKind.HIT] * 11]


def test_few_documents_fill_the_list() -> None:
    one = scored("/d/a.pdf", *[1.0] * 11)
    assert kinds(laid_out(one, room=8)) == [RowKind.DOCUMENT, *[RowKind.HIT] * 8, RowKind.MORE]
    two = laid_out(one + scored("/d/b.pdf", *[1.0] * 11), room=8)
    assert kinds(two) == [RowKind.DOCUMENT, *[RowKind.HIT] * 4, RowKind.MORE] * 2
    assert len(laid_out(many(9, 6), room=8)) == 9 * (1 + SHOWN + 1)


def test_a_single_further_passage_is_shown_instead_of_a_line() -> None:
    assert RowKind.MORE not in kinds(laid_out(scored("/d/a.pdf", 1.0, 1.0, 1.0, 1.0)))


def test_weaker_matches_are_below_a_heading() -> None:
    rows = laid_out(
        scored("/d/a.pdf", 2.0, 0.9) + scored("/d/b.pdf", 1.9) + scored("/d/c.pdf", 1.1)
    )
    assert kinds(rows) == [
        RowKind.DOCUMENT, RowKind.HIT, RowKind.HIT, RowKind.DOCUMENT, RowKind.HIT,
        RowKind.WEAKER, RowKind.DOCUMENT, RowKind.HIT,
    ]  # fmt: skip
    assert [row.weak for row in rows if row.is_hit] == [False, True, False, True]
    assert row_spoken(rows[-1], "").endswith("A weaker match")
    assert heading(rows[5], "") == "Weaker matches"


def test_ordered_by_name_there_is_no_heading_of_weaker_matches() -> None:
    hits = scored("/d/c.pdf", 2.0) + scored("/d/a.pdf", 0.5)
    assert RowKind.WEAKER not in kinds(laid_out(hits, ranked=False))


def test_hits_with_the_phrase_are_separate() -> None:
    exact = [replace(each, why=Why.PHRASE) for each in many(2)]
    rows = laid_out(exact + scored("/d/other.pdf", 0.1))
    assert kinds(rows)[0] is RowKind.CONTAINS
    assert heading(rows[0], "“six months”") == "Contains “six months” (2)"
    at = kinds(rows).index(RowKind.RELATED)
    assert kinds(rows)[at:] == [RowKind.RELATED, RowKind.DOCUMENT, RowKind.HIT]
    assert heading(rows[at], "") == "Related"


def test_without_a_good_match_only_the_closest_are_shown() -> None:
    hits = many(4, 3)
    rows = laid_out(hits, good=False)
    assert sum(row.is_hit for row in rows) == CLOSEST
    assert rows[-1].kind is RowKind.MORE
    assert rows[-1].count == len(hits) - CLOSEST
    everything = laid_out(hits, good=False, unfolded=frozenset({EVERYTHING}))
    assert sum(row.is_hit for row in everything) == len(hits)


def test_keys_of_different_kinds_differ() -> None:
    rows = laid_out([*many(3, 6), replace(hit("/d/x.txt"), why=Why.PHRASE)])
    assert len({row.key for row in rows}) == len(rows)
