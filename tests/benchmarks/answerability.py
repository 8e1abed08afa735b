"""Fitting of the classifier, on some libraries for another, and the table of what it says.

Owns what counts as answered and as not, and the logistic regression. Pure; it must not know
engines.
"""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.types import Match
from indexer.search.answerability import (
    DEFAULT_CLASSIFIER,
    LANGUAGES_CLASSIFIER,
    AnswerabilityClassifier,
    AnswerabilityFeatures,
)
from indexer.search.calibration import baseline
from tests.benchmarks.report import Section
from tests.benchmarks.sets import SAME_SUBJECTS, SEVERAL_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tests.benchmarks.report import Cell

    Doubles = NDArray[np.float64]

# Of questions with an answer, so many at least are to be told so.
KEPT = 0.95
# Newton steps of the regression, and its ridge penalty in standardised features.
STEPS = 30
RIDGE = 1.0


DROPPED = (
    "Tried and dropped, since they turn no more down at as many false alarms, fitted without the "
    "set: the lead of the best hit over the next and of its document over others; the similarity "
    "against a thousand passages of the library, or of the best document against the rest; "
    "whether both retrievers agree; words against chance; the share of words in the whole "
    "leading document, by their idf among documents too; the length of the query (it helps where "
    "short questions are among what is fitted, and turns two in five of the sample's down where "
    "not); names anywhere in the leading document, abbreviations as names; the first passages of "
    "a document as part of what it is called; a threshold from what everyday questions "
    "reach in it; stop words left out of the page's share, and the share of "
    "the question alone; the share that the best sentence holds; whether neighbouring words of "
    "the question stand close together on the page; unknown words of the question alone, or each "
    "by itself however long the query, or corrected ones among them; names by their idf among "
    "documents; each of the first hits judged by itself, good if any is; the similarity of "
    "documents around each hit instead of in the library, and as a weight of the page, of "
    "unknown words, of years or of the meaning too; the spread of the background as standard "
    "deviation, between quartiles, of the lower half or of passages around one question, and its "
    "centre at a lower quartile."
)


DROPPED_LIBRARIES = (
    "Tried for each library from itself, in turn mean share turned down with the document away "
    "over the eight English sets, mean share of other sets' questions, and the worst set's "
    "false alarms, each set by what was fitted to the others (its file away, other sets and "
    "everyday questions counting alike; with each other set counting as much, as in the table, "
    "what ships has .73, .97, 6 %). One threshold for all libraries: .65, .93, 6 %; clarity and "
    "surroundings with it: .63, .93, 7 %. Less the baseline of 160 own sentences, lowest "
    "decile, which ships: .71, .96, 6 %; lowest quarter .71, .94, 5 %; median .72, .95, 7 %. 80 "
    "sentences: .62 to .71, .90 to .95, 6 to 12 %, as unsteady as their choice; the longest "
    "sentence of a passage, the first, half of it, without stop words: .65 to .72, .92 to .95, "
    "6 to 16 %. Any other passage for the answer, not only of the same document: .73, .96, 8 % "
    "at worst. In units of the spread of own sentences: .58 to .66, .86 to .90; halfway to "
    "everyday questions: .66, .94, 12 %; similarity alone less what own sentences reach with "
    "their document away: .45 to .57, .76 to .84, 21 %. Further features: the words of the "
    "leading document as share or as sum of idf missing, what the page has of the context, BM25 "
    "of the page, the best sentence alone, the lead over other documents, the length: 0 to "
    "-.03, or more false alarms. What an answer can be told by at all, fitted within each set, "
    "at 5 % false alarms with the document away: evidence .99, meetings .12 to .19, regulations "
    ".58, mergers 1.0, cuad 1.0, cuad-plain .84, xquad-cross .63, xquad-mono .98: another "
    "meeting, or another rule book, answers about as well as the one that is away. A library "
    "cannot tell how it will be asked: cuad's questions, which name both parties, could be held "
    "to 2.7 log odds more than cuad-plain's, which do not always."
)


DROPPED_ACROSS = (
    "Tried and dropped for questions in another language than the text, as shares of xquad-cross's "
    "that are turned down with their article away, at 5 % false alarms and by vectors alone: the "
    "similarity as it is (.44; .49 less the usual one, which ships), in deviations of the query's "
    "own similarities (.38 to .45), above their 90 % quantile (.45), the lead over the next "
    "document (.25), a logistic regression of eighteen such numbers (.45); the share of words on "
    "the page beside it (.49), unknown words (.37 to .43)."
)


@dataclass(frozen=True, slots=True)
class LabelledFeatures:
    """The features of one set's questions and of others, by what they are.

    ``own`` are those of the library's own sentences. ``strange`` are put to the library for the
    table alone: some of them it may well answer.
    """

    answered: Sequence[AnswerabilityFeatures]
    unanswered: Mapping[str, Sequence[AnswerabilityFeatures]]  # by kind; each kind counts alike
    strange: Mapping[str, Sequence[AnswerabilityFeatures]]
    own: Sequence[AnswerabilityFeatures]

    def baseline(self, classifier: AnswerabilityClassifier) -> float:
        """That of the library by the weights of a classifier."""
        return baseline([classifier.score(each) for each in _in_one_language(self.own)])


