"""Sentence vectors as signed bytes, a quarter of float32 and half of float16.

Each vector is scaled so that its largest component becomes 127. The scale is not kept: the
vectors are L2-normalised, so dividing the bytes by their own norm restores it. The cosine with
the original is above 0.9999 for vectors of sentence encoders. Pure functions of arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from indexer.store.values import Float32s

_TOP = 127.0

Int8s = NDArray[np.int8]


def to_bytes(vectors: Float32s) -> Int8s:
    """Quantise L2-normalised vectors, float32 (n, dim), to int8 (n, dim)."""
    top = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scale = np.divide(_TOP, top, out=np.zeros_like(top), where=top > 0)
    quantised: Int8s = np.rint(vectors * scale).astype(np.int8)
    return quantised


def from_bytes(quantised: Int8s) -> Float32s:
    """Restore unit vectors, float32 (n, dim), from int8 (n, dim); all zeros stay zeros."""
    vectors: Float32s = quantised.astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    norms[norms == 0] = 1.0
    vectors *= (1.0 / norms)[:, None]
    return vectors
