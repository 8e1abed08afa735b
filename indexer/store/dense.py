"""Nearest neighbours by meaning, and the vectors of given passages.

Owns how vectors are searched and fetched. It must not know how they were made or are fused.

Without an index (see ``indices``), and for few rows under a filter, search is exact: it costs
about a millisecond for 1,000 vectors of 384 dimensions. Else the index orders all rows, at 10 to 15
ms for a million with every partition probed (half of them would find .98 of the nearest 50 and save
3 ms); exact scores are computed here. Lance can filter and refine by itself, but a filtered index
scan takes 30 ms at a million rows, and the vectors that it refines with would be fetched a second
time for the ranking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import filters, quantise
from indexer.store.values import NOTHING, DocSet, Float32s, Int64s, ScoredKeys, ranges

if TYPE_CHECKING:
    from indexer.store.table import Table

# How many are scored exactly, as a multiple of the count, and the least number more.
_REFINE, _REFINE_MORE = 1.5, 32
_EVERY_PARTITION = 1 << 16
# Measured nanoseconds per row: scored exactly under a condition; scanned in the index; fetched from
# the index and discarded.
_EXACT_NS, _INDEX_NS, _DROPPED_NS = 1_200, 15, 2_600
# Vectors that are scored at once (25 MB), and those of them that LanceDB has to give.
_MOST_SCORED, _MOST_MISSING = 16_384, 256


def knn(table: Table | None, vector: Float32s, count: int, docs: DocSet | None) -> ScoredKeys:
    """The passages nearest to a unit vector, best first, scored by cosine."""
    if table is None:
        return NOTHING
    query = np.ascontiguousarray(vector, np.float32)
    found = approximate_knn(table, query, int(count * _REFINE) + _REFINE_MORE, docs)
    return _rescored(table, query, found).first(count)


def approximate_knn(
    table: Table | None, vector: Float32s, count: int, docs: DocSet | None
) -> ScoredKeys:
    """The approximately nearest passages, best first, with the index's quantised scores.

    Exact scores would take a read that a caller who scores all candidates makes anyway.
    """
    if table is None:
        return NOTHING
    query = np.ascontiguousarray(vector, np.float32)
    present, counts = table.rows.documents()
    total = int(counts.sum())
    if not total or count <= 0:
        return NOTHING
    passing = filters.share(docs, present, counts)
    if passing == 0.0:
        return NOTHING
    if not table.has_vector_index or _exact_is_cheaper(passing * total, count, total):
        found = _nearest_pooled(table, query, count, docs if passing < 1.0 else None)
        if found is not None:
            return found
        return _exact(table, query, count, filters.condition(docs, present))
    how = filters.Plan(drop=docs if passing < 1.0 else None, share=passing)

    def fetch(limit: int, _where: str | None) -> ScoredKeys:
        return _approximate(table, query, limit)

    return filters.collect(fetch, count, how, total)


def _exact_is_cheaper(rows: float, count: int, total: int) -> bool:
    """Whether scoring all rows that pass costs less than fetching until enough of them pass."""
    if not rows:
        return True
    fetched = min(total, count * total / rows)
    return rows * _EXACT_NS <= total * _INDEX_NS + fetched * _DROPPED_NS


def _nearest_pooled(
    table: Table, query: Float32s, count: int, docs: DocSet | None
) -> ScoredKeys | None:
    """What ``_exact`` finds, from the file of pooled vectors; None if that lacks too much."""
    pooled = table.pooled
    if pooled is None:
        return None
    try:
        aligned = pooled.aligned(table)
        keys, places = aligned.keys, aligned.places
        if docs is not None:
            chosen = docs.within(keys)
            keys, places = keys[chosen], places[chosen]
        missing = places < 0
        if len(keys) > _MOST_SCORED or np.count_nonzero(missing) > _MOST_MISSING:
            return None
        found = pooled.vectors(places[~missing])
    except OSError:
        table.pooled = None
        return None
    halved = query.astype(np.float16).astype(np.float32)  # as LanceDB does
    scores = np.empty(len(keys), np.float32)
    scores[~missing] = found @ halved
    if missing.any():
        scores[missing] = vectors_of(table, keys[missing]) @ halved
    if count < len(keys):
        least = np.partition(scores, len(keys) - count)[len(keys) - count]
        keys, scores = keys[scores >= least], scores[scores >= least]
    order = np.lexsort((keys, -scores))[:count]
    return ScoredKeys(keys[order], scores[order])


def _exact(table: Table, query: Float32s, count: int, where: str | None) -> ScoredKeys:
    def nearest(empty: Any) -> Any:
        found = empty.nearest_to(query).column("vector").distance_type("dot")
        found = found.bypass_vector_index().limit(count)
        return found.where(where) if where else found

    return _similar(table.search(nearest, "_distance"))


def _approximate(table: Table, query: Float32s, limit: int) -> ScoredKeys:
    def nearest(empty: Any) -> Any:
        found = empty.nearest_to(query).column("vector").distance_type("dot")
        return found.nprobes(_EVERY_PARTITION).limit(limit)

    return _similar(table.search(nearest, "_distance"))


def _similar(found: ScoredKeys) -> ScoredKeys:
    return ScoredKeys(found.keys, np.float32(1.0) - found.scores)


def _rescored(table: Table, query: Float32s, found: ScoredKeys) -> ScoredKeys:
    """The same passages, ordered by exact scores."""
    vectors = vectors_of(table, found.keys)
    scores = vectors @ query
    order = np.lexsort((found.keys, -scores))
    return ScoredKeys(found.keys[order], scores[order])


def dimension(table: Table) -> int:
    """The dimension of the vectors in a table."""
    return int(table.schema.field("vector").type.list_size)


def vectors_of(table: Table | None, keys: Int64s) -> Float32s:
    """The pooled vectors of passages, float32 (n, dim); zeros where there is none."""
    if table is None:
        return np.zeros((len(keys), 0), np.float32)
    vectors = np.zeros((len(keys), dimension(table)), np.float32)
    left = np.arange(len(keys))
    pooled = table.pooled
    if pooled is not None:
        try:
            places, there = pooled.places(table, keys)
            known = places >= 0
            vectors[there[known]] = pooled.vectors(places[known])
            left = there[~known]
        except OSError:
            table.pooled = None
    if len(left):
        found, rows = table.take(keys[left], ["vector"])
        flat = found.column("vector").combine_chunks().flatten().to_numpy()
        vectors[left[rows]] = flat.reshape(-1, vectors.shape[1])
    return vectors


def sentence_vectors_of(table: Table | None, keys: Int64s) -> tuple[Float32s, Int64s]:
    """The sentence vectors of passages, one passage after the other.

    Returns:
        Unit vectors, float32 (m, dim), and offsets, int64 (n + 1,): those of passage ``i`` are
        the rows ``offsets[i]:offsets[i + 1]``, none where it has no vectors yet.
    """
    if table is None:
        return np.zeros((0, 0), np.float32), np.zeros(len(keys) + 1, np.int64)
    found, places = table.take(keys, ["sentence_codes"])
    ends, flat = _buffers(found.column("sentence_codes").combine_chunks())
    size = dimension(table)
    width = quantise.width(size)
    counts = np.zeros(len(keys), np.int64)
    counts[places] = np.diff(ends) // width
    offsets = np.concatenate([[0], np.cumsum(counts)])
    order = np.argsort(places, kind="stable")
    index = ranges(ends[:-1][order] // width, counts[places[order]])
    return quantise.unpack(flat.reshape(-1, width)[index], size), offsets


def _buffers(column: Any) -> tuple[Int64s, Any]:
    """The end offsets and the bytes of a binary column, as arrays that share its memory."""
    if not len(column):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, ends, data = column.buffers()
    kind = np.int64 if str(column.type) == "large_binary" else np.int32
    at = np.frombuffer(ends, kind)[column.offset : column.offset + len(column) + 1]
    flat = np.frombuffer(data if data is not None else b"", np.uint8)[at[0] : at[-1]]
    return at.astype(np.int64) - int(at[0]), flat
