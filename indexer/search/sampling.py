"""A sample of passages that represents a library, and when it is drawn again.

Owns the choice of samples for what is measured once and kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.store.values import key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

# Measured again when the library has grown or shrunk by this factor.
REMEASURE = 1.5


def spread_out(documents: Mapping[int, int], count: int) -> NDArray[np.int64]:
    """Choose passages at even distances over a library: their keys, ascending.

    Args:
        documents: How many passages each document has.
        count: The most passages to choose.
    """
    docs = np.array(sorted(documents), np.int64)
    counts = np.array([documents[doc] for doc in docs.tolist()], np.int64)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    places = np.unique(((np.arange(count) + 0.5) * total / count).astype(np.int64))
    at = np.searchsorted(ends, places[places < total], side="right")
    ordinals = places[: len(at)] - (ends - counts)[at]
    pairs = zip(docs[at].tolist(), ordinals.tolist(), strict=True)
    return np.array([key_of(doc, ordinal) for doc, ordinal in pairs], np.int64)


def is_similar(before: int, now: int) -> bool:
    """Whether a library with so many passages need not be measured again."""
    return now <= REMEASURE * before and before <= REMEASURE * now
