"""The vectors fetched last, so that one query need not fetch the same ones twice.

A query scores exactly what its vector index proposes, and moments later asks for the vectors of
all its candidates, most of them the same. Owns that memory; the arrays in it are never changed.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from indexer.store.values import Float32s, Int64s, Mask

_BLOCKS = 6
_BLOCK_ROWS = 2_000


class Recent:
    """A few blocks of vectors by key. Any thread may use it."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[Int64s, Float32s]] = deque(maxlen=_BLOCKS)

    def keep(self, keys: Int64s, vectors: Float32s) -> None:
        """Remember vectors (n, dim) by their keys (n,)."""
        if 0 < len(keys) <= _BLOCK_ROWS:
            order = np.argsort(keys)
            self._blocks.append((keys[order], vectors[order]))

    def fill(self, keys: Int64s, vectors: Float32s) -> Mask:
        """Write what is remembered into the rows of ``vectors``; tell which rows were."""
        filled = np.zeros(len(keys), bool)
        for known, remembered in tuple(self._blocks):
            at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            new = np.flatnonzero((known[at] == keys) & ~filled)
            vectors[new] = remembered[at[new]]
            filled[new] = True
        return filled

    def clear(self) -> None:
        """Forget everything: rows were deleted, and their keys may be used again."""
        self._blocks.clear()
