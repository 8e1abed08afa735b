"""What to do when the model fails on some passages: find the ones it fails on, go on without them.

Owns the reading of passages one at a time, and the vector of a passage that has none of its own.
One passage must not keep the rest of a library from being understood; a model that fails on
everything is broken, and that is for the caller to say.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from indexer.embed.base import PassageVectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.embed.base import EmbedInput
    from indexer.pipeline.embedding import BatchEncoder

log = logging.getLogger(__name__)

# After so many in a row it is the model that fails, not the passages.
GIVE_UP = 8


def one_by_one(
    embedder: BatchEncoder, inputs: Sequence[tuple[int, EmbedInput]]
) -> Iterator[tuple[int, PassageVectors]]:
    """Read passages one at a time, without their neighbours.

    Args:
        embedder: Failed on them together.
        inputs: The passages with their numbers.

    Yields:
        The number and the vectors of each. A passage that the model fails on gets a vector that
        is like nothing in particular: it is found by its words.

    Raises:
        Exception: The model's, if it fails on the first passages or on all of them.
    """
    failed: list[tuple[int, EmbedInput]] = []
    dimension = 0
    for number, one in inputs:
        try:
            batches = list(embedder.encode_batches([one], runs=[1]))
        except Exception:
            failed.append((number, one))
            if not dimension and len(failed) in {GIVE_UP, len(inputs)}:
                raise
            log.warning("the model fails on a passage of %d characters", len(one.view))
            continue
        for batch in batches:
            for _, vectors in batch:
                dimension = len(vectors.vector)
                yield number, vectors
    for number, one in failed:
        yield number, _neutral(dimension, len(one.view_starts))


def _neutral(dimension: int, sentences: int) -> PassageVectors:
    """Vectors of length 1 that lean towards no text more than towards another."""
    vector = np.full(dimension, dimension**-0.5, np.float32)
    return PassageVectors(vector, np.tile(vector, (sentences, 1)), 0)
