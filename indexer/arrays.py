"""Look-ups in sorted arrays, for stores and catalogs alike. Pure numpy; must not know what of."""

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
        The k of ``wanted``, shape (n,), that are there: their places in ``known``, and their places
        in ``wanted``, ascending.
    """
    at = np.searchsorted(known, wanted)
    inside = np.flatnonzero(at < len(known))
    found = inside[known[at[inside]] == wanted[inside]]
    return at[found], found
