"""Nearest neighbours by meaning, and the vectors of given passages.

Owns how vectors are searched and fetched. It must not know how they were made or are fused.

Up to ``ANN_FROM`` rows are searched in 8 bits, see ``first_pass``; of more, the few that pass a
filter are all scored. Else the index orders all rows, at 10 to 15 ms for a million with every
partition probed (half of them would find .98 of the nearest 50 and save 3 ms). ``knn`` computes
exact scores here. Lance can filter and refine by itself, but a filtered index scan takes 30 ms at a
million rows, and the vectors that it refines with would be fetched a second time for the ranking.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import filters, first_pass, lacking, quantise, vector_places
from indexer.store.indices import ANN_FROM
from indexer.store.values import NOTHING, DocSet, Float32s, Int64s, ScoredKeys

if TYPE_CHECKING:
    from indexer.store.table import Table

# How many are scored exactly, as a multiple of the count, and the least number more.
_REFINE, _REFINE_MORE = 1.5, 32
_EVERY_PARTITION = 1 << 16
# Measured nanoseconds per row: scored exactly under a condition; scanned in the index; fetched from
# the index and discarded.
_EXACT_NS, _INDEX_NS, _DROPPED_NS = 1_200, 15, 2_600
# The most vectors that are scored at once (25 MB).
_MOST_SCORED = 16_384


def knn(table: Table | None, vector: Float32s, count: int, docs: DocSet | None) -> ScoredKeys:
    """The passages nearest to a unit vector, best first, scored by cosine."""
    if table is None or count <= 0:
        return NOTHING
    query = np.ascontiguousarray(vector, np.float32)
    if _in_8_bits(table):
        keys = first_pass.may_be_nearest(table, query, count, docs, partial(vectors_of, table))
    else:
        keys = approximate_knn(table, query, int(count * _REFINE) + _REFINE_MORE, docs).keys
    return _scored(table, query, keys).first(count)


def approximate_knn(
    table: Table | None, vector: Float32s, count: int, docs: DocSet | None
) -> ScoredKeys:
    """The approximately nearest passages, best first.

    They are found and scored by quantised vectors, as a caller scores all candidates anyway.
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
    docs = docs if passing < 1.0 else None
    if _in_8_bits(table):
        return first_pass.nearest(table, query, count, docs, partial(vectors_of, table))
    if not table.has_vector_index or _exact_is_cheaper(passing * total, count, total):
        keys = table.rows.keys()
        keys = keys if docs is None else keys[docs.within(keys)]
        if len(keys) > _MOST_SCORED or table.derived is None:
            return _exact(table, query, count, filters.condition(docs, present))
        # As LanceDB scores them.
        return _scored(table, query.astype(np.float16).astype(np.float32), keys).first(count)
    return filters.collect(partial(_approximate, table, query), count, docs, passing, total)


def _exact_is_cheaper(rows: float, count: int, total: int) -> bool:
    """Whether scoring all rows that pass costs less than fetching until enough of them pass."""
    if not rows:
        return True
    fetched = min(total, count * total / rows)
    return rows * _EXACT_NS <= total * _INDEX_NS + fetched * _DROPPED_NS


def _in_8_bits(table: Table) -> bool:
    return 0 < len(table.rows.keys()) < ANN_FROM


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


def _scored(table: Table, query: Float32s, keys: Int64s) -> ScoredKeys:
    """Passages by exact scores, best first."""
    scores = vectors_of(table, keys) @ query
    order = np.lexsort((keys, -scores))
    return ScoredKeys(keys[order], scores[order])


def dimension(table: Table) -> int:
    """The dimension of the vectors in a table."""
    return int(table.schema.field("vector").type.list_size)


def vectors_of(table: Table | None, keys: Int64s) -> Float32s:
    """The pooled vectors of passages, float32 (n, dim); zeros where there is none."""
    if table is None:
        return np.zeros((len(keys), 0), np.float32)
    vectors = np.zeros((len(keys), dimension(table)), np.float32)
    files, numbers, there = vector_places.find(table, keys)
    try:
        vectors[there] = vector_places.vectors_at(files, numbers, vectors.shape[1])
    except OSError:
        table.derived, there = None, there[:0]
    if len(left := np.delete(np.arange(len(keys)), there)):
        found, rows = lacking.take(table, keys[left], ["vector"], vector_places.COLUMNS)
        flat = found.column("vector").combine_chunks().flatten().to_numpy()
        vectors[left[rows]] = flat.reshape(-1, vectors.shape[1])
    return vectors


def sentence_vectors_of(
    table: Table | None, keys: Int64s, pooled: Float32s | None = None
) -> tuple[Float32s, Int64s]:
    """The sentence vectors of passages, one passage after the other.

    Args:
        table: The vectors.
        keys: Of the passages.
        pooled: What ``vectors_of`` returns for them, if that is known.

    Returns:
        Unit vectors, float32 (m, dim), and offsets, int64 (n + 1,): those of passage ``i`` are
        the rows ``offsets[i]:offsets[i + 1]``, none where it has no vectors yet.
    """
    if table is None:
        return np.zeros((0, 0), np.float32), np.zeros(len(keys) + 1, np.int64)
    codes = _codes_of(table, keys)
    return quantise.unpack_passages(codes, vectors_of(table, keys) if pooled is None else pooled)


def sentence_cosines_of(
    table: Table | None, keys: Int64s, queries: Float32s, of_pooled: Float32s
) -> tuple[Float32s, Int64s]:
    """The products of ``sentence_vectors_of`` with k queries, float32 (m, k), and the offsets.

    Args:
        table: The vectors.
        keys: Of n passages.
        queries: Float32 (k, dim).
        of_pooled: The products of the passages' vectors, float32 (n, k).
    """
    if table is None:
        return np.zeros((0, len(queries)), np.float32), np.zeros(len(keys) + 1, np.int64)
    packed, offsets = quantise.joined(_codes_of(table, keys), queries.shape[1])
    return quantise.cosines(packed, of_pooled.repeat(np.diff(offsets), axis=0), queries), offsets


def _codes_of(table: Table, keys: Int64s) -> list[bytes]:
    """The quantised sentences of passages, nothing where they have no vectors yet."""
    files, numbers, there = vector_places.find(table, keys)
    codes = [b""] * len(keys)
    try:
        read = vector_places.codes_at(files, numbers)
    except OSError:
        table.derived, there, read = None, there[:0], []
    for at, packed in zip(there.tolist(), read, strict=True):
        codes[at] = packed
    if len(left := np.delete(np.arange(len(keys)), there)):
        codes_only = vector_places.COLUMNS[1:]
        found, rows = lacking.take(table, keys[left], codes_only, vector_places.COLUMNS)
        stored = found.column("sentence_codes").to_pylist()
        for at, packed in zip(left[rows].tolist(), stored, strict=True):
            codes[at] = packed
    return codes
