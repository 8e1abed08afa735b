"""Fits the classifier of answers on some libraries for another, and tabulates its verdicts.

It decides which questions count as answered, and has the logistic regression. Its functions are
pure; it must not know engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import asdict, astuple, replace

from indexer.api.types import Match
from indexer.search.answerability import (
    DEFAULT_CLASSIFIER,
    LANGUAGES_CLASSIFIER,
    AnswerabilityClassifier,
    AnswerabilityFeatures,
)
from indexer.search.calibration import baseline
from tests.benchmarks import answerability_tried
from tests.benchmarks.report import Section
from tests.benchmarks.sets import SAME_SUBJECTS, SEVERAL_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tests.benchmarks.report import Cell

    Doubles = NDArray[np.float64]

# The kind of questions of a set whose answering files are away.
GONE = "its file taken away"
# The least share of answerable questions of each fitted set that must be called answered; on other
# sets 95 % then are.
KEPT = 0.975
# The same for several languages, where there is only one other set to fit to, and few of its
# questions are in the language of the passages that they find.
KEPT_ACROSS = 0.98
# Newton steps of the regression, and its ridge penalty in standardised features.
STEPS = 30
RIDGE = 1.0


@dataclass(frozen=True, slots=True)
class LabelledFeatures:
    """The features of one set's questions and of other questions, by their kinds.

    ``own`` are those of the library's own sentences. ``strange`` are of questions that only the
    table uses, as the library may well answer some of them.
    """

    answered: Sequence[AnswerabilityFeatures]
    unanswered: Mapping[str, Sequence[AnswerabilityFeatures]]  # by kind; each kind counts alike
    strange: Mapping[str, Sequence[AnswerabilityFeatures]]
    own: Sequence[AnswerabilityFeatures]

    def baseline(self, classifier: AnswerabilityClassifier) -> float:
        """The library's baseline by the weights of a classifier."""
        return baseline([classifier.score(each) for each in _in_one_language(self.own)])


def fit_classifier(sets: Sequence[LabelledFeatures]) -> AnswerabilityClassifier:
    """The logistic regression that separates answered questions from others.

    All sets have the same weight. In a set, answered and unanswered questions have the same weight;
    among the latter the set's own questions with their file away weigh as much as all others. Each
    set has a constant of its own, as each library has its baseline.
    """
    parts: list[tuple[Doubles, float, float, int]] = []
    for at, one in enumerate(sets):
        gone = _matrix(one.unanswered.get(GONE, ()))
        others = [each for kind, some in one.unanswered.items() if kind != GONE for each in some]
        kinds = [rows for rows in (gone, _matrix(others)) if len(rows)]
        parts.append((_matrix(one.answered), 1.0, 1.0, at))
        parts += [(rows, 0.0, 1.0 / len(kinds), at) for rows in kinds]
    rows = np.concatenate([part for part, *_ in parts])
    good = np.concatenate([np.full(len(part), label) for part, label, *_ in parts])
    share = np.concatenate([np.full(len(part), weight / len(part)) for part, _, weight, _ in parts])
    library = np.concatenate([np.full(len(part), at) for part, *_, at in parts])
    weights = _regression(rows, good, share * len(rows) / share.sum(), np.eye(len(sets))[library])
    names = AnswerabilityFeatures.__struct_fields__
    found = dict(zip(names, weights.tolist(), strict=False))
    fitted = replace(DEFAULT_CLASSIFIER, **found)
    return replace(fitted, margin=margin(fitted, sets))


def margin(
    classifier: AnswerabilityClassifier, sets: Sequence[LabelledFeatures], kept: float = KEPT
) -> float:
    """The least margin that keeps a share of the answered questions of each set."""
    plain = replace(classifier, margin=0.0)
    return max(
        -float(np.quantile(_leads(plain, one, _in_one_language(one.answered)), 1 - kept))
        for one in sets
    )


def share_bad(
    classifier: AnswerabilityClassifier,
    library: LabelledFeatures,
    features: Sequence[AnswerabilityFeatures],
) -> float:
    """The share of questions whose match a classifier calls "none" or "perhaps"."""
    return float(np.mean(np.array(_leads(classifier, library, features)) < 0.0))


