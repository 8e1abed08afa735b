"""Fixed-dimensional encodings of sets of vectors: MUVERA (Dhulipala et al., 2024).

The dot product of two encodings approximates the Chamfer similarity of the sets, which is MaxSim:
vectors are split by the signs of random directions (SimHash), a query sums those of each part and a
passage averages them, and each part is projected at random. Lectern does not use it: see
``docs/benchmarks/vectors.md`` and ``tests.benchmarks.late_interaction``. Pure functions of arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoding:
    """The random directions of an encoding of ``repetitions * 2**bits * projected`` dimensions.

    Attributes:
        directions: Shape (repetitions, dim, bits), which split the vectors.
        projections: Shape (repetitions, dim, projected), by which each part is shortened.
    """

    directions: Floats
    projections: Floats

    @classmethod
    def drawn(
        cls, dimension: int, repetitions: int, bits: int, projected: int = 0, seed: int = 1
    ) -> Encoding:
        """Draw one; parts are not shortened if ``projected`` is 0."""
        random = np.random.default_rng(seed)
        directions = random.standard_normal((repetitions, dimension, bits), np.float32)
        if not projected:
            whole = np.eye(dimension, dtype=np.float32)
            every = np.repeat(whole[None], repetitions, axis=0)
            return cls(directions, every)
        signs = random.integers(0, 2, (repetitions, dimension, projected)) * 2 - 1
        return cls(directions, (signs / np.sqrt(projected)).astype(np.float32))

    def query(self, vectors: Floats) -> Floats:
        """The encoding of a query's vectors, (n, dim)."""
        return self._encoded(vectors, summed=True)

    def passage(self, vectors: Floats) -> Floats:
        """The encoding of a passage's vectors, (n, dim), n at least 1."""
        return self._encoded(vectors, summed=False)

    def _encoded(self, vectors: Floats, *, summed: bool) -> Floats:
        blocks = []
        for directions, projection in zip(self.directions, self.projections, strict=True):
            signs = vectors @ directions > 0
            parts = 1 << signs.shape[1]
            numbers = signs @ (1 << np.arange(signs.shape[1]))
            sums = np.zeros((parts, vectors.shape[1]), np.float32)
            np.add.at(sums, numbers, vectors)
            if not summed:
                counts = np.bincount(numbers, minlength=parts)
                sums /= np.maximum(counts, 1)[:, None]
                # An empty part gets the vector whose signs are the nearest.
                empty = np.flatnonzero(counts == 0)
                apart = np.bitwise_count(empty[:, None] ^ numbers)
                sums[empty] = vectors[apart.argmin(axis=1)]
            blocks.append((sums @ projection).ravel())
        scale = len(blocks) ** -0.5  # of each side, so that the product is the mean
        return np.concatenate(blocks) * np.float32(scale)


def chamfer(query: Floats, passage: Floats) -> float:
    """The sum, over the vectors of a query, of the largest dot product."""
    return float((query @ passage.T).max(axis=1).sum())
