"""Keyword search: BM25 over the stems, exact phrases, scores of given passages.

Owns the queries by words. It must not know how words are stemmed, expanded or weighted, nor how
retrievers are fused. Stems are scored by ``word_index``; LanceDB finds phrases, and the words that
must not occur, in its full-text index of the view.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.arrays import find_sorted
from indexer.store import filters, word_index, word_parts
from indexer.store.postings import stem_of
from indexer.store.values import NOTHING, DocSet, Float32s, Int64s, ScoredKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.store.table import Table
    from indexer.store.values import Term

# Rows that the index of the view does not cover are scanned, at 6 µs each. Beyond this number, as
# while a large library is indexed, the newest rows are not searched until the next maintenance.
_FLAT_ROWS = 8_000

# Scripts written without spaces: a dictionary decides where words end, and may split a phrase
# differently from the sentence around it. Up to so many rows, phrases that the index misses are
# searched in the text itself, at 2 µs per row.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
_CONTAINS_ROWS = 200_000


def match(
    table: Table,
    terms: Sequence[Term],
    count: int,
    docs: DocSet | None = None,
    without: Sequence[str] = (),
) -> ScoredKeys:
    """Passages that contain any of the stems, best first, scored by BM25.

    Args:
        table: The passages.
        terms: The stems; expansions of a prefix or of a typo are terms too.
        count: The most passages to return.
        docs: The documents to search.
        without: Words that must not occur in the view of a passage.
    """
    keys, scores = _scores(table, terms)
    if docs is not None:
        inside = docs.within(keys)
        keys, scores = keys[inside], scores[inside]
    found = np.flatnonzero(scores > 0)  # of numbers it takes five times as long
    if without:
        found = found[~np.isin(keys[found], _with_any(table, without))]
    if 0 < count < len(found):
        least = np.partition(scores[found], len(found) - count)[len(found) - count]
        found = found[scores[found] >= least]
    found = found[np.argsort(-scores[found], kind="stable")][: max(0, count)]
    return ScoredKeys(keys[found], scores[found])


def phrase(table: Table, text: str, count: int, docs: DocSet | None = None) -> ScoredKeys:
    """Passages whose view contains these words consecutively, best first."""
    from lancedb.query import PhraseQuery

    if not text.strip():
        return NOTHING
    found = _collect(table, PhraseQuery(text, "view"), count, docs)
    total = len(table.rows.keys())
    if len(found) >= count or total > _CONTAINS_ROWS or not _UNSPACED.search(text):
        return found
    missed = filters.collect(
        lambda limit, where: _contains(table, text, limit, where),
        count,
        filters.plan(docs, *table.rows.documents()),
        total,
    )
    new = ~np.isin(missed.keys, found.keys)
    keys = np.concatenate([found.keys, missed.keys[new]])
    scores = np.concatenate([found.scores, missed.scores[new]])
    return ScoredKeys(keys, scores).first(count)


def bm25_of(table: Table, keys: Int64s, terms: Sequence[Term]) -> Float32s:
    """BM25 of given passages, float32 (n,), as in ``match``; 0 if none."""
    known, scored = _scores(table, terms)
    scores = np.zeros(len(keys), np.float32)
    at, found = find_sorted(known, keys)
    scores[found] = scored[at]
    return scores


def _scores(table: Table, terms: Sequence[Term]) -> tuple[Int64s, Float32s]:
    """All keys, ascending, and their BM25."""
    weights: dict[int, float] = {}
    for term in terms:
        for text in term.text.split() if term.weight > 0 else ():
            stem = stem_of(text)
            weights[stem] = weights.get(stem, 0.0) + term.weight
    try:
        index = word_index.current(table) if weights else None
        return (
            (NOTHING.keys, NOTHING.scores) if index is None else (index.keys, index.scores(weights))
        )
    except OSError:
        if word_parts.LAYOUT.name not in table.files:
            raise
        table.forget_file(word_parts.LAYOUT)
        return _scores(table, terms)


def _with_any(table: Table, words: Sequence[str]) -> Int64s:
    """The passages whose view has any of some words."""
    from lancedb.query import MatchQuery

    query = MatchQuery(" ".join(words), "view")
    return _search(table, query, max(1, len(table.rows.keys())), None).keys


def _collect(table: Table, query: Any, count: int, docs: DocSet | None) -> ScoredKeys:
    if not len(table.rows.keys()):
        return NOTHING
    how = filters.plan(docs, *table.rows.documents())

    def fetch(limit: int, where: str | None) -> ScoredKeys:
        return _search(table, query, limit, where)

    return filters.collect(fetch, count, how, len(table.rows.keys()))


def _contains(table: Table, text: str, limit: int, where: str | None) -> ScoredKeys:
    """Passages whose view contains a text verbatim, with score 0, in order of their keys."""
    literal = text.strip().replace("'", "''")
    condition = f"contains(view, '{literal}')" + (f" AND ({where})" if where else "")
    found = table.select(condition, ["key"], limit)
    keys = np.sort(found.column("key").to_numpy())
    return ScoredKeys(keys, np.zeros(len(keys), np.float32))


def _search(table: Table, query: Any, limit: int, where: str | None) -> ScoredKeys:
    def holding(empty: Any) -> Any:
        found = empty.nearest_to_text(query).limit(limit)
        if table.backlog > _FLAT_ROWS:
            found = found.fast_search()
        return found.where(where) if where else found

    found = table.search(holding, "_score")
    # Lance orders equal scores arbitrarily; results must be reproducible.
    order = np.lexsort((found.keys, -found.scores))
    return ScoredKeys(found.keys[order], found.scores[order])
