"""The vectors of a space in 8 bits: which passages are about the nearest, and which may be.

A score of two quantised vectors is wrong by at most what both have lost, which limits the passages
that may be the nearest. 100,000 vectors take 2 ms of processor; LanceDB's index takes 16 ms. Owns
which vectors are held, which follows the table's rows. It must not know how they are read: see
``dense``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.store.byte_vectors import ByteVectors, rounded_query
from indexer.store.values import ScoredKeys, docs_of
from indexer.value_cache import ValueCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.store.table import Table
    from indexer.store.values import DocSet, Float32s, Int64s

_ROUNDING = 1e-4  # of the arithmetic itself
_BATCH = 8192
# A question is searched in the library and inside its likely documents, each by one pass.
_SCORES_KEPT = 4


@dataclass(frozen=True, slots=True)
class Codes:
    """The vectors of n rows in 8 bits.

    Attributes:
        made_of: The array of keys that they were completed for.
        keys: Shape (n,).
        rows: Their row ids.
        vectors: Theirs.
        ascending: Whether the keys ascend, as they do until documents are embedded again.
        scores: Of all rows to the queries of late, by the query's bytes.
    """

    made_of: Int64s
    keys: Int64s
    rows: Int64s
    vectors: ByteVectors
    ascending: bool
    scores: ValueCache[bytes, Float32s] = field(default_factory=lambda: ValueCache(_SCORES_KEPT))

    def passing(self, docs: DocSet) -> Int64s:
        """Which rows are of documents that pass, as indices."""
        if self.ascending:
            return docs.within(self.keys)
        return np.flatnonzero(docs.keeps(docs_of(self.keys)))


def nearest(
    table: Table,
    query: Float32s,
    count: int,
    docs: DocSet | None,
    read: Callable[[Int64s], Float32s],
) -> ScoredKeys:
    """The ``count`` nearest passages, best first, by scores in 8 bits; see ``may_be_nearest``."""
    codes = _current(table, read)
    keys, scores = codes.keys, _scores(codes, query)
    if docs is not None:
        passing = codes.passing(docs)
        keys, scores = keys[passing], scores[passing]
    if count < len(keys):
        # More than ``count`` where scores are equal, so that the order of rows does not matter.
        best = scores >= np.partition(scores, len(keys) - count)[len(keys) - count]
        keys, scores = keys[best], scores[best]
    order = np.lexsort((keys, -scores))[:count]
    return ScoredKeys(keys[order], scores[order])


def may_be_nearest(
    table: Table,
    query: Float32s,
    count: int,
    docs: DocSet | None,
    read: Callable[[Int64s], Float32s],
) -> Int64s:
    """The keys of all passages that may be among the ``count`` nearest, ascending.

    Args:
        table: The vectors.
        query: Float32 (dim,).
        count: At least 1.
        docs: The documents to search.
        read: Returns the vectors of passages.
    """
    codes = _current(table, read)
    scores, keys = _scores(codes, query), codes.keys
    rounded, unit = rounded_query(query)
    wrong = codes.vectors.lost * np.float32(np.linalg.norm(rounded * unit))
    if docs is not None:
        passing = codes.passing(docs)
        keys, scores, wrong = keys[passing], scores[passing], wrong[passing]
    if count < len(keys):
        least = np.partition(scores - wrong, len(keys) - count)[len(keys) - count]
        shared = float(np.linalg.norm(query - rounded * unit)) + _ROUNDING
        keys = keys[scores + wrong >= least - 2 * shared]
    return np.sort(keys)


def _scores(codes: Codes, query: Float32s) -> Float32s:
    """The scores of all rows in 8 bits, float32 (n,); do not change them."""
    return codes.scores.get(query.tobytes(), lambda: codes.vectors.products(query))


def _current(table: Table, read: Callable[[Int64s], Float32s]) -> Codes:
    """The codes of the rows that the table has now; only new ones are read."""
    codes = table.codes
    if codes is None or codes.made_of is not table.rows.keys():
        with table.coding:
            keys, rows = table.rows.pairs()
            codes = table.codes
            if codes is None or codes.made_of is not keys:
                table.codes = codes = _completed(codes, keys, rows, read)
    return codes


def _completed(
    known: Codes | None, keys: Int64s, rows: Int64s, read: Callable[[Int64s], Float32s]
) -> Codes:
    if known is None:
        nothing = np.empty(0, np.int64)
        vectors = ByteVectors.of(read(nothing))
        known = Codes(nothing, nothing, nothing, vectors, ascending=True)
    left, new = np.isin(known.rows, rows), ~np.isin(rows, known.rows)
    lacking = keys[new]
    batches = range(0, len(lacking), _BATCH)
    parts = [ByteVectors.of(read(lacking[start : start + _BATCH])) for start in batches]
    together = np.concatenate([known.keys[left], lacking])
    return Codes(
        made_of=keys,
        keys=together,
        ascending=bool((together[1:] > together[:-1]).all()),
        rows=np.concatenate([known.rows[left], rows[new]]),
        vectors=ByteVectors.joined([known.vectors.kept(left), *parts]),
    )