def share_perhaps(
    classifier: AnswerabilityClassifier,
    library: LabelledFeatures,
    features: Sequence[AnswerabilityFeatures],
) -> float:
    """The share of questions whose match a classifier calls "perhaps"."""
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

    For several languages only its margin is fitted, to the other set of several languages.
    """
    if name not in SEVERAL_LANGUAGES:
        return fit_classifier([labelled[one] for one in left_in(name, labelled)])
    others = [labelled[one] for one in labelled if one in SEVERAL_LANGUAGES and one != name]
    found = margin(LANGUAGES_CLASSIFIER, others or [labelled[name]], KEPT_ACROSS)
    return replace(LANGUAGES_CLASSIFIER, margin=found)


def answerability_summary(labelled: Mapping[str, LabelledFeatures]) -> Section:
    """The average verdicts on questions with an answer and on those without, by library."""
    rows: list[tuple[Cell, ...]] = []
    for name, one in labelled.items():
        gone = one.unanswered.get(GONE, ())
        others = [some for kind, some in one.unanswered.items() if kind != GONE]
        every = [*one.answered, *gone, *(each for some in others for each in some)]
        for way, classifier in _classifiers(name, labelled).items():
            said = [share_bad(classifier, one, some) for some in others]
            rows.append(
                (
                    name,
                    way,
                    share_bad(classifier, one, one.answered),
                    share_bad(classifier, one, gone) if gone else None,
                    float(np.mean(said)) if said else None,
                    min(said, default=None),
                    share_perhaps(classifier, one, every),
                )
            )
    columns = (
        "library", "classifier", "false alarms", "its file taken away", "other sets' questions",
        "the least of these", "perhaps, of all",
    )  # fmt: skip
    told = (
        "Aims: false alarms .05 at most, the others .90 at least, perhaps .15 at most; of other "
        "sets' questions the mean over the sets. The next table has each kind of question."
    )
    return Section(
        "ranking-judge-summary", "No good match, in short", columns, tuple(rows), (told,)
    )


def _classifiers(
    name: str, labelled: Mapping[str, LabelledFeatures]
) -> dict[str, AnswerabilityClassifier]:
    """The classifiers that are compared on a set."""
    shipped = LANGUAGES_CLASSIFIER if name in SEVERAL_LANGUAGES else DEFAULT_CLASSIFIER
    return {"fitted on others": fitted_without(name, labelled), "as it ships": shipped}


def answerability_table(labelled: Mapping[str, LabelledFeatures]) -> Section:
    """The shares of questions, by set and kind, that are told that nothing answers them."""
    rows: list[tuple[Cell, ...]] = []
    for name, one in labelled.items():
        both = _classifiers(name, labelled).values()
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
        "nowhere else: less the questions whose gold sentence stands word for word in a file that "
        "is left; `tests/benchmarks/told_elsewhere.py`."
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
        answerability_tried.FEATURES,
        answerability_tried.LIBRARIES,
        answerability_tried.CONSTANTS,
        answerability_tried.FIRST_PAGES,
        answerability_tried.ACROSS,
        f"Fitted on all in one language: {asdict(everything)}.",
        f"What ships: {asdict(DEFAULT_CLASSIFIER)}.",
        f"What ships for many languages: {asdict(LANGUAGES_CLASSIFIER)}.",
    )
    return Section("ranking-judge", "No good match", columns, tuple(rows), notes)


def _regression(rows: Doubles, good: Doubles, share: Doubles, library: Doubles) -> Doubles:
    """Weights (f,) of (n, f) features by Newton's method, without those of (n, m) libraries."""
    centre, spread = rows.mean(0), rows.std(0) + 1e-9
    known = np.column_stack([(rows - centre) / spread, library])
    penalty = np.diag([RIDGE] * rows.shape[1] + [1e-3] * library.shape[1])
    weights = np.zeros(known.shape[1])
    for _ in range(STEPS):
        odds = 1.0 / (1.0 + np.exp(-np.clip(known @ weights, -30.0, 30.0)))
        slope = known.T @ (share * (good - odds)) - penalty @ weights
        curve = (known * (share * odds * (1.0 - odds))[:, None]).T @ known + penalty
        weights += np.linalg.solve(curve, slope)
    found: Doubles = weights[: rows.shape[1]] / spread
    return found


def _in_one_language(features: Sequence[AnswerabilityFeatures]) -> list[AnswerabilityFeatures]:
    return [one for one in features if one.same_language]


def _matrix(features: Sequence[AnswerabilityFeatures]) -> Doubles:
    """Features as rows, without hits in another language, which have a threshold of their own."""
    rows = [astuple(one)[:-1] for one in _in_one_language(features)]
    return np.array(rows, np.float64).reshape(-1, len(DEFAULT_CLASSIFIER.weights))
