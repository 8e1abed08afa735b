"""The baseline of a library: what its own sentences score as queries.

Owns measuring and storing it, with the cohort, at the end of an indexing run. A sentence of a
passage stands for a question with an answer, and what is found is scored as for any query. Of what
the sentences score the lower quartile counts. It must not know how scores are made of features
(``indexer.search.answerability``).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indexer.query.grammar import Query
from indexer.search import language_means, score_normalisation
from indexer.search.answerability import classifier_for
from indexer.search.answerability_features import LEADING
from indexer.search.hits import HitMaker
from indexer.search.narrowing import SearchRequest, narrow
from indexer.search.sampling import is_similar, spread_out
from indexer.text.sentences import split
from indexer.text.terms import words

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.catalog.records import Space
    from indexer.search.answerability import AnswerabilityFeatures
    from indexer.search.score_normalisation import Cohort
    from indexer.search.search import Searcher

# In a smaller library the statistics are unreliable, and every hit counts as good.
MIN_PASSAGES = 50
# Passages whose sentences are asked; fewer than ``FEWEST`` sentences tell nothing.
ASKED = 160
FEWEST = 20
QUANTILE = 0.25
# The words of a sentence that may stand for a question, and the share of letters in it.
LEAST_WORDS, MOST_WORDS = 6, 40
LETTERS = 0.6


def refresh(searcher: Searcher, token: CancelToken) -> None:
    """Measure the cohort and the baseline of a library, if it has changed much.

    If the model is not available nothing is measured, and every hit counts as good.

    Raises:
        Cancelled: If the token was cancelled; nothing is kept then.
    """
    catalog, store = searcher.catalog, searcher.store
    language_means.refresh(catalog, store)
    space = catalog.spaces.active()
    if space is None:
        return
    passages = catalog.spaces.totals().embedded
    before = score_normalisation.load_cohort(catalog, space)
    if passages < MIN_PASSAGES or (before is not None and is_similar(before.passages, passages)):
        return
    cohort = score_normalisation.measure(catalog, store, searcher.models, space, passages)
    if cohort is None:
        return
    scores = [
        classifier_for(space.languages).score(features)
        for features in own_features(searcher, space, cohort, token)
        if features.same_language
    ]
    if len(scores) >= FEWEST:
        found = replace(cohort, baseline=baseline(scores))
        score_normalisation.save_cohort(catalog, space, found)


def baseline(scores: list[float]) -> float:
    """The baseline of a library whose own sentences have these scores."""
    return float(np.quantile(scores, QUANTILE))


def own_features(
    searcher: Searcher, space: Space, cohort: Cohort, token: CancelToken
) -> list[AnswerabilityFeatures]:
    """The features of the library's own sentences."""
    keys = spread_out(searcher.catalog.docs.expected(), ASKED)
    found = searcher.store.passages_of(keys, ("view", "language"))
    asked = [own_sentence(row["view"], row["language"]) for row in found.values()]
    measured = [_features(searcher, space, cohort, text, token) for text in asked if text]
    return [features for features in measured if features is not None]


def own_sentence(view: str, language: str) -> str:
    """The sentence of a passage that stands for a question: a middle one of words; "" if none."""
    borders = [*split(view, language), len(view)]
    texts = [view[low:high].strip() for low, high in pairwise(borders)]
    kept = [
        text
        for text in texts
        if LEAST_WORDS <= len(words(text)) <= MOST_WORDS
        and sum(char.isalpha() for char in text) >= LETTERS * len(text)
    ]
    return kept[len(kept) // 2] if kept else ""


def _features(
    searcher: Searcher, space: Space, cohort: Cohort, text: str, token: CancelToken
) -> AnswerabilityFeatures | None:
    """The features of a sentence; None if nothing is found."""
    catalog = searcher.catalog
    query = Query(text=text, terms=tuple(words(text)))
    passages = catalog.spaces.totals().passages
    request = SearchRequest(query, narrow(query, catalog), passages, LEADING)
    retrieved, ranking = searcher.rank(request, space, token)
    maker = HitMaker(catalog, searcher.store, query, request.narrowing)
    hits = maker.make(ranking, LEADING, token, explain=False)
    return searcher.features(retrieved, cohort, hits, ranking) if hits else None
