"""Fitting of what is fitted: the weights of the fusion and the judge, on some sets for another.

Owns the search for weights (one at a time over a few values each, since the optimum is flat) and
the judge's. Pure but for the weights it starts from; it must not know engines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from indexer.fusion import Weights
from indexer.judgement import EACH_ONCE, Judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from indexer.judgement import Signs

# Plain values to start from, and those that are tried.
NEUTRAL = Weights(
    sentence=0.5, question=0.5, words=1.0, around=0.0, heading=0.0, short=0.0, figures=0.0,
    name_meaning=0.3, name_words=0.3, document_words=1.0,
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
    "question": (0.3, 0.5, 0.7),
    "sentence": (0.3, 0.5, 0.7),
}
ROUNDS = 2
# Of questions with an answer, so many at least are to be told so.
KEPT = 0.95
# What a judge's signs are tried with, in deviations of meaning.
WORDS = (1.0, 2.0, 3.0, 4.0)
MISSING = (-2.0, -4.0, -8.0, -12.0)
LENGTH = (0.0, -0.5, -1.0, -1.5)


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


@dataclass(frozen=True, slots=True)
class Judged:
    """The signs of one set's questions and of others, by what they are."""

    answered: Sequence[Signs]
    unanswered: Mapping[str, Sequence[Signs]]  # by kind; each kind counts alike


def fit_judge(sets: Sequence[Judged]) -> Judge:
    """The judge that turns most unanswered questions down, every set and kind counting alike.

    Its threshold keeps ``KEPT`` of the answered questions of each set.
    """
    best, reached = None, -1.0
    for words, missing, length in product(WORDS, MISSING, LENGTH):
        judge = Judge(words, missing, length, threshold=0.0)
        lowest = min(_quantile(judge, one.answered) for one in sets)
        judge = replace(judge, threshold=round(lowest, 2))
        found = float(
            np.mean(
                [
                    np.mean([share_bad(judge, signs) for signs in one.unanswered.values()])
                    for one in sets
                ]
            )
        )
        if found > reached:
            best, reached = judge, found
    assert best is not None
    return best


def share_bad(judge: Judge, signs: Sequence[Signs]) -> float:
    """The share of questions whose hits a judge calls no good match."""
    return float(np.mean([not judge.is_good(each) for each in signs]))


def _quantile(judge: Judge, answered: Sequence[Signs]) -> float:
    scores = [np.inf if one.share >= EACH_ONCE else judge.score(one) for one in answered]
    found = float(np.quantile(np.array(scores), 1 - KEPT, method="lower"))
    return found if np.isfinite(found) else 0.0
