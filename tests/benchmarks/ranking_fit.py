"""Fits the weights of the fusion on some sets for another.

It searches one weight after the other over a few values each, since the optimum is flat. It starts
from plain values with every part on. A value is replaced only by one that is certainly better: the
chance preference of a few hundred questions of two sets is no reason to drop a part that a third
set may need. Its functions are pure; it must not know engines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from indexer.search.fusion import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

# The plain values from which the search starts, and the values that it tries.
NEUTRAL = Weights(
    sentence=0.5, question=0.5, words=1.0, near=0.3, around=0.1, heading=0.1, short=0.03,
    figures=0.1, name_meaning=0.3, name_words=0.3, opening=0.2, document_words=1.0,
    year=0.1,
)  # fmt: skip
TRIED: Mapping[str, Sequence[float]] = {
    "words": (0.0, 0.5, 1.0, 1.5, 2.0, 3.0),
    "document_words": (0.0, 1.0, 2.0, 3.0),
    "name_words": (0.0, 0.3, 0.5, 0.8),
    "name_meaning": (0.0, 0.3, 0.5),
    "opening": (0.0, 0.2, 0.4),
    "near": (0.0, 0.3, 0.5, 0.7),
    "around": (0.0, 0.1, 0.15, 0.2),
    "heading": (0.0, 0.1, 0.15, 0.2),
    "short": (0.0, 0.03, 0.05, 0.1),
    "figures": (0.0, 0.1, 0.15, 0.2),
    "year": (0.0, 0.1, 0.2, 0.3),
    "question": (0.3, 0.5, 0.7),
    "sentence": (0.3, 0.5, 0.6, 0.7),
}
ROUNDS = 2
# A difference of this many standard errors, question by question, counts as certain.
DOUBT = 2.0


def fit_weights(measure: Callable[[Weights], Sequence[Doubles]]) -> Weights:
    """The weights with the highest measure, found one weight after the other.

    Args:
        measure: Returns for weights the measures of each question, by set; sets weigh the same.
    """
    best, reached = NEUTRAL, measure(NEUTRAL)
    for _ in range(ROUNDS):
        for name, values in TRIED.items():
            others = [replace(best, **{name: value}) for value in values]
            found = [(other, measure(other)) for other in others if other != best]
            gains = [_gain(measured, reached) for _, measured in found]
            if max(gains) > 0.0:
                best, reached = found[gains.index(max(gains))]
    return best


def _gain(found: Sequence[Doubles], base: Sequence[Doubles]) -> float:
    """By how much a measure is better on average, or 0 if that may be chance."""
    differences = [there - here for there, here in zip(found, base, strict=True)]
    gain = float(np.mean([each.mean() for each in differences]))
    error = float(np.sqrt(sum(each.var() / len(each) for each in differences))) / len(differences)
    return gain if gain > DOUBT * error else 0.0
