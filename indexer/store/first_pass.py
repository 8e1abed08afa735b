"""The vectors of a space in 8 bits: which passages are about the nearest, and which may be.

A score of two quantised vectors is wrong by at most what both have lost, which limits the passages
that may be the nearest. 100,000 vectors of 384 dimensions take 38 MB of memory and 2 ms of
processor; LanceDB's index takes 16 ms. Owns the codes, which follow the table's rows. It must not
know how vectors are read: see ``dense``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.devices import load_runtime
from indexer.latest import Latest
from indexer.store.values import ScoredKeys, docs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indexer.store.table import Table
    from indexer.store.values import DocSet, Float32s, Int64s

# The ONNX graph of one MatMulInteger: a, uint8 (1, d), by b, int8 (d, n). With a zero point for a
# it takes four times as long.
_GRAPH = bytes.fromhex(
    "08083a600a180a01610a0162120163220d4d61744d756c496e74656765721201675a140a0161120f"
    "0a0d080212090a0208010a031201645a150a016212100a0e0803120a0a031201640a0312016e6214"
    "0a0163120f0a0d080612090a0208010a0312016e42040a00100d"
)
_TOP, _ZERO = 127, 128
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
        codes: Shape (dim, n).
        units: Of each vector's codes.
        lost: The length of what each vector has lost.
        offsets: ``_ZERO`` times the sum of each vector's codes.
        scores: Of all rows to the queries of late, by the query's bytes.
    """

    made_of: Int64s
    keys: Int64s
    rows: Int64s
    codes: NDArray[np.int8]
    units: Float32s
    lost: Float32s
    offsets: NDArray[np.int32]
    scores: Latest[bytes, Float32s] = field(default_factory=lambda: Latest(_SCORES_KEPT))


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
        passing = docs.keeps(docs_of(keys))
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
    rounded, unit = _rounded(query)
    wrong = codes.lost * np.float32(np.linalg.norm(rounded * unit))
    if docs is not None:
        passing = docs.keeps(docs_of(keys))
        keys, scores, wrong = keys[passing], scores[passing], wrong[passing]
    if count < len(keys):
        least = np.partition(scores - wrong, len(keys) - count)[len(keys) - count]
        shared = float(np.linalg.norm(query - rounded * unit)) + _ROUNDING
        keys = keys[scores + wrong >= least - 2 * shared]
    return np.sort(keys)


def _rounded(query: Float32s) -> tuple[Float32s, float]:
    """The codes of a query, and their unit."""
    unit = float(np.abs(query).max()) / _TOP or 1.0
    return np.rint(query / unit), unit


def _scores(codes: Codes, query: Float32s) -> Float32s:
    """The scores of all rows in 8 bits, float32 (n,); do not change them."""

    def compute() -> Float32s:
        rounded, unit = _rounded(query)
        inputs = {"a": (rounded + _ZERO).astype(np.uint8)[None], "b": codes.codes}
        products = _session().run(None, inputs)[0][0] - codes.offsets
        scores: Float32s = products * (codes.units * np.float32(unit))
        return scores

    return codes.scores.get(query.tobytes(), compute)


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
        nothing, none = np.empty(0, np.int64), np.empty(0, np.float32)
        empty = np.empty((read(keys[:0]).shape[1], 0), np.int8)
        known = Codes(nothing, nothing, nothing, empty, none, none, np.empty(0, np.int32))
    left, new = np.isin(known.rows, rows), ~np.isin(rows, known.rows)
    units, lost = [known.units[left]], [known.lost[left]]
    codes = np.empty((len(known.codes), np.count_nonzero(left) + np.count_nonzero(new)), np.int8)
    end = len(units[0])
    codes[:, :end] = known.codes[:, left]
    for start in range(0, np.count_nonzero(new), _BATCH):
        vectors = read(keys[new][start : start + _BATCH])
        unit = np.abs(vectors).max(axis=1, initial=0.0) / _TOP
        unit[unit == 0] = 1.0
        rounded = np.rint(vectors / unit[:, None])
        codes[:, end : end + len(vectors)] = rounded.T
        end += len(vectors)
        units.append(unit)
        lost.append(np.linalg.norm(vectors - rounded * unit[:, None], axis=1))
    return Codes(
        made_of=keys,
        keys=np.concatenate([known.keys[left], keys[new]]),
        rows=np.concatenate([known.rows[left], rows[new]]),
        codes=codes,
        units=np.concatenate(units),
        lost=np.concatenate(lost),
        offsets=_ZERO * codes.sum(axis=0, dtype=np.int32),
    )


@cache
def _session() -> Any:
    runtime = load_runtime()
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 3
    return runtime.InferenceSession(_GRAPH, settings, providers=["CPUExecutionProvider"])