def fit_classifier(sets: Sequence[LabelledFeatures]) -> AnswerabilityClassifier:
    """The logistic regression that tells answered questions from others, sets counting alike.

    Of a set, answered and unanswered questions count alike, and of the latter each kind.
    """
    parts: list[tuple[Doubles, float, float]] = []
    for one in sets:
        parts.append((_matrix(one.answered), 1.0, 1.0))
        kinds = [rows for each in one.unanswered.values() if len(rows := _matrix(each))]
        parts += [(rows, 0.0, 1.0 / len(kinds)) for rows in kinds]
    rows = np.concatenate([part for part, _, _ in parts])
    good = np.concatenate([np.full(len(part), label) for part, label, _ in parts])
    share = np.concatenate([np.full(len(part), weight / len(part)) for part, _, weight in parts])
    weights = _regression(rows, good, share * len(rows) / share.sum())
    names = (one.name for one in fields(AnswerabilityFeatures))
    found = dict(zip(names, weights.tolist(), strict=False))
    fitted = replace(DEFAULT_CLASSIFIER, **found)
    return replace(fitted, margin=margin(fitted, sets))


def margin(classifier: AnswerabilityClassifier, sets: Sequence[LabelledFeatures]) -> float:
    """The least margin that keeps ``KEPT`` of the answered questions of each set."""
    plain = replace(classifier, margin=0.0)
    return max(
        -float(np.quantile(_leads(plain, one, _in_one_language(one.answered)), 1 - KEPT))
        for one in sets
    )


def share_bad(
    classifier: AnswerabilityClassifier,
    library: LabelledFeatures,
    features: Sequence[AnswerabilityFeatures],
) -> float:
    """The share of questions that a classifier calls no good match or perhaps one."""
    return float(np.mean(np.array(_leads(classifier, library, features)) < 0.0))


def share_perhaps(
    classifier: AnswerabilityClassifier,
    library: LabelledFeatures,
    features: Sequence[AnswerabilityFeatures],
) -> float:
    """The share of questions that are told "perhaps"."""
    level = library.baseline(classifier)
    return float(np.mean([classifier.match(one, level) is Match.PERHAPS for one in features]))


def _leads(
    classifier: AnswerabilityClassifier,
    library: LabelledFeatures,
    features: Sequence[AnswerabilityFeatures],
) -> list[float]:
    level = library.baseline(classifier)
    return [classifier.lead(each, level) for each in features]


def left_in(name: str, labelled: Mapping[str, LabelledFeatures]) -> list[str]:
    """The sets that a classifier for one may be fitted to."""
    same = {name}.union(*(group for group in SAME_SUBJECTS if name in group))
    return [one for one in labelled if one not in same and one not in SEVERAL_LANGUAGES]


def fitted_without(name: str, labelled: Mapping[str, LabelledFeatures]) -> AnswerabilityClassifier:
    """A classifier for one set, fitted to others.

    For several languages only the margin is, to the other set of several languages.
    """
    if name not in SEVERAL_LANGUAGES:
        return fit_classifier([labelled[one] for one in left_in(name, labelled)])
    others = [labelled[one] for one in labelled if one in SEVERAL_LANGUAGES and one != name]
    found = margin(LANGUAGES_CLASSIFIER, others or [labelled[name]])
    return replace(LANGUAGES_CLASSIFIER, margin=found)


def answerability_table(labelled: Mapping[str, LabelledFeatures]) -> Section:
    """How many questions are told that nothing answers them."""
    rows: list[tuple[Cell, ...]] = []
    for name, one in labelled.items():
        shipped = LANGUAGES_CLASSIFIER if name in SEVERAL_LANGUAGES else DEFAULT_CLASSIFIER
        both = (fitted_without(name, labelled), shipped)
        kinds = {"its own questions": one.answered, **one.unanswered, **one.strange}
        for kind, features in kinds.items():
            said = [
                share(classifier, one, features)
                for classifier in both
                for share in (share_bad, share_perhaps)
            ]
            rows.append((name, kind, len(features), *said))
    in_one = [one for name, one in labelled.items() if name not in SEVERAL_LANGUAGES]
    everything = fit_classifier(in_one)
    columns = (
        "library", "asked", "questions",
        "no good match, fitted on others", "of them perhaps",
        "as it ships", "of them perhaps",
    )  # fmt: skip
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
        "No good match: those told perhaps included. Of its own questions these are false alarms.",
        languages,
        told,
        DROPPED,
        DROPPED_LIBRARIES,
        DROPPED_ACROSS,
        f"Fitted on all in one language: {asdict(everything)}.",
        f"What ships: {asdict(DEFAULT_CLASSIFIER)}.",
        f"What ships for many languages: {asdict(LANGUAGES_CLASSIFIER)}.",
    )
    return Section("ranking-judge", "No good match", columns, tuple(rows), notes)


def _regression(rows: Doubles, good: Doubles, share: Doubles) -> Doubles:
    """Weights of (n, f) features by Newton's method; the constant is left out: (f,)."""
    centre, spread = rows.mean(0), rows.std(0) + 1e-9
    known = np.column_stack([(rows - centre) / spread, np.ones(len(rows))])
    penalty = np.diag([RIDGE] * rows.shape[1] + [1e-6])
    weights = np.zeros(known.shape[1])
    for _ in range(STEPS):
        odds = 1.0 / (1.0 + np.exp(-np.clip(known @ weights, -30.0, 30.0)))
        slope = known.T @ (share * (good - odds)) - penalty @ weights
        curve = (known * (share * odds * (1.0 - odds))[:, None]).T @ known + penalty
        weights += np.linalg.solve(curve, slope)
    found: Doubles = weights[:-1] / spread
    return found


def _in_one_language(features: Sequence[AnswerabilityFeatures]) -> list[AnswerabilityFeatures]:
    return [one for one in features if one.same_language]


def _matrix(features: Sequence[AnswerabilityFeatures]) -> Doubles:
    """Features as rows; hits in another language than the query have a threshold of their own."""
    rows = [astuple(one)[:-1] for one in _in_one_language(features)]
    return np.array(rows, np.float64).reshape(-1, len(DEFAULT_CLASSIFIER.weights))
