"""The arithmetic of the re-ranking pass: what the features of leading passages add to their scores.

Owns the thresholds of these features, and that copies score alike; pure functions of arrays.
``indexer.search.fusion`` says what each feature is for.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.search.fusion import WORDS_POWER, Scored, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# Passages of at least ``NOT_SHORT`` characters get no penalty; it stops growing below the second.
NOT_SHORT = 1000
SHORTEST = 50
# Text with this share of digits is a table; a larger share scores the same.
TABLE_DIGITS = 0.2
# The share of tables among the leading passages from which a question asks for figures, and the
# same for one with a figure in it, which alone says little: "who sued us in 2018".
TABLES_LEAD, TABLES_LEAD_FIGURE = 0.4, 0.2
# A question asks for lists of names if they are such a share of so many nearest passages.
LISTS_NEAREST, LISTS_LEAD = 40, 0.1
# How far words that stand together count beside BM25, which rises as words repeat.
TOGETHER = 0.7


@dataclass(frozen=True, slots=True)
class RerankEvidence:
    """The re-ranking evidence for k leading passages; arrays are float32 of shape (k,).

    ``heading`` is the share of the words of a heading that the question has, 0 to 1; ``length``
    counts characters; ``figures`` is the share of digits among them; ``near`` is the largest share
    of the question's words, by idf, that stand close together; ``contents`` is 1 for a part of a
    table of contents, ``listing`` for a list of names if the query names a document. ``same``
    (intp) is a number that passages of one document share if they say the same, letter for letter.
    Of the question, ``long`` is how far it is long enough for ``near`` to tell, 0 to 1, and
    ``figure`` whether it has a figure.
    """

    heading: Floats
    length: Floats
    figures: Floats
    near: Floats
    contents: Floats
    listing: Floats
    same: NDArray[np.intp]
    long: float = 0.0
    figure: bool = False


def rerank(
    scored: Scored,
    leading: NDArray[np.intp],
    around: Floats,
    evidence: RerankEvidence,
    weights: Weights,
) -> Scored:
    """Add the re-ranking evidence to the scores of the leading passages.

    Args:
        scored: The scores of n passages.
        leading: Shape (k,): the indices of the leading ones.
        around: Shape (n,), as ``PageEvidence`` has it.
        evidence: Of these k passages.
        weights: The parameters.
    """
    length = np.clip(evidence.length, SHORTEST, NOT_SHORT) / np.float32(NOT_SHORT)
    tables = np.minimum(evidence.figures / np.float32(TABLE_DIGITS), np.float32(1.0))
    enough = TABLES_LEAD_FIGURE if evidence.figure else TABLES_LEAD
    numeric = len(tables) > 0 and float(tables.mean()) >= enough
    # The words of a table are heads of its columns and rows, so they do not stand together.
    long = 0.0 if numeric else evidence.long
    together = weights.words * np.float32(TOGETHER) * evidence.near**WORDS_POWER
    there = scored.words[leading]
    moved = weights.near * long * (together - there)
    listing = evidence.listing * (not _asks_for_lists(scored.meaning[leading], evidence.listing))
    # They name the page, or the party, that the answer is about.
    moved -= np.maximum(evidence.contents, listing) * (there + moved)
    reranked = replace(
        scored,
        words=scored.words + _scatter(leading, moved, len(around)),
        around=_scatter(leading, weights.around * around[leading], len(around)),
        heading=_scatter(leading, weights.heading * evidence.heading, len(around)),
        short=_scatter(leading, weights.short * np.log(length), len(around)),
        figures=_scatter(leading, weights.figures * tables * numeric, len(around)),
        listing=_scatter(leading, -weights.listing * listing, len(around)),
    )
    return _equal_copies(reranked, leading, evidence.same)


def _asks_for_lists(meaning: Floats, listing: Floats) -> bool:
    """Whether lists of names are common among the passages nearest to a question, (k,) each."""
    nearest = np.argsort(-meaning, kind="stable")[:LISTS_NEAREST]
    return len(nearest) > 0 and float(listing[nearest].mean()) >= LISTS_LEAD


def _equal_copies(scored: Scored, leading: NDArray[np.intp], same: NDArray[np.intp]) -> Scored:
    """Set the scores of copies among the leading passages to the best of each group."""
    best_first = np.argsort(-scored.total[leading], kind="stable")
    _, first, group = np.unique(same[best_first], return_index=True, return_inverse=True)
    source = np.arange(len(scored.meaning))
    source[leading[best_first]] = leading[best_first[first[group]]]
    return Scored(**{part.name: getattr(scored, part.name)[source] for part in fields(Scored)})


def _scatter(places: NDArray[np.intp], values: Floats, count: int) -> Floats:
    """An array of length ``count`` with values at some indices, 0 elsewhere."""
    spread = np.zeros(count, np.float32)
    spread[places] = values
    return spread
