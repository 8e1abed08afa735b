"""The types of arrays, look-ups in sorted ones, unions and maxima of runs. Pure numpy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Float32s = NDArray[np.float32]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


def united(arrays: Iterable[Int32s]) -> Int32s:
    """The numbers of some arrays, ascending, each once.

    They are flagged in memory of one byte for each number up to the largest, which takes a 25th of
    the time of ``np.unique`` where most of them occur.
    """
    filled = [numbers for numbers in arrays if len(numbers)]
    flags = np.zeros(1 + max((int(numbers.max()) for numbers in filled), default=-1), np.bool_)
    for numbers in filled:
        flags[numbers] = True
    return np.flatnonzero(flags).astype(np.int32)


def find_sorted(known: NDArray[Any], wanted: NDArray[Any]) -> tuple[Indices, Indices]:
    """Find values in a sorted array.

    Returns the indices in ``known`` of the k values of ``wanted``, shape (n,), that exist, and
    their indices in ``wanted``, ascending.
    """
    at = np.searchsorted(known, wanted)
    inside = np.flatnonzero(at < len(known))
    found = inside[known[at[inside]] == wanted[inside]]
    return at[found], found


def segment_max(values: Float32s, offsets: Int64s) -> tuple[Float32s, Indices]:
    """The maximum of each run of values, and where it is inside the run.

    Args:
        values: Shape (total,).
        offsets: Shape (n + 1,): run i is ``values[offsets[i]:offsets[i + 1]]``; a run may be
            empty, its maximum is then -1, the least a cosine can be.
    """
    count = len(offsets) - 1
    best = np.full(count, -1.0, np.float32)
    place = np.zeros(count, np.intp)
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled):
        starts = offsets[:-1][filled]
        best[filled] = np.maximum.reduceat(values, starts)
        # The first index at which a run reaches its maximum.
        run = np.repeat(np.arange(count), np.diff(offsets))
        at = np.flatnonzero(values == best[run])
        first, index = np.unique(run[at], return_index=True)
        place[first] = at[index] - offsets[:-1][first]
    return best, place
