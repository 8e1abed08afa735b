"""Whether anything in a library answers a query, or the best hits are only the closest there are.

Owns the signs that speak for an answer and the verdict: pure functions. It must not know where its
numbers come from (``indexer.signs`` gathers them). A score says how passages compare with each
other; whether the best of them is good is told by:

* *Meaning.* Cosines mean something else with every model and every library. So questions on
  everyday subjects are asked of the library when it was indexed, and what the best passage reaches
  for them is its background (``indexer.background``); a query's best passage is measured in
  deviations from it, as speaker recognition normalises scores by a cohort of impostors
  (Auckenthaler et al., "Score normalization for text-independent speaker verification", 2000).
* *The page.* How much of the query the leading passage holds, word by word, each counting by the
  square of its rarity: the rarest words say what is asked.
* *The unheard of.* Words that stand nowhere in the library.
* *Names.* The clause asked for stands in every contract, but only one is with Acme: the share of
  the query's names that no leading document is called by or speaks of in its leading passages.
* *Years.* Three yearly reports of one company differ in little else.

The signs are weighed against each other, so that one can make up for another; the threshold keeps
95 % of questions that have an answer. `make bench-ranking` fits both, on all sets for what is
written here and without the set for what it reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.named_things import Named, Standing

# Beyond this the meaning says no more, and must not outweigh a name that is missing.
LEAST_DEVIATIONS, MOST_DEVIATIONS = -6.0, 4.0
# A document of another year speaks of the year asked for: reports compare years and look ahead.
OTHER_YEAR = 0.4
# What nothing tells the year of may be of any.
NO_YEAR = 0.5


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer and against it; all but the meaning from 0 to 1.

    Attributes:
        meaning: Of the best hit, in deviations from the library's background.
        page: The share of the query that its passage holds.
        unheard: The share of the query in words that stand nowhere.
        names: How much of what the query names is missing.
        year: How much the year that the query names is missing.
    """

    meaning: float
    page: float
    unheard: float
    names: float
    year: float


@dataclass(frozen=True, slots=True)
class Judge:
    """How many deviations of meaning each sign is worth; an answer has at least ``threshold``."""

    page: float
    unheard: float
    names: float
    year: float
    threshold: float

    def score(self, signs: Signs) -> float:
        """How far above the threshold the signs lie."""
        meaning = min(max(signs.meaning, LEAST_DEVIATIONS), MOST_DEVIATIONS)
        found = self.page * signs.page + self.unheard * signs.unheard
        return meaning + found + self.names * signs.names + self.year * signs.year - self.threshold

    def is_good(self, signs: Signs) -> bool:
        """Whether the best hits are likely an answer."""
        return self.score(signs) >= 0.0


DEFAULT_JUDGE = Judge(page=5.0, unheard=-4.0, names=-3.0, year=-6.0, threshold=2.29)


def share_of(rarities: Sequence[float], there: Sequence[bool], power: int = 1) -> float:
    """The share that some words have in the weight of all, 0 to 1; 0 without any weight.

    Args:
        rarities: What each word weighs.
        there: Which words count.
        power: To which a weight is raised.
    """
    weights = np.array(rarities, float) ** power
    total = float(weights.sum())
    return float(weights[np.array(there, bool)].sum()) / total if total > 0.0 else 0.0


def missing_names(
    named: Named, rarities: Mapping[str, float], most: float, standings: Sequence[Standing]
) -> float:
    """How much of a query's names no leading document has, 0 to 1.

    Words count by their rarity, and the whole by that of the rarest: nobody misses "Ltd". All are
    to be found in one document; a contract has two parties.

    Args:
        named: What the query names.
        rarities: Of its words.
        most: The rarity of a word that stands nowhere, which those not listed have.
        standings: The leading documents.
    """
    found = [(word, name) for name in named.names for word in name]
    weights = [rarities.get(word, most) for word, _ in found]
    if most <= 0.0 or not found:
        return 0.0
    shares = [
        share_of(weights, [standing.has(word, name) for word, name in found])
        for standing in standings
    ]
    return min(max(weights) / most, 1.0) * (1.0 - max(shares, default=0.0))


def missing_year(named: Named, standings: Sequence[Standing]) -> float:
    """How much the last year that a query names is missing in all leading documents, 0 to 1.

    The last, since a report of 2019 answers for 2018 as well. A document without a year in its name
    and title may be of any year that it speaks of.
    """
    if not named.years:
        return 0.0
    asked = max(named.years)
    return min((_without(asked, standing) for standing in standings), default=1.0)


def _without(year: str, standing: Standing) -> float:
    if year in standing.years:
        return 0.0
    if year in standing.years_said:
        return OTHER_YEAR if standing.years else 0.0
    return 1.0 if standing.years else NO_YEAR
