"""Nearest neighbours by meaning, and the vectors of given passages.

A first pass scores all vectors in 8 bits: 100,000 take 2 ms of processor, LanceDB's index 16 ms. A
score of two quantised vectors is wrong by at most what both have lost, which limits the passages
that may be the nearest; these are scored exactly. From ``ANN_FROM`` vectors on the index orders all
rows, at 10 to 15 ms for a million with every partition probed (half of them would find .98 of the
nearest 50 and save 3 ms); of a few that pass a filter all are scored. Lance can filter and refine
by itself, but a filtered index scan takes 30 ms at a million rows, and the vectors that it refines
with would be fetched a second time for the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.api.lru_cache import SharedCache
from indexer.store import quantise
from indexer.store.byte_vectors import ByteVectors, rounded_query
from indexer.store.indices import ANN_FROM
from indexer.store.values import NOTHING, DocSet, Float32s, Int64s, ScoredKeys, docs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.store.table import Table

_ROUNDING = 1e-4  # of the arithmetic itself
# Vectors read, or scored exactly, at a time (25 MB).
_BATCH = 16_384
# A question is searched in the library and inside its likely documents, each by one pass.
_SCORES_KEPT = 4
# How many are scored exactly, as a multiple of the count, and the least number more.
_REFINE, _REFINE_MORE = 1.5, 32
_EVERY_PARTITION = 1 << 16
# Measured nanoseconds per row: scored exactly under a condition; scanned in the index; fetched from
# the index and discarded.
_EXACT_NS, _INDEX_NS, _DROPPED_NS = 1_200, 15, 2_600
# How many more hits are fetched than the filter's share demands, and how fast that grows.
_SPARE, _SPARE_MORE, _GROWTH = 1.25, 32, 4


def knn(table: Table | None, vector: Float32s, count: int, docs: DocSet | None) -> ScoredKeys:
    """The passages nearest to a unit vector, best first, scored by cosine."""
    if table is None or count <= 0:
        return NOTHING
    query = np.ascontiguousarray(vector, np.float32)
    if _in_8_bits(table):
        keys = may_be_nearest(table, query, count, docs)
    else:
        keys = approximate_knn(table, query, int(count * _REFINE) + _REFINE_MORE, docs).keys
    return _scored(table, query, keys, count)


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
    passing = total if docs is None else int(counts[docs.keeps(present)].sum())
    if not passing or count <= 0:
        return NOTHING
    docs = docs if passing < total else None
    if _in_8_bits(table):
        return _nearest_in_8_bits(table, query, count, docs)
    if not table.has_vector_index or _exact_is_cheaper(passing, count, total):
        keys = table.rows.keys()
        return _scored(table, query, keys if docs is None else keys[docs.within(keys)], count)
    return _filtered(partial(_by_index, table, query), count, docs, passing / total, total)


def _exact_is_cheaper(rows: int, count: int, total: int) -> bool:
    """Whether scoring all rows that pass costs less than fetching until enough of them pass."""
    fetched = min(total, count * total / rows)
    return rows * _EXACT_NS <= total * _INDEX_NS + fetched * _DROPPED_NS


def _in_8_bits(table: Table) -> bool:
    """Whether all rows are scored in 8 bits, as an index that is due may not be built yet."""
    return 0 < len(table.rows.keys()) < ANN_FROM * (1 if table.has_vector_index else 2)


def _by_index(table: Table, query: Float32s, limit: int) -> ScoredKeys:
    def nearest(empty: Any) -> Any:
        found = empty.nearest_to(query).column("vector").distance_type("dot")
        return found.nprobes(_EVERY_PARTITION).limit(limit)

    found = table.search(nearest, "_distance")
    return ScoredKeys(found.keys, np.float32(1.0) - found.scores)


def _filtered(
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
    limit = min(rows, int(count / passing * _SPARE) + _SPARE_MORE)
    while True:
        found = fetch(limit)
        kept = found.kept(docs.keeps(docs_of(found.keys)))
        if len(kept) >= count or len(found) < limit or limit >= rows:
            return kept.first(count)
        limit = min(rows, limit * _GROWTH)


def _scored(table: Table, query: Float32s, keys: Int64s, count: int) -> ScoredKeys:
    """The best of some passages by exact scores."""
    best = NOTHING
    for at in range(0, len(keys), _BATCH):
        part = keys[at : at + _BATCH]
        keys_, scores = np.concatenate([best.keys, part]), vectors_of(table, part) @ query
        scores = np.concatenate([best.scores, scores])
        order = np.lexsort((keys_, -scores))[:count]
        best = ScoredKeys(keys_[order], scores[order])
    return best


# -- the first pass -----------------------------------------------------------------------


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
    scores: SharedCache[bytes, Float32s] = field(default_factory=lambda: SharedCache(_SCORES_KEPT))

    def scores_of(self, query: Float32s) -> Float32s:
        """The scores of all rows, float32 (n,); do not change them."""
        return self.scores.get(query.tobytes(), lambda: self.vectors.products(query))

    def passing(self, docs: DocSet) -> Int64s:
        """Which rows are of documents that pass, as indices."""
        if self.ascending:
            return docs.within(self.keys)
        return np.flatnonzero(docs.keeps(docs_of(self.keys)))


def _nearest_in_8_bits(
    table: Table, query: Float32s, count: int, docs: DocSet | None
) -> ScoredKeys:
    """The ``count`` nearest passages, best first, by scores in 8 bits."""
    codes = _current_codes(table)
    keys, scores = codes.keys, codes.scores_of(query)
    if docs is not None:
        passing = codes.passing(docs)
        keys, scores = keys[passing], scores[passing]
    if count < len(keys):
        # More than ``count`` where scores are equal, so that the order of rows does not matter.
        best = scores >= np.partition(scores, len(keys) - count)[len(keys) - count]
        keys, scores = keys[best], scores[best]
    order = np.lexsort((keys, -scores))[:count]
    return ScoredKeys(keys[order], scores[order])


def may_be_nearest(table: Table, query: Float32s, count: int, docs: DocSet | None) -> Int64s:
    """The keys of all passages that may be among the ``count`` nearest, ascending."""
    codes = _current_codes(table)
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


def _current_codes(table: Table) -> Codes:
    """The codes of the rows that the table has now; only new ones are read."""
    codes: Codes | None = table.codes
    if codes is None or codes.made_of is not table.rows.keys():
        with table.coding:
            keys, rows = table.rows.pairs()
            codes = table.codes
            if codes is None or codes.made_of is not keys:
                table.codes = codes = _completed(table, codes, keys, rows)
    return codes


def _completed(table: Table, known: Codes | None, keys: Int64s, rows: Int64s) -> Codes:
    if known is None:
        nothing = np.empty(0, np.int64)
        vectors = ByteVectors.of(np.empty((0, table.dimension), np.float32))
        known = Codes(nothing, nothing, nothing, vectors, ascending=True)
    left, new = np.isin(known.rows, rows), ~np.isin(rows, known.rows)
    unread = keys[new]
    batches = range(0, len(unread), _BATCH)
    parts = [ByteVectors.of(vectors_of(table, unread[at : at + _BATCH])) for at in batches]
    together = np.concatenate([known.keys[left], unread])
    return Codes(
        made_of=keys,
        keys=together,
        ascending=bool((together[1:] > together[:-1]).all()),
        rows=np.concatenate([known.rows[left], rows[new]]),
        vectors=ByteVectors.joined([known.vectors.kept(left), *parts]),
    )


# -- the vectors of given passages --------------------------------------------------------


def vectors_of(table: Table | None, keys: Int64s) -> Float32s:
    """The pooled vectors of passages, float32 (n, dim); zeros where there is none."""
    if table is None:
        return np.zeros((len(keys), 0), np.float32)
    vectors = np.zeros((len(keys), table.dimension), np.float32)
    ids, places = table.rows.rows_of(keys)
    read, there = table.pooled.vectors_of(keys[places], ids)
    vectors[places[there]] = read
    if len(left := places[~there]):
        found, rows = table.take(keys[left], ["vector"])
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


@dataclass(frozen=True, slots=True)
class SentenceCodes:
    """The quantised sentence vectors of n passages, and where each passage's begin, (n + 1,)."""

    packed: quantise.Bytes
    offsets: Int64s

    def cosines(self, queries: Float32s, of_pooled: Float32s) -> Float32s:
        """The products with k queries, float32 (m, k).

        Args:
            queries: Float32 (k, dim).
            of_pooled: The products of the passages' vectors, float32 (n, k).
        """
        if not len(self.packed):
            return np.zeros((0, len(queries)), np.float32)
        of_each = of_pooled.repeat(np.diff(self.offsets), axis=0)
        return quantise.cosines(self.packed, of_each, queries)


def sentence_codes_of(table: Table | None, keys: Int64s) -> SentenceCodes:
    """The quantised sentence vectors of passages; those without vectors have none."""
    if table is None:
        return SentenceCodes(np.zeros((0, 0), np.uint8), np.zeros(len(keys) + 1, np.int64))
    return SentenceCodes(*quantise.joined(_codes_of(table, keys), table.dimension))


def _codes_of(table: Table, keys: Int64s) -> list[bytes]:
    """The quantised sentences of passages, nothing where they have no vectors yet."""
    codes = [b""] * len(keys)
    found, rows = table.take(keys, ["sentence_codes"])
    stored = found.column("sentence_codes").to_pylist()
    for at, packed in zip(rows.tolist(), stored, strict=True):
        codes[at] = packed
    return codes
