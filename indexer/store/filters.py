"""Restricts a search of LanceDB to a set of documents.

By a condition, which Lance evaluates before the search at about 3 µs per listed document, or by
filtering the results of an unrestricted search. Pure; it must not know tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.store.values import DocSet, Int32s, Int64s, Mask, ScoredKeys, docs_of

if TYPE_CHECKING:
    from collections.abc import Callable

# The shortest run of consecutive documents that becomes a range in the condition.
_RUN = 3
_SPARE = 1.25
_GROWTH = 4


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
    fetch: Callable[[int], ScoredKeys], count: int, docs: DocSet | None, passing: float, rows: int
) -> ScoredKeys:
    """Fetch until there are ``count`` hits that pass, or no more.

    Args:
        fetch: Returns the given number of hits, best first.
        count: The number of hits to return.
        docs: The documents that pass.
        passing: The share of rows that do, more than 0.
        rows: The number of all rows, which bounds the fetch.
    """
    if docs is None:
        return fetch(count)
    limit = min(rows, int(count / passing * _SPARE) + 32)
    while True:
        found = fetch(limit)
        kept = found.kept(docs.keeps(docs_of(found.keys)))
        if len(kept) >= count or len(found) < limit or limit >= rows:
            return kept.first(count)
        limit = min(rows, limit * _GROWTH)
