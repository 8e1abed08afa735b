"""Whether anything in a library answers a query, or the best hits are only the closest there are.

Owns the calibration of both legs and the verdict: pure functions. It must not know where its
numbers come from. A score says how passages compare with each other; whether the best of them is
good needs a measure of how good the best would be *by chance*:

* *Words.* If the words of the query were strewn over the passages independently, each as often as
  it occurs, the best of N passages would hold some share of the query's weight all the same. The
  maximal inequality (Boucheron, Lugosi, Massart, "Concentration Inequalities", 2.5) bounds the
  expectation of that maximum by the smallest (log N + K(t)) / t over t > 0, where K is the
  logarithm of the moment generating function of the share; it needs no independence between
  passages. What counts is the best passage's share over that bound: 1 is chance at its best, and
  queries of any length and libraries of any size can be compared.
* *Meaning.* Cosines mean something else with every model and every library. So questions on
  everyday subjects are asked of the library when it was indexed, and what the best passage reaches
  for them is its background (``indexer.background``); a query's best passage is measured in
  deviations from it, as speaker recognition normalises scores by a cohort of impostors.
* *Names.* Words that the query writes as names or numbers and that the leading document does not
  have, as a share of the query's weight: the clause asked for stands in every contract, but only
  one is with Acme.

* *Length.* A long query is nearer to the best of many passages than a short one, whatever it asks
  for; each doubling of its words counts against it. Without that, three in ten short questions that
  the sample documents answer were told that nothing does.

The signs are weighed against each other, so that one can make up for another; the threshold keeps
95 % of questions that have an answer. `make bench-ranking` fits both, on all sets for what is
written here and without the set for what it reports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.asked import rarity
from indexer.fusion import BM25_CEILING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Where the bound is looked for; it is flat around its minimum.
_TILTS = np.geomspace(1.0, 200.0, 60)
# Words that stand nowhere give chance nothing at all.
_LEAST_CHANCE = 0.01
# What a passage of usual length reaches that holds each word of a query once: a single word has
# no chance to stand out otherwise.
EACH_ONCE = 1 / BM25_CEILING
# Beyond this a sign says no more, and must not outweigh the others.
MOST_DEVIATIONS, MOST_TIMES, MOST_WORDS = 6.0, 2.0, 24


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer.

    Attributes:
        meaning: Of the best hit, in deviations from the library's background.
        words: The best share of the query's weight in one passage, over what chance gives.
        missing: The share of the query's weight that is in names the leading document lacks.
        share: The best share of the query's weight in one passage.
        length: How many words the query has.
    """

    meaning: float
    words: float
    missing: float
    share: float
    length: int

    def bounded(self) -> tuple[float, float, float, float]:
        """The four signs that are weighed, none beyond what it may say; the last in doublings."""
        deviations = min(max(self.meaning, -MOST_DEVIATIONS), MOST_DEVIATIONS)
        doublings = math.log2(min(max(self.length, 1), MOST_WORDS))
        return deviations, min(self.words, MOST_TIMES), self.missing, doublings


@dataclass(frozen=True, slots=True)
class Judge:
    """How many deviations of meaning each sign is worth; an answer has at least ``threshold``."""

    words: float
    missing: float
    length: float
    threshold: float

    def score(self, signs: Signs) -> float:
        """How far above the threshold the signs lie."""
        meaning, words, missing, doublings = signs.bounded()
        weighed = self.words * words + self.missing * missing + self.length * doublings
        return meaning + weighed - self.threshold

    def is_good(self, signs: Signs) -> bool:
        """Whether the best hits are likely an answer."""
        return signs.share >= EACH_ONCE or self.score(signs) >= 0.0


DEFAULT_JUDGE = Judge(words=2.0, missing=-8.0, length=-1.0, threshold=-1.46)


def chance(counts: Sequence[float], passages: int) -> float:
    """The share of a query's weight that the best passage holds by chance at most, 0 to 1.

    Args:
        counts: How often each word of the query occurs.
        passages: How many passages there are.
    """
    weights = np.array([rarity(count, passages) for count in counts])
    if passages < 1 or weights.sum() <= 0.0:
        return 1.0
    often = np.minimum(np.array(counts) / passages, 1.0)
    grown = np.expm1(_TILTS[:, None] * weights / weights.sum())
    logarithms = np.log1p(often * grown).sum(axis=1)
    bound = float(((logarithms + np.log(passages)) / _TILTS).min())
    return min(1.0, max(bound, _LEAST_CHANCE))


def missing(
    counts: Sequence[float], passages: int, named: Sequence[bool], there: Sequence[bool]
) -> float:
    """The share of a query's weight in names that are not there, 0 to 1.

    Args:
        counts: How often each word of the query occurs.
        passages: How many passages there are.
        named: Which words are written as names.
        there: Which words the leading document has.
    """
    weights: NDArray[np.float64] = np.array([rarity(count, passages) for count in counts])
    if weights.sum() <= 0.0:
        return 0.0
    lacking = np.array(named, bool) & ~np.array(there, bool)
    return float(weights[lacking].sum() / weights.sum())
