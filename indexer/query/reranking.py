"""Re-ranks the hits of an answer; those on exact phrases and on names stay where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.api.requests import MOST_RERANKED, Rerank
from indexer.api.types import Hit, SearchResult, Why

if TYPE_CHECKING:
    from collections.abc import Sequence


def rerank_request(text: str, result: SearchResult) -> Rerank | None:
    """The request for an answer to a query; None if there is nothing to order, or no way to."""
    if not result.reranks:
        return None
    from indexer.query.grammar import parse  # 70 ms that only this needs

    query = parse(text)
    chosen = _movable(result.hits)
    if len(chosen) < 2 or not query.terms or query.filters.like:
        return None
    return Rerank(query.text, tuple(result.hits[index].text for index in chosen))


def reranked(result: SearchResult, order: tuple[int, ...]) -> SearchResult:
    """The answer with those hits in another order; unchanged if that is empty."""
    hits, places = list(result.hits), _movable(result.hits)
    for place, index in zip(places, order, strict=False):
        hits[place] = result.hits[places[index]]
    return replace(result, hits=tuple(hits))


def _movable(hits: Sequence[Hit]) -> list[int]:
    fixed = (Why.PHRASE, Why.NAME)
    return [at for at, hit in enumerate(hits) if hit.why not in fixed and hit.text][:MOST_RERANKED]
