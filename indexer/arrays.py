"""Look-ups in sorted arrays, shared by store and catalog. Pure numpy; must not know the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def find_sorted(
    known: NDArray[Any], wanted: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find values in a sorted array.

    Returns:
        Of the k values of ``wanted``, shape (n,), that exist: their indices in ``known``, and their
        indices in ``wanted``, ascending.
    """
    at = np.searchsorted(known, wanted)
    inside = np.flatnonzero(at < len(known))
    found = inside[known[at[inside]] == wanted[inside]]
    return at[found], found
