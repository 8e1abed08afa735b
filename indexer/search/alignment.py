"""The similarity matrix between the parts (tokens or sentences) of two texts.

A text's vector is the mean of its tokens' states, scaled to length 1, so the cosine of two texts
is a sum over all pairs of their tokens:

    cos(a, b) = sum over i, j of  a_i . b_j / (|sum a| |sum b|)

and the share of each pair is known exactly. It equals ``weight_ij * cos(a_i, b_j)``, as in RCMD
(Lee et al. 2022), but the weights follow from the mean instead of a transport problem. The best
partner of each part, and the mean of their cosines (``recall``), are the greedy matching of
BERTScore (Zhang et al. 2020). The decomposition is valid for mean pooling, weighted or not, but not
for a vector taken from one token.

The same matrix between the sentence vectors of two documents measures how much of one the other
contains; ``nearest`` computes it in blocks, as the whole would not fit in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from indexer.embed.batches import unit_vectors

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int64s


# The rows of the matrix between two documents held at a time: 512 of 20,000 take 40 MB.
BLOCK = 512


class Alignment(Struct, frozen=True):
    """Two texts of m and n parts, compared part by part; both arrays are float32 (m, n).

    Attributes:
        cosines: The cosine of each pair of parts.
        shares: The contribution of each pair to the cosine of the two texts, which is their sum.
    """

    cosines: Float32s
    shares: Float32s

    @property
    def total(self) -> float:
        """The cosine of the two texts."""
        return float(self.shares.sum(dtype=np.float64))

    @property
    def rows(self) -> Float32s:
        """The contribution of each part of the first text, (m,)."""
        rows: Float32s = self.shares.sum(axis=1)
        return rows

    @property
    def columns(self) -> Float32s:
        """The contribution of each part of the second text, (n,)."""
        columns: Float32s = self.shares.sum(axis=0)
        return columns

    @property
    def recall(self) -> float:
        """How well the second text covers the first: the mean of each part's best cosine."""
        return float(self.cosines.max(axis=1).mean()) if self.cosines.size else 0.0


def align(first: Float32s, second: Float32s) -> Alignment:
    """Compare two texts by the states of their tokens.

    Args:
        first: Shape (m, d), not normalised.
        second: Shape (n, d).
    """
    scale = np.linalg.norm(first.sum(axis=0, dtype=np.float64)) * np.linalg.norm(
        second.sum(axis=0, dtype=np.float64)
    )
    products = first @ second.T
    shares = products / np.float32(scale) if scale > 0 else np.zeros_like(products)
    return Alignment(unit_vectors(first) @ unit_vectors(second).T, shares)


def nearest(
    first: Float32s, second: Float32s, count: int, near: tuple[Int64s, Int64s] | None = None
) -> tuple[Int64s, Float32s]:
    """The parts of one text that are most similar to each part of another.

    Args:
        first: Unit vectors, shape (m, d).
        second: Unit vectors, shape (n, d).
        count: The number of most similar parts to find for each part.
        near: If a text is compared with itself, the positions of the parts of both, (m,) and (n,).
            Parts whose positions differ by at most 1 are excluded.

    Returns:
        Their indices in ``second``, int64, and their cosines, float32, best first. Both have the
        shape (m, k), with k the smaller of ``count`` and n; excluded pairs have -1.
    """
    kept = min(count, len(second))
    places = np.zeros((len(first), kept), np.int64)
    cosines = np.zeros((len(first), kept), np.float32)
    if not kept:
        return places, cosines
    for low in range(0, len(first), BLOCK):
        high = min(low + BLOCK, len(first))
        matrix = first[low:high] @ second.T
        if near is not None:
            matrix[np.abs(near[0][low:high, None] - near[1][None]) <= 1] = -1.0
        best = np.argpartition(-matrix, kept - 1, axis=1)[:, :kept]
        found = np.take_along_axis(matrix, best, axis=1)
        order = np.argsort(-found, axis=1, kind="stable")
        places[low:high] = np.take_along_axis(best, order, axis=1)
        cosines[low:high] = np.take_along_axis(found, order, axis=1)
    return places, cosines
