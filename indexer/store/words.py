"""Keyword search: BM25 over the two text columns, exact phrases, scores of given passages.

Owns the full-text queries. It must not know how words are stemmed, expanded or weighted, nor how
retrievers are fused. Lance scores with BM25 (k1 1.2, b 0.75, exact lengths) over all passages.

A boolean query of Lance costs ten times a match query, because it cannot skip postings. A match
query counts a word as often as it occurs in the query, so weights are expressed as repetitions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import filters
from indexer.store.values import NOTHING, DocSet, Float32s, Int64s, ScoredKeys, TextColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.store.table import Table
    from indexer.store.values import Term

_MOST_REPEATS = 4
_CLOSE = 0.1

# Rows that no index covers are scanned, at 6 µs each. Beyond this number, as while a large library
# is indexed, the newest rows are not searched until the next maintenance.
_FLAT_ROWS = 8_000

# Scripts written without spaces: a dictionary decides where words end, and may split a phrase
# differently from the sentence around it. Up to so many rows, phrases that the index misses are
# searched in the text itself, at 2 µs per row.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
_CONTAINS_ROWS = 200_000


def repeats(weights: Sequence[float]) -> tuple[list[int], float]:
    """The smallest integers in the proportion of the weights, with an error of a tenth.

    Returns:
        The repetitions of each word, and the factor for scores.
    """
    if not weights:
        return [], 1.0
    top = max(weights)
    for most in range(1, _MOST_REPEATS + 1):
        counts = [max(1, round(weight / top * most)) for weight in weights]
        pairs = zip(counts, weights, strict=True)
        if all(abs(count * top / most - weight) <= _CLOSE * weight for count, weight in pairs):
            break
    return counts, top / most


def match(
    table: Table,
    column: TextColumn,
    terms: Sequence[Term],
    count: int,
    docs: DocSet | None = None,
    without: Sequence[str] = (),
) -> ScoredKeys:
    """Passages that contain any of the terms, best first, scored by BM25.

    Args:
        table: The passages.
        column: The column to search; in ``stems`` the terms are stems, in ``view`` words.
        terms: The terms; expansions of a prefix or of a typo are terms too.
        count: The most passages to return.
        docs: The documents to search.
        without: Words that must not occur in the view of a passage.
    """
    text, unit = _query_text(terms)
    if not text:
        return NOTHING
    found = _collect(table, _match_query(text, column, without), count, docs)
    return ScoredKeys(found.keys, found.scores * np.float32(unit))


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


def bm25_of(table: Table, column: TextColumn, keys: Int64s, terms: Sequence[Term]) -> Float32s:
    """BM25 of given passages, float32 (n,), by the same statistics as ``match``; 0 if none."""
    scores = np.zeros(len(keys), np.float32)
    text, unit = _query_text(terms)
    if not text or not len(keys):
        return scores
    rows, _ = table.rows.rows_of(keys)
    if not len(rows):
        return scores
    where = f"_rowid IN ({','.join(map(str, rows.tolist()))})"
    found = _search(table, _match_query(text, column, ()), len(keys), where)
    order = np.argsort(keys, kind="stable")
    places = order[np.searchsorted(keys[order], found.keys)]
    scores[places] = found.scores * np.float32(unit)
    return scores


def _query_text(terms: Sequence[Term]) -> tuple[str, float]:
    wanted = [term for term in terms if term.text.strip() and term.weight > 0]
    counts, unit = repeats([term.weight for term in wanted])
    words = [term.text for term, times in zip(wanted, counts, strict=True) for _ in range(times)]
    return " ".join(words), unit


def _match_query(text: str, column: TextColumn, without: Sequence[str]) -> Any:
    from lancedb.query import BooleanQuery, MatchQuery, Occur

    wanted = MatchQuery(text, column)
    if not without:
        return wanted
    unwanted = [(Occur.MUST_NOT, MatchQuery(word, "view")) for word in without]
    return BooleanQuery([(Occur.MUST, wanted), *unwanted])


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
