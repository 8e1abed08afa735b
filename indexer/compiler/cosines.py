"""The distribution of a model's cosines, which ranking is fitted to (``ModelRecord``).

Owns the sample, and its figures for MiniLM. Pure; it must not know sessions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from indexer.embed.compiling import CosineScale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_END = re.compile(r"(?<=[.?!])\s+")
_SHORTEST = 25, 80  # characters of a sentence, and of a passage
# Of ``lectern-minilm-late`` on the sample: the mean cosine of a sentence with passages of other
# texts, that with its own passage, and that of two passages.
APART, OWN, BETWEEN = 0.061, 0.597, 0.084
_LEAST_SPREAD = 0.05  # of random weights, which tell nothing apart


def sample(texts: Sequence[str]) -> list[tuple[str, str]]:
    """A sentence from the middle of each text, and the text."""
    pairs = []
    for text in texts:
        sentences = [part for part in _END.split(text) if len(part) > _SHORTEST[0]]
        if sentences and len(text) > _SHORTEST[1]:
            pairs.append((sentences[len(sentences) // 2], text))
    return pairs


def scale_of(sentences: Vectors, passages: Vectors) -> CosineScale:
    """The scale that maps cosines of a model to those of MiniLM.

    Args:
        sentences: Vectors of the sample's sentences as queries, ``(n, dimension)``, of length 1.
        passages: Those of its passages.
    """
    apart = ~np.eye(len(passages), dtype=bool)
    cosines, own = sentences @ passages.T, (sentences * passages).sum(axis=1)
    spread = float(own.mean() - cosines[apart].mean()) / (OWN - APART)
    spread = max(spread, _LEAST_SPREAD)
    centre = float(cosines[apart].mean()) - spread * APART
    between = float((passages @ passages.T)[apart].mean()) - spread * BETWEEN
    return CosineScale(round(centre, 3), round(spread, 3), round(between, 3))
