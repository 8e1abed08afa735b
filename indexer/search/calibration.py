"""Measures the baseline of a library: the scores that its own sentences reach as queries.

It is measured and stored with the cohort at the end of an indexing run. A sentence of a passage
serves as a question that has an answer, and its hits are scored as for any query. The baseline is
the lower quartile of these scores.

Then each sentence is asked again without its own document. If two thirds of them still count as
answered, the library's documents resemble each other, and an answer can hardly be distinguished
from a passage that is merely close. Hits are then a good match only if their lead is larger than
the leads of two thirds of these sentences.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from msgspec.structs import replace

from indexer.query.grammar import Query
from indexer.search.answerability import LEADING, AnswerabilityFeatures, classifier_for
from indexer.search.hits import HitMaker
from indexer.search.narrowing import SearchRequest, narrow
from indexer.search.score_normalisation import (
    Cohort,
    is_similar,
    load_cohort,
    measure_cohort,
    save_cohort,
    spread_out,
)
from indexer.store.values import DocSet, docs_of
from indexer.text.sentences import split_sentences
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.progress import CancelToken
    from indexer.catalog.records import Space
    from indexer.search.search import Searcher

T = TypeVar("T")

# In a smaller library the statistics are unreliable, and every hit counts as good.
MIN_PASSAGES = 50
# The number of passages in the sample, and of sentences that are asked. A sentence costs as much as
# a query, so there is one for every 32 passages. With 80 sentences instead of all of chunking-eval
# the baseline is off by .13, with 40 by .19; .034 and .036 of its questions are then false alarms,
# instead of .033. Fewer than ``FEWEST`` are not meaningful.
SAMPLE = 160
MOST_ASKED, LEAST_ASKED, FEWEST = 80, 40, 20
PASSAGES_A_SENTENCE = 32
QUANTILE = 0.25
UNTOLD = 2 / 3
# The number of words in a sentence that serves as a question, and its least share of letters.
LEAST_WORDS, MOST_WORDS = 6, 40
LETTERS = 0.6


def refresh_calibration(
    searcher: Searcher, token: CancelToken, give_way: Callable[[], None] = lambda: None
) -> None:
    """Measure the cohort and the baseline of a library, if it has changed much.

    Without the model nothing is measured, and every hit counts as good. A model whose threshold is
    the same for every library has no baseline.

    Args:
        give_way: Called before each sentence, to let queries go first.

    Raises ``Cancelled`` if the token was cancelled; then nothing is stored.
    """
    catalog, store = searcher.catalog, searcher.store
    space = catalog.spaces.active()
    if space is None:
        return
    passages = catalog.spaces.totals().embedded
    before = load_cohort(catalog, space)
    if passages < MIN_PASSAGES or (before is not None and is_similar(before.passages, passages)):
        return
    cohort = measure_cohort(catalog, store, searcher.models, space, passages)
    if cohort is None:
        return
    classifier = classifier_for(space.languages)
    if classifier.own:
        own = own_features(searcher, space, cohort, token, give_way)
        scores = [classifier.score(features) for features in own if features.same_language]
        if len(scores) < FEWEST:
            return
        cohort = replace(cohort, baseline=baseline(scores))
    gone = own_features(searcher, space, cohort, token, give_way, gone=True)
    leads = [classifier.lead(each, cohort.baseline) for each in gone if each.same_language]
    save_cohort(catalog, space, replace(cohort, telling=telling(leads)))


def baseline(scores: list[float]) -> float:
    """The baseline of a library whose own sentences have these scores."""
    return float(np.quantile(scores, QUANTILE))


def telling(leads: list[float]) -> float:
    """Return the lead from which an answer differs from passages that are merely close.

    It is 0 if any positive lead is enough.

    Args:
        leads: The leads of the library's sentences without their own documents.
    """
    if len(leads) < FEWEST or np.quantile(leads, 1 - UNTOLD) < 0.0:
        return 0.0
    return float(np.quantile(leads, UNTOLD))


def own_features(
    searcher: Searcher,
    space: Space,
    cohort: Cohort,
    token: CancelToken,
    give_way: Callable[[], None] = lambda: None,
    *,
    gone: bool = False,
) -> list[AnswerabilityFeatures]:
    """The features of the library's own sentences, without those that find nothing.

    With ``gone`` each sentence is searched without its own document.
    """
    documents = searcher.catalog.docs.expected()
    found = searcher.store.texts.passages(spread_out(documents, SAMPLE))
    own = [
        (text, DocSet.from_docs(docs_of(np.array([key])).tolist(), allowed=False) if gone else None)
        for key, row in found.items()
        if (text := own_sentence(row.view, row.language))
    ]
    count = max(sum(documents.values()) // PASSAGES_A_SENTENCE, LEAST_ASKED)
    asked = thinned(own, min(count, MOST_ASKED))
    passages = searcher.catalog.spaces.totals().passages
    measured = []
    for text, docs in asked:
        give_way()
        query = Query(text=text, terms=tuple(words(text)))
        narrowing = narrow(query, searcher.catalog)
        narrowing = narrowing if docs is None else replace(narrowing, docs=docs)
        # A part of a sentence with its context would be closer to the passage than any question is.
        request = SearchRequest(query, narrowing, passages, LEADING, apart=True)
        retrieved, ranking = searcher.rank(request, space, token)
        maker = HitMaker(searcher.catalog, searcher.store, query, narrowing)
        if hits := maker.make(ranking, LEADING, token, explain=False):
            measured.append(searcher.features(retrieved, cohort, hits, ranking))
    return measured


def thinned(values: Sequence[T], count: int) -> list[T]:
    """At most ``count`` values, evenly spaced.

    >>> thinned(range(10), 4)
    [0, 2, 5, 7]
    """
    count = min(count, len(values))
    return [values[at * len(values) // count] for at in range(count)]


def own_sentence(view: str, language: str) -> str:
    """The sentence of a passage that serves as a question, from its middle; "" if none can."""
    borders = [*split_sentences(view, language), len(view)]
    texts = [view[low:high].strip() for low, high in pairwise(borders)]
    kept = [
        text
        for text in texts
        if LEAST_WORDS <= len(words(text)) <= MOST_WORDS
        and sum(char.isalpha() for char in text) >= LETTERS * len(text)
    ]
    return kept[len(kept) // 2] if kept else ""
