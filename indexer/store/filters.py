"""Chooses the cheapest way to restrict a search to a set of documents.

Owns the choice between a condition, which Lance evaluates before the search at about 3 µs per
listed document, and filtering the results of an unrestricted search, which is cheap while most
documents pass. Pure; it must not know tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.store.values import NOTHING, DocSet, Int32s, Int64s, Mask, ScoredKeys, docs_of

if TYPE_CHECKING:
    from collections.abc import Callable

# The shortest run of consecutive documents that becomes a range in the condition.
_RUN = 3
# Conditions longer than this are slower than fetching more hits than needed.
_LONG = 1500
# From the first share of passages on, filtering results is always cheaper than a condition; below
# the second, too many results would be fetched.
_DENSE, _SPARSE = 0.5, 0.15
_SPARE = 1.25
_GROWTH = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """How to search: with a condition, by filtering results, or not at all."""

    where: str | None = None
    drop: DocSet | None = None
    share: float = 1.0  # of passages that pass; 0 finds nothing


def plan(docs: DocSet | None, present: Int32s, counts: Int64s) -> Plan:
    """Choose how to search among documents.

    Args:
        docs: The documents to search.
        present: The documents that have rows, ascending.
        counts: How many rows each of them has.
    """
    passing = share(docs, present, counts)
    if docs is None or passing in (0.0, 1.0):
        return Plan(share=passing)
    runs = _runs(docs.keeps(present))
    if passing >= _DENSE or (passing >= _SPARSE and len(runs) > _LONG):
        return Plan(drop=docs, share=passing)
    return Plan(where=_condition(present, runs), share=passing)


def share(docs: DocSet | None, present: Int32s, counts: Int64s) -> float:
    """The share of rows whose document passes; exactly 0 or 1 if none or all do."""
    if docs is None or not len(present):
        return 1.0
    return float(counts[docs.keeps(present)].sum() / counts.sum())


def condition(docs: DocSet | None, present: Int32s) -> str | None:
    """A condition that is true for the rows that pass, or ``None`` if all do."""
    if docs is None:
        return None
    passing = docs.keeps(present)
    return None if passing.all() else _condition(present, _runs(passing))


def _runs(mask: Mask) -> Int64s:
    """First and last index of each run of true values, int64 (n, 2)."""
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    return np.stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1], axis=1)


def _condition(present: Int32s, runs: Int64s) -> str:
    """A condition that is true for the documents in these runs."""
    singles: list[int] = []
    parts: list[str] = []
    for first, last in runs.tolist():
        if last - first + 1 < _RUN:
            singles.extend(present[first : last + 1].tolist())
        else:
            parts.append(f"(doc >= {present[first]} AND doc <= {present[last]})")
    if singles:
        parts.append(f"doc IN ({','.join(map(str, singles))})")
    return " OR ".join(parts) if parts else "false"


def collect(
    fetch: Callable[[int, str | None], ScoredKeys], count: int, how: Plan, rows: int
) -> ScoredKeys:
    """Fetch until there are ``count`` hits that pass, or no more.

    Args:
        fetch: Returns the given number of hits among the rows of a condition, best first.
        count: The number of hits to return.
        how: The result of ``plan``.
        rows: The number of all rows, which bounds the fetch.
    """
    if how.share == 0.0 or count <= 0 or not rows:
        return NOTHING
    if how.drop is None:
        return fetch(count, how.where)
    limit = min(rows, int(count / how.share * _SPARE) + 32)
    while True:
        found = fetch(limit, None)
        kept = found.kept(how.drop.keeps(docs_of(found.keys)))
        if len(kept) >= count or len(found) < limit or limit >= rows:
            return kept.first(count)
        limit = min(rows, limit * _GROWTH)
