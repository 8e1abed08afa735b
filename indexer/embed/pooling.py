"""Sums of token states, and normalised vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALLEST_NORM = 1e-12


def segment_sums(states: NDArray[np.float32], bounds: NDArray[np.int64]) -> NDArray[np.float32]:
    """Sum the rows between neighbouring bounds.

    Args:
        states: Token states, shape ``(tokens, dimension)``.
        bounds: Ascending row numbers, shape ``(segments + 1,)``, from 0 to ``tokens`` at most.

    Returns:
        Shape ``(segments, dimension)``; an empty segment sums to 0.
    """
    starts, ends = bounds[:-1], bounds[1:]
    sums = np.zeros((len(starts), states.shape[1]), np.float32)
    full = np.flatnonzero(ends > starts)
    if len(full):
        # reduceat sums up to the next start. Non-empty segments are adjacent, and the rows are cut
        # at the end of the last one.
        np.add.reduceat(states[: ends[full[-1]]], starts[full], axis=0, out=sums[: len(full)])
        if len(full) < len(starts):
            sums[full] = sums[: len(full)].copy()
            sums[np.flatnonzero(ends <= starts)] = 0
    return sums


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale vectors to length 1 along the last axis; a vector of zeros stays as it is."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: NDArray[np.float32] = vectors / np.maximum(norms, _SMALLEST_NORM)
    return scaled
