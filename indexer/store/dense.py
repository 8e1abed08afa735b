"""Nearest neighbours by meaning, and the vectors of given passages.

Owns how vectors are searched and fetched. It must not know how they were made or are fused.

Exact search costs 0.75 ms for 1,000 vectors of 384 dimensions, so up to ``ANN_FROM`` rows there
is no index. Past that an IVF_RQ index (RaBitQ, 3 bits a component) orders the rows, and twice as
many as wanted are scored exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import filters, quantise
from indexer.store.values import NOTHING, Candidates, DocFilter, Float32s, Int64s

if TYPE_CHECKING:
    from indexer.store.table import Table

ANN_FROM = 10_000
RQ_BITS = 3
# Shares of a partition's rows are read at the speed of memory; probing few loses recall.
_PROBES = 64
_REFINE = 2


def knn(table: Table, vector: Float32s, count: int, docs: DocFilter | None) -> Candidates:
    """The passages nearest to a unit vector, best first, scored by cosine."""
    if not len(table.rows.keys()):
        return NOTHING
    how = filters.plan(docs, *table.rows.documents())
    query = np.ascontiguousarray(vector, np.float32)

    def fetch(limit: int, where: str | None) -> Candidates:
        return _search(table, query, limit, where)

    return filters.collect(fetch, count, how, len(table.rows.keys()))


def _search(table: Table, query: Float32s, limit: int, where: str | None) -> Candidates:
    def narrow(builder: Any) -> Any:
        builder = (
            builder.distance_type("dot")
            .minimum_nprobes(_PROBES)
            .maximum_nprobes(0)  # until there are enough hits
            .refine_factor(_REFINE)
            .select(["key", "_distance"])
            .limit(limit)
        )
        return builder.where(where, prefilter=True) if where else builder

    found = table.search(narrow, query, "vector")
    scores = 1.0 - found.column("_distance").to_numpy()
    return Candidates(found.column("key").to_numpy(), scores.astype(np.float32))


def vectors_of(table: Table, keys: Int64s, dimension: int) -> Float32s:
    """The pooled vectors of passages, float32 (n, dim); zeros where there is none."""
    found, places = table.take(keys, ["vector"])
    vectors = np.zeros((len(keys), dimension), np.float32)
    flat = found.column("vector").combine_chunks().flatten().to_numpy()
    vectors[places] = flat.reshape(-1, dimension)
    return vectors


def sentence_vectors_of(table: Table, keys: Int64s, dimension: int) -> tuple[Float32s, Int64s]:
    """The sentence vectors of passages, one passage after the other.

    Returns:
        Unit vectors, float32 (m, dim), and offsets, int64 (n + 1,): those of passage ``i`` are
        the rows ``offsets[i]:offsets[i + 1]``, none where it has no vectors yet.
    """
    found, places = table.take(keys, ["sentences"])
    column = found.column("sentences").combine_chunks()
    counts = np.zeros(len(keys), np.int64)
    ends, flat = _buffers(column)
    starts, lengths = ends[:-1], np.diff(ends)
    counts[places] = lengths // dimension
    offsets = np.concatenate([[0], np.cumsum(counts)])
    order = np.argsort(places, kind="stable")
    rows = flat.reshape(-1, dimension)
    index = _gather(starts[order] // dimension, counts[places[order]])
    return quantise.from_bytes(rows[index]), offsets


def _buffers(column: Any) -> tuple[Int64s, Any]:
    """The ends and the bytes of a binary column, as arrays that share its memory."""
    if not len(column):
        return np.zeros(1, np.int64), np.empty(0, np.int8)
    _, ends, data = column.buffers()
    kind = np.int64 if str(column.type) == "large_binary" else np.int32
    at = np.frombuffer(ends, kind)[column.offset : column.offset + len(column) + 1]
    flat = (
        np.frombuffer(data, np.int8)[at[0] : at[-1]] if data is not None else np.empty(0, np.int8)
    )
    return at.astype(np.int64) - int(at[0]), flat


def _gather(starts: Int64s, counts: Int64s) -> Int64s:
    """The numbers ``start … start + count - 1`` of each run, one run after the other."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    gathered: Int64s = np.arange(total, dtype=np.int64) + np.repeat(starts - before, counts)
    return gathered
