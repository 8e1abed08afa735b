"""Fitting of the classifier, and the table of what it says."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from indexer.search.answerability import DEFAULT_CLASSIFIER, AnswerabilityFeatures
from tests.benchmarks import sets
from tests.benchmarks.answerability import (
    KEPT,
    NAMES,
    OUT_OF_VOCABULARY,
    PAGE,
    YEAR,
    LabelledFeatures,
    answerability_table,
    fit_classifier,
    share_bad,
)
from tests.benchmarks.scoring import Measurer
from tests.benchmarks.sets import Query
from tests.benchmarks.told_elsewhere import TOLD, left
from tests.corpora import needs_corpus


def drawn(
    meaning: float, page: float, names: float, count: int = 200
) -> list[AnswerabilityFeatures]:
    random = np.random.default_rng(5)
    return [
        AnswerabilityFeatures(m, min(max(p, 0.0), 1.0), 0.0, names, 0.0)
        for m, p in random.normal((meaning, page), (0.5, 0.1), (count, 2))
    ]


GOOD, STRANGE, NAMELESS = drawn(2, 0.5, 0.0), drawn(0, 0.2, 0.0), drawn(2, 0.5, 1.0)


def test_a_classifier_tells_answered_questions_from_others() -> None:
    classifier = fit_classifier([LabelledFeatures(GOOD, {"strange": STRANGE}, {})])
    assert share_bad(classifier, GOOD) <= 1 - KEPT + 0.01
    assert share_bad(classifier, STRANGE) > 0.9


def test_a_sign_that_tells_apart_is_worth_more_than_one_that_does_not() -> None:
    classifier = fit_classifier(
        [LabelledFeatures(GOOD, {"strange": STRANGE, "named": NAMELESS}, {})]
    )
    assert share_bad(classifier, NAMELESS) > 0.9
    assert classifier.names < max(NAMES)


def test_every_library_keeps_its_answers() -> None:
    short = drawn(0.5, 0.9, 0.0)
    classifier = fit_classifier(
        [
            LabelledFeatures(GOOD, {"strange": STRANGE}, {}),
            LabelledFeatures(short, {"s": STRANGE}, {}),
        ]
    )
    assert share_bad(classifier, GOOD) <= 1 - KEPT + 0.01
    assert share_bad(classifier, short) <= 1 - KEPT + 0.01


def test_what_ships_lies_between_what_is_tried() -> None:
    shipped = asdict(DEFAULT_CLASSIFIER)
    tried = {"page": PAGE, "out_of_vocabulary": OUT_OF_VOCABULARY, "names": NAMES, "year": YEAR}
    assert all(min(values) <= shipped[name] <= max(values) for name, values in tried.items())
    assert set(shipped) == {*tried, "threshold", "foreign"}


def test_the_table_has_a_line_for_each_kind_and_classifier() -> None:
    labelled = {
        "one": LabelledFeatures(GOOD, {"strange": STRANGE}, {"short": GOOD}),
        "other": LabelledFeatures(GOOD, {"strange": STRANGE}, {}),
    }
    section = answerability_table(labelled)
    assert [row[:2] for row in section.rows].count(("one", "as it ships")) == 2
    assert len(section.rows) == 6


def test_what_is_told_elsewhere_is_left_out() -> None:
    library, known = next(iter(TOLD.items()))
    asked = {
        "gone": [Query(next(iter(known)), ""), Query("other", "")],
        "strange": [Query("stranger", "")],
    }
    found = {"gone": [1, 2], "strange": [3]}
    assert left(library, asked, found) == {"gone, and told nowhere else": [2]}
    assert left("elsewhere", asked, found) == {}


@pytest.mark.parametrize("library", TOLD)
@needs_corpus
def test_what_is_told_elsewhere_is_asked_of_a_set_and_told_by_another_file(library: str) -> None:
    asked = {query.id for name in sets.NAMES for query in sets.find(name).queries()}
    measurer = Measurer.from_set(sets.find(library))
    own = {query.id for query in sets.find(library).queries()}
    for question, (file, page) in TOLD[library].items():
        assert question in asked
        assert question not in own or file not in measurer.files(question)
        assert (sets.find(library).corpus / file).is_file()
        assert page >= 1
