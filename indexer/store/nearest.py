"""Finds the passages whose vectors are nearest to a query's.

A first pass scores all vectors in 8 bits: 100,000 take 2 ms of processor, LanceDB's index 16 ms.
The rounding errors of two quantised vectors bound the error of their score. So the passages that
may be the nearest are known, and only these are scored exactly. From ``ANN_FROM`` vectors on, the
index orders the rows that it contains, and only the others are scored in 8 bits. It takes 10 to 15
ms for a million rows with every partition probed (half of the partitions would find .98 of the
nearest 50 and save 3 ms). If few rows pass a filter, all of them are scored exactly.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from indexer.api.lru_cache import SharedCache
from indexer.store.byte_vectors import ByteVectors, rounded_query
from indexer.store.values import NOTHING, DocSet, ScoredKeys, docs_of
from indexer.store.vector_index import VectorIndex, is_lances

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int64s
    from indexer.store.vectors import Vectors

log = logging.getLogger(__name__)

_ROUNDING = 1e-4  # the rounding error of float32 arithmetic
# The number of vectors that are read or scored exactly at a time (25 MB).
_BATCH = 16_384
# A question is searched in the library and inside its likely documents, each by one pass.
_SCORES_KEPT = 4
# How many are scored exactly: this multiple of the count, plus this number.
_REFINE, _REFINE_MORE = 1.5, 32
# Measured nanoseconds for a row that is scored exactly after a filter, one that is scanned in the
# index, and one that is fetched from the index and discarded.
_EXACT_NS, _INDEX_NS, _DROPPED_NS = 5_000, 15, 2_600
# How many more hits are fetched than the filter's share demands, and how fast that grows.
_SPARE, _SPARE_MORE, _GROWTH = 1.25, 32, 4


def knn(vectors: Vectors, vector: Float32s, count: int, docs: DocSet | None) -> ScoredKeys:
    """The passages nearest to a unit vector, best first, scored by cosine."""
    if count <= 0:
        return NOTHING
    query = np.ascontiguousarray(vector, np.float32)
    if vectors.index is None:
        keys = may_be_nearest(vectors, query, count, docs)
    else:
        keys = approximate_knn(vectors, query, int(count * _REFINE) + _REFINE_MORE, docs).keys
    return _scored(vectors, query, keys, count)


def approximate_knn(
    vectors: Vectors, vector: Float32s, count: int, docs: DocSet | None
) -> ScoredKeys:
    """The approximately nearest passages, best first.

    Quantised vectors find and score them, which suffices for a caller that scores candidates again.
    """
    query = np.ascontiguousarray(vector, np.float32)
    present, counts = vectors.documents()
    total = int(counts.sum())
    passing = total if docs is None else int(counts[docs.keeps(present)].sum())
    if not passing or count <= 0:
        return NOTHING
    docs = docs if passing < total else None
    index: VectorIndex | None = vectors.index
    if index is None:
        return _nearest_in_8_bits(vectors, query, count, docs)
    if docs is not None and _exact_is_cheaper(passing, count, total):
        keys = vectors.keys()
        return _scored(vectors, query, keys[docs.within(keys)], count)
    try:
        indexed = _by_index(index, query, count, docs, passing / total)
    except BaseException as error:
        if not is_lances(error):
            raise
        log.warning("the index of %s is made again: %s", vectors.name, error)
        if vectors.index is index:
            vectors.index = None
        return _nearest_in_8_bits(vectors, query, count, docs)
    both = indexed.followed_by(_nearest_in_8_bits(vectors, query, count, docs))
    return _best(both.keys, both.scores, count)


def _exact_is_cheaper(rows: int, count: int, total: int) -> bool:
    """Whether scoring all rows that pass costs less than fetching until enough of them pass."""
    fetched = min(total, count * total / rows)
    return rows * _EXACT_NS <= total * _INDEX_NS + fetched * _DROPPED_NS


def _by_index(
    index: VectorIndex, query: Float32s, count: int, docs: DocSet | None, share: float
) -> ScoredKeys:
    """The best rows of an index that still exist and pass a filter.

    The index is searched for more until enough pass; ``share``, above 0, is the share that do.
    """
    rows = len(index.keys)
    limit = count
    if docs is not None or not index.live.all():
        limit = min(rows, int(count / share * _SPARE) + _SPARE_MORE)
    while True:
        at, scores = index.nearest(query, limit)
        keys, kept = index.keys[at], index.live[at]
        if docs is not None:
            kept = kept & docs.keeps(docs_of(keys))
        if kept.sum() >= count or limit >= rows:
            return ScoredKeys(keys[kept], scores[kept]).first(count)
        limit = min(rows, limit * _GROWTH)


def _best(keys: Int64s, scores: Float32s, count: int) -> ScoredKeys:
    order = np.lexsort((keys, -scores))[:count]
    return ScoredKeys(keys[order], scores[order])


def _scored(vectors: Vectors, query: Float32s, keys: Int64s, count: int) -> ScoredKeys:
    """The best of some passages by exact scores."""
    best = NOTHING
    for at in range(0, len(keys), _BATCH):
        part = keys[at : at + _BATCH]
        scores = np.concatenate([best.scores, vectors.pooled_of(part) @ query])
        best = _best(np.concatenate([best.keys, part]), scores, count)
    return best


# -- the first pass -----------------------------------------------------------------------


class ByteCodes(Struct, frozen=True):
    """The vectors of n rows in 8 bits.

    Attributes:
        made_of: The array of all keys at the time when the codes were completed.
        of_index: The index that contains the other rows.
        keys: Shape (n,).
        vectors: The codes of these rows.
        ascending: Whether the keys ascend, as they do until documents are embedded again.
        scores: A cache of the scores of all rows for the last queries, by the query's bytes.
    """

    made_of: Int64s | None
    of_index: VectorIndex | None
    keys: Int64s
    vectors: ByteVectors
    ascending: bool
    scores: SharedCache[bytes, Float32s] = field(default_factory=lambda: SharedCache(_SCORES_KEPT))

    def scores_of(self, query: Float32s) -> Float32s:
        """The scores of all rows, float32 (n,); do not change them."""
        return self.scores.get(query.tobytes(), lambda: self.vectors.products(query))

    def passing(self, docs: DocSet) -> Int64s:
        """The indices of the rows whose documents pass a filter."""
        if self.ascending:
            return docs.within(self.keys)
        return np.flatnonzero(docs.keeps(docs_of(self.keys)))


def _nearest_in_8_bits(
    vectors: Vectors, query: Float32s, count: int, docs: DocSet | None
) -> ScoredKeys:
    """The ``count`` nearest passages, best first, by scores in 8 bits."""
    codes = _current_codes(vectors)
    keys, scores = codes.keys, codes.scores_of(query)
    if docs is not None:
        passing = codes.passing(docs)
        keys, scores = keys[passing], scores[passing]
    if count < len(keys):
        # More than ``count`` where scores are equal, so that the order of rows does not matter.
        best = scores >= np.partition(scores, len(keys) - count)[len(keys) - count]
        keys, scores = keys[best], scores[best]
    return _best(keys, scores, count)


def may_be_nearest(vectors: Vectors, query: Float32s, count: int, docs: DocSet | None) -> Int64s:
    """The keys of all passages that may be among the ``count`` nearest, ascending."""
    codes = _current_codes(vectors)
    scores, keys = codes.scores_of(query), codes.keys
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


def _current_codes(vectors: Vectors) -> ByteCodes:
    """The codes of the rows that are not in the index; only new rows are read."""
    codes: ByteCodes | None = vectors.codes
    if codes is None or not _are_current(codes, vectors):
        with vectors.coding:
            codes = vectors.codes
            if codes is None or not _are_current(codes, vectors):
                vectors.codes = None  # as changes are taken, they are wrong if an error ends this
                vectors.codes = codes = _completed(vectors, codes)
    return codes


def _are_current(codes: ByteCodes, vectors: Vectors) -> bool:
    return codes.made_of is vectors.keys() and codes.of_index is vectors.index


def _completed(vectors: Vectors, known: ByteCodes | None) -> ByteCodes:
    # Changes are taken first, so that rows that change meanwhile are read again next time.
    changes = vectors.take_changes()
    keys, index = vectors.keys(), vectors.index
    wanted = keys if index is None else index.lacks(keys)
    if known is None or changes is None:
        nothing = ByteVectors.of(np.empty((0, vectors.dimension), np.float32))
        known = ByteCodes(None, None, np.empty(0, np.int64), nothing, ascending=True)
    left = np.isin(known.keys, wanted)
    for changed in changes or ():
        left &= np.isin(known.keys, changed, invert=True)
    unread = wanted[np.isin(wanted, known.keys[left], invert=True)]
    batches = range(0, len(unread), _BATCH)
    parts = [ByteVectors.of(vectors.pooled_of(unread[at : at + _BATCH])) for at in batches]
    together = np.concatenate([known.keys[left], unread])
    return ByteCodes(
        made_of=keys,
        of_index=index,
        keys=together,
        vectors=ByteVectors.joined([known.vectors.kept(left), *parts]),
        ascending=bool((together[1:] > together[:-1]).all()),
    )
