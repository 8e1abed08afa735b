"""Fitting of the classifier, and the table of what it says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.search.answerability import DEFAULT_CLASSIFIER, AnswerabilityFeatures
from tests.benchmarks.answerability import (
    GONE,
    KEPT,
    LabelledFeatures,
    answerability_summary,
    answerability_table,
    fit_classifier,
    left_in,
    share_bad,
    share_perhaps,
)
from tests.benchmarks.sets import BenchSet
from tests.benchmarks.told_elsewhere import told_elsewhere

if TYPE_CHECKING:
    from pathlib import Path


def drawn(
    meaning: float, page: float, names: float, count: int = 200
) -> list[AnswerabilityFeatures]:
    random = np.random.default_rng(5)
    return [
        AnswerabilityFeatures(m, min(max(p, 0.0), 1.0), 0.0, names, 0.0, 0.0, m)
        for m, p in random.normal((meaning, page), (0.5, 0.1), (count, 2))
    ]


GOOD, STRANGE, NAMELESS = drawn(2, 0.5, 0.0), drawn(0, 0.2, 0.0), drawn(2, 0.5, 1.0)
OWN = drawn(2, 0.5, 0.0, 40)
ONE = LabelledFeatures(GOOD, {"strange": STRANGE}, {"short": GOOD}, OWN)


def test_a_classifier_tells_answered_questions_from_others() -> None:
    classifier = fit_classifier([ONE])
    assert share_bad(classifier, ONE, GOOD) <= 1 - KEPT + 0.01
    assert share_bad(classifier, ONE, STRANGE) > 0.9
    assert share_perhaps(classifier, ONE, GOOD) <= share_bad(classifier, ONE, GOOD)


def test_a_sign_that_tells_apart_is_worth_more_than_one_that_does_not() -> None:
    both = LabelledFeatures(GOOD, {"strange": STRANGE, "named": NAMELESS}, {}, OWN)
    classifier = fit_classifier([both])
    assert share_bad(classifier, both, NAMELESS) > 0.9
    assert classifier.names < -1.0
    assert classifier.year == pytest.approx(0.0)


def test_every_library_keeps_its_answers() -> None:
    near = LabelledFeatures(
        drawn(5, 0.9, 0.0), {"strange": drawn(3, 0.5, 0.0)}, {}, drawn(5, 0.9, 0.0, 40)
    )
    classifier = fit_classifier([ONE, near])
    for library in (ONE, near):
        assert share_bad(classifier, library, library.answered) <= 1 - KEPT + 0.01
    # In a library whose documents are nearer to each other so is what is no answer.
    assert near.baseline(classifier) > ONE.baseline(classifier)
    assert share_bad(classifier, near, near.unanswered["strange"]) > 0.9


def test_what_ships_weighs_every_feature_as_it_speaks() -> None:
    assert [weight > 0 for weight in DEFAULT_CLASSIFIER.weights] == [
        True, True, False, False, False, True, True, True,
    ]  # fmt: skip


def test_a_set_is_fitted_without_itself_and_what_shares_its_documents() -> None:
    labelled = dict.fromkeys(("cuad", "cuad-plain", "mergers", "xquad-mono"), ONE)
    assert left_in("cuad", labelled) == ["mergers"]
    assert left_in("mergers", labelled) == ["cuad", "cuad-plain"]


def test_the_table_has_a_line_for_each_kind() -> None:
    plain = LabelledFeatures(GOOD, {"strange": STRANGE}, {}, OWN)
    section = answerability_table({"one": ONE, "other": plain})
    assert [row[:2] for row in section.rows] == [
        ("one", "its own questions"), ("one", "strange"), ("one", "short"),
        ("other", "its own questions"), ("other", "strange"),
    ]  # fmt: skip
    assert all(len(row) == len(section.columns) for row in section.rows)


def test_the_summary_averages_the_kinds_and_counts_what_is_unsure() -> None:
    asked = LabelledFeatures(GOOD, {GONE: NAMELESS, "one": STRANGE, "two": GOOD}, {}, OWN)
    section = answerability_summary({"first": asked, "second": ONE})
    rows = {row[:2]: dict(zip(section.columns, row, strict=True)) for row in section.rows}
    assert list(rows) == [
        (name, way) for name in ("first", "second") for way in ("fitted on others", "as it ships")
    ]
    row = rows["first", "as it ships"]
    bad = [share_bad(DEFAULT_CLASSIFIER, asked, some) for some in (STRANGE, GOOD)]
    assert row["other sets' questions"] == pytest.approx(np.mean(bad))
    assert row["the least of these"] == min(bad)
    every = [*GOOD, *NAMELESS, *STRANGE, *GOOD]
    assert row["perhaps, of all"] == share_perhaps(DEFAULT_CLASSIFIER, asked, every)
    assert rows["second", "as it ships"]["its file taken away"] is None


def test_a_gold_sentence_that_stands_in_another_file_is_told_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    first, short = "The lamp is lit at dusk.", "Thank you."
    for file, text in {
        "one.txt": f"{first} {short}",
        "two.txt": f"{short}\nHere too the\nlamp is lit: " + first.replace(" ", "\n"),
        "three.txt": "The lamp is cleaned at noon.",
    }.items():
        (tmp_path / "corpus" / file).write_bytes(text.encode())
    gold = {
        "lit": {"file": "one.txt", "spans": [[0, len(first)]]},
        "thanks": {"file": "one.txt", "spans": [[len(first) + 1, len(first) + 1 + len(short)]]},
        "noon": {"file": "three.txt", "spans": [[0, 28]]},
    }
    rows = [{"id": name, "query": "", "gold": [one]} for name, one in gold.items()]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert told_elsewhere(BenchSet(tmp_path.name, tmp_path)) == {"lit"}
