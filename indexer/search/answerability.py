"""Whether anything in a library answers a query, or the best hits are only the closest there are.

Owns the signs that speak for an answer and the verdict: pure functions. It must not know where its
numbers come from (``indexer.search.answerability_features`` gathers them). A score says how
passages compare with each other; whether the best of them is good is told by:

* *Meaning.* Cosines mean something else with every model and every library. So questions on
  everyday subjects are asked of the library when it was indexed, and what the best passage reaches
  for them is its background (``indexer.search.score_normalisation``); a query's best passage is
  measured in deviations from it, as speaker recognition normalises scores by a cohort of impostors
  (Auckenthaler et al., "Score normalization for text-independent speaker verification", 2000).
* *The page.* How much of the query the leading passage holds, word by word, each counting by the
  square of its rarity: the rarest words say what is asked.
* *The unheard of.* Words that stand nowhere in the library. One of two ("landlord obligations")
  may only be another word for what is there, so a short query is taken for one of some length.
* *Names.* The clause asked for stands in every contract, but only one is with Acme: the share of
  the query's names that the document of the first hit is not called by, nor speaks of in its
  leading passages. It counts by how alike the library's documents are: where a passage is as near
  to another document as an answer is to its question, names alone tell which one is meant; where
  no two are alike the subject tells it too: of the only speech there is somebody may ask by a name
  that does not stand in it.
* *Years.* Three yearly reports of one company differ in little else.

The signs are weighed against each other, so that one can make up for another, but among documents
that are alike no likeness for all that is named; the threshold keeps 95 % of questions that have an
answer, or more. It lies in the deviations of each library by each model, and so does what a name is
worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.search.named_things import Named, Standing

# Beyond this the meaning says no more, and must not outweigh a name that is missing.
LEAST_DEVIATIONS, MOST_DEVIATIONS = -6.0, 4.0
# A document of another year speaks of the year asked for: reports compare years and look ahead.
OTHER_YEAR = 0.4
# So many words that stand nowhere weigh as much as a query does at least.
FEW = 4
# What nothing tells the year of may be of any.
NO_YEAR = 0.5
# What a missing name counts for where no two documents are alike.
APART = 0.3


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer and against it; all but the meaning from 0 to 1.

    Attributes:
        meaning: Of the best hit, in deviations from the library's background.
        page: The share of the query that its passage holds.
        unheard: The share of the query in words that stand nowhere.
        names: How much of what the query names is missing, as far as names tell documents apart.
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


DEFAULT_JUDGE = Judge(page=4.0, unheard=-6.0, names=-4.0, year=-8.0, threshold=2.1)


def share_of(
    rarities: Sequence[float], there: Sequence[bool], power: int = 1, least: float = 0.0
) -> float:
    """The share that some words have in the weight of all, 0 to 1; 0 without any weight.

    Args:
        rarities: What each word weighs.
        there: Which words count.
        power: To which a weight is raised.
        least: What the weight of all is taken for where it is less.
    """
    weights = np.array(rarities, float) ** power
    total = max(float(weights.sum()), least)
    found = float(weights[np.array(there, bool)].sum())
    # Summed in another order the same weights may come to a little more.
    return min(found / total, 1.0) if total > 0.0 else 0.0


def telling(alike: float) -> float:
    """How much a name that is missing counts, ``APART`` to 1.

    It counts whole where a passage lies as far above the background in another document as meaning
    counts at all.

    Args:
        alike: How far a library's documents are, in deviations from its background.
    """
    return APART + (1.0 - APART) * min(max(alike, 0.0), MOST_DEVIATIONS) / MOST_DEVIATIONS


def missing(
    named: Named, rarities: Mapping[str, float], most: float, standings: Sequence[Standing]
) -> tuple[float, float]:
    """How much of a query's names and of its year is missing, each 0 to 1.

    Of several documents that say the same it is what that one misses that misses least: a name here
    and the year there make no report of that company for that year, and a contract has two parties.

    Args:
        named: What the query names.
        rarities: Of its words.
        most: The rarity of a word that stands nowhere, which those not listed have.
        standings: The documents of the first hit, at least one.
    """
    found = [(word, name) for name in named.names for word in name]
    weights = [rarities.get(word, most) for word, _ in found]
    # Nobody misses "Ltd": the whole counts by the rarity of the rarest.
    weight = min(max(weights) / most, 1.0) if found and most > 0.0 else 0.0
    pairs = [
        (
            weight * (1.0 - share_of(weights, [one.has(word, name) for word, name in found])),
            _missing_year(named, one),
        )
        for one in standings
    ]
    return min(pairs, key=sum)


def _missing_year(named: Named, standing: Standing) -> float:
    """How much the last year that a query names is missing in a document.

    The last, since a report of 2019 answers for 2018 as well. A document without a year in its name
    and title may be of any year that it speaks of.
    """
    if not named.year or named.year in standing.years:
        return 0.0
    if named.year in standing.years_said:
        return OTHER_YEAR if standing.years else 0.0
    return 1.0 if standing.years else NO_YEAR
