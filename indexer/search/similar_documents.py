"""How similar documents are as a whole: passage by passage, not by one mean vector.

Owns the re-ranking of documents whose passages are near the mean of another document. It must not
know how they were found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.store import key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indexer.store import Store

    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]

# Passages of a document that are compared, evenly spread.
SAMPLE = 300
# Of a document that resembles another as a whole, so many passages are shown.
PASSAGES_A_DOCUMENT = 2


def rank_documents(
    store: Store, space: str, source: Keys, passages: Mapping[int, int]
) -> tuple[Keys, Floats]:
    """Order documents by their similarity to a source, each with the passages that show it.

    The similarity is the mean of the best cosines, of the source's passages in the document and of
    the document's in the source: a book that holds all of a leaflet is half similar to it.

    Args:
        store: Holds the vectors.
        space: The embedding space.
        source: The passages of the source.
        passages: For each document, how many it has.

    Returns:
        Keys of passages, and the similarity of their documents, the most similar document first.
    """
    mine = store.vectors_of(space, _spread(source))
    ranked: list[tuple[float, int, list[int]]] = []
    for doc, count in passages.items():
        theirs = _spread(np.array([key_of(doc, ordinal) for ordinal in range(count)], np.int64))
        matrix = store.vectors_of(space, theirs) @ mine.T
        if matrix.size:
            best = matrix.max(axis=1)
            score = float(best.mean() + matrix.max(axis=0).mean()) / 2
            showing = np.argsort(-best, kind="stable")[:PASSAGES_A_DOCUMENT]
            ranked.append((score, doc, theirs[showing].tolist()))
    ranked.sort(key=lambda one: (-one[0], one[1]))
    keys = [key for _, _, shown in ranked for key in shown]
    scores = [score for score, _, shown in ranked for _ in shown]
    return np.array(keys, np.int64), np.array(scores, np.float32)


def _spread(keys: Keys) -> Keys:
    """At most ``SAMPLE`` of the keys, from the first to the last."""
    if len(keys) <= SAMPLE:
        return keys
    return keys[np.linspace(0, len(keys) - 1, SAMPLE).astype(np.intp)]
