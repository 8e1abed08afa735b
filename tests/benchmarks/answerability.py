"""Fitting of the classifier, on some libraries for another, and the table of what it says.

Owns what counts as answered and as not, and the search for weights over a few values each. Pure; it
must not know engines.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from indexer.search.answerability import (
    DEFAULT_CLASSIFIER,
    LANGUAGES_CLASSIFIER,
    LEAST_DEVIATIONS,
    MOST_DEVIATIONS,
    AnswerabilityClassifier,
)
from tests.benchmarks.report import Section
from tests.benchmarks.sets import SEVERAL_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.search.answerability import AnswerabilityFeatures
    from tests.benchmarks.report import Cell

    Doubles = NDArray[np.float64]

# Of questions with an answer, so many at least are to be told so.
KEPT = 0.95
# What a classifier's weights are tried with, in deviations of meaning.
PAGE = (2.0, 3.0, 4.0, 5.0)
OUT_OF_VOCABULARY = (-4.0, -6.0, -8.0, -10.0)
NAMES = (-2.0, -3.0, -4.0, -5.0)
YEAR = (-4.0, -6.0, -8.0)


DROPPED = (
    "Tried and dropped, since they turn no more down at as many false alarms, fitted without the "
    "set: the lead of the best hit over the next and of its document over others; the similarity "
    "against a thousand passages of the library, or of the best document against the rest; "
    "whether both retrievers agree; words against chance; the share of words in the whole "
    "leading document, by their idf among documents too; the length of the query (it helps where "
    "short questions are among what is fitted, and turns two in five of the sample's down where "
    "not); names anywhere in the leading document, abbreviations as names; the first passages of "
    "a document as part of what it is called; a threshold from what everyday questions or a "
    "library's own sentences reach in it: the median of the former is about one deviation apart "
    "at most in the four libraries; stop words left out of the page's share, and the share of "
    "the question alone; the share that the best sentence holds; whether neighbouring words of "
    "the question stand close together on the page; unknown words of the question alone, or each "
    "by itself however long the query, or corrected ones among them; names by their idf among "
    "documents; each of the first hits judged by itself, good if any is; the similarity of "
    "documents around each hit instead of in the library, and as a weight of the page, of "
    "unknown words, of years or of the meaning too; the spread of the background as standard "
    "deviation, between quartiles, of the lower half or of passages around one question, and its "
    "centre at a lower quartile."
)


DROPPED_ACROSS = (
    "Tried and dropped for questions in another language than the text, as shares of xquad-cross's "
    "that are turned down with their article away, at 5 % false alarms and by vectors alone: the "
    "similarity as it is (.44; .49 less the usual one, which ships), in deviations of the query's "
    "own similarities (.38 to .45), above their 90 % quantile (.45), the lead over the next "
    "document (.25), a logistic regression of eighteen such numbers (.45); the share of words on "
    "the page beside it (.49), unknown words (.37 to .43). A third outcome, perhaps, would count "
    "against both rates."
)


@dataclass(frozen=True, slots=True)
class LabelledFeatures:
    """The features of one set's questions and of others, by what they are.

    ``strange`` are put to the library for the table alone: some of them it may well answer.
    """

    answered: Sequence[AnswerabilityFeatures]
    unanswered: Mapping[str, Sequence[AnswerabilityFeatures]]  # by kind; each kind counts alike
    strange: Mapping[str, Sequence[AnswerabilityFeatures]]


def fit_classifier(sets: Sequence[LabelledFeatures]) -> AnswerabilityClassifier:
    """The classifier that turns most unanswered questions down, every set and kind counting alike.

    Its threshold keeps ``KEPT`` of the answered questions of each set.
    """
    answered = [_matrix(one.answered) for one in sets]
    kinds = [[_matrix(features) for features in one.unanswered.values()] for one in sets]
    unanswered = [[rows for rows in one if len(rows)] for one in kinds]
    best, reached = None, -1.0
    for weights in product(PAGE, OUT_OF_VOCABULARY, NAMES, YEAR):
        worth = np.array((1.0, *weights))
        lowest = min(_lowest_kept(one @ worth) for one in answered)
        found = np.mean([np.mean([(k @ worth < lowest).mean() for k in one]) for one in unanswered])
        if found > reached:
            # Rounded down, or the question that sets it would be turned down itself.
            best, reached = (
                AnswerabilityClassifier(*weights, threshold=float(np.floor(100 * lowest) / 100)),
                found,
            )
    assert best is not None
    return best


def share_bad(
    classifier: AnswerabilityClassifier, features: Sequence[AnswerabilityFeatures]
) -> float:
    """The share of questions whose hits a classifier calls no good match, perhaps none included."""
    return float(np.mean([classifier.score(each) < 0.0 for each in features]))


def answerability_table(labelled: Mapping[str, LabelledFeatures]) -> Section:
    """How many questions are told that nothing answers them."""
    rows: list[tuple[Cell, ...]] = []
    for name, one in labelled.items():
        several = name in SEVERAL_LANGUAGES
        shipped = LANGUAGES_CLASSIFIER if several else DEFAULT_CLASSIFIER
        left = [
            other
            for key, other in labelled.items()
            if key != name and several == (key in SEVERAL_LANGUAGES)
        ]
        fitted = replace(fit_classifier(left or [one]), foreign=shipped.foreign)
        for label, classifier in (("fitted on the others", fitted), ("as it ships", shipped)):
            alarms = share_bad(classifier, one.answered)
            for kind, features in {**one.unanswered, **one.strange}.items():
                rows.append(
                    (name, label, alarms, kind, len(features), share_bad(classifier, features))
                )
    in_one = [one for name, one in labelled.items() if name not in SEVERAL_LANGUAGES]
    everything = fit_classifier(in_one)
    columns = ("library", "classifier", "false alarms", "asked", "questions", "no good match")
    told = (
        "The sample documents and their questions: `tests/benchmarks/sample_questions.py`. A set "
        "answers some of them (what is the inflation rate?), and some of other sets' (which "
        "inventory valuation methods are used?). Nothing is fitted to the sample's questions put "
        "to a set, nor to a set's questions without their preamble, which have an answer. Told "
        "nowhere else: less the questions that another report answers, as far as anybody has "
        "read; `tests/benchmarks/told_elsewhere.py` lists the pages."
    )
    languages = (
        "xquad-cross and xquad-mono have the model and the classifier of many languages, fitted on "
        "each other; the threshold for questions in another language than the best hit is "
        "xquad-cross's own, since no other set has such answers. Their articles are the same, so "
        "neither is asked the other's questions."
    )
    notes = (
        "False alarms: the share of the library's own questions that are told so too.",
        languages,
        told,
        DROPPED,
        DROPPED_ACROSS,
        f"Fitted on all in one language: {asdict(everything)}.",
        f"What ships: {asdict(DEFAULT_CLASSIFIER)}.",
        f"What ships for many languages: {asdict(LANGUAGES_CLASSIFIER)}.",
    )
    return Section("ranking-judge", "No good match", columns, tuple(rows), notes)


def _lowest_kept(scores: Doubles) -> float:
    """The highest threshold that keeps ``KEPT`` of some scores."""
    dropped = math.floor(round((1 - KEPT) * len(scores), 6))
    return float(np.sort(scores)[dropped])


def _matrix(features: Sequence[AnswerabilityFeatures]) -> Doubles:
    """Features as rows: the meaning as far as it counts, and what is weighed against it.

    Hits in another language than the query have a threshold of their own.
    """
    rows = [
        (
            min(max(one.meaning, LEAST_DEVIATIONS), MOST_DEVIATIONS),
            one.page,
            one.out_of_vocabulary,
            one.names,
            one.year,
        )
        for one in features
        if one.same_language
    ]
    return np.array(rows, np.float64).reshape(-1, 5)
