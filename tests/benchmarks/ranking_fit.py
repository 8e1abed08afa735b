"""Fitting of the weights of the fusion, on some sets for another.

Owns the search for weights: one at a time over a few values each, since the optimum is flat. Pure
but for the weights it starts from; it must not know engines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.fusion import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Plain values to start from, and those that are tried.
NEUTRAL = Weights(
    sentence=0.5, question=0.5, words=1.0, around=0.0, heading=0.0, short=0.0, figures=0.0,
    name_meaning=0.3, name_words=0.3, document_words=1.0, year=0.0,
)  # fmt: skip
TRIED: Mapping[str, Sequence[float]] = {
    "words": (0.0, 0.5, 1.0, 1.5, 2.0, 3.0),
    "document_words": (0.0, 1.0, 2.0, 3.0),
    "name_words": (0.0, 0.3, 0.5, 0.8),
    "name_meaning": (0.0, 0.3, 0.5),
    "around": (0.0, 0.1, 0.15, 0.2),
    "heading": (0.0, 0.1, 0.15, 0.2),
    "short": (0.0, 0.03, 0.05, 0.1),
    "figures": (0.0, 0.1, 0.15, 0.2),
    "year": (0.0, 0.1, 0.2, 0.3),
    "question": (0.3, 0.5, 0.7),
    "sentence": (0.3, 0.5, 0.7),
}
ROUNDS = 2


def fit_weights(measure: Callable[[Weights], float]) -> Weights:
    """The weights for which a measure is highest, one weight after the other."""
    best, reached = NEUTRAL, measure(NEUTRAL)
    for _ in range(ROUNDS):
        for name, values in TRIED.items():
            for value in values:
                tried = replace(best, **{name: value})
                if tried != best and (found := measure(tried)) > reached:
                    best, reached = tried, found
    return best
