"""What is asked of the sets, and how samples are taken."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.scoring import compared
from tests.benchmarks.sets import NAMES, BenchSet, Query, find, without_preamble
from tests.corpora import needs_corpus

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ('Consider the Deed between A, Inc. ("A"); B; Who pays?', "Who pays?"),
        ("Consider the Deed\nbetween A; B; Who pays?", "Who pays?"),
        ("Who pays?", "Who pays?"),
        ("Should we consider the Deed; or not?", "Should we consider the Deed; or not?"),
    ],
)
def test_the_preamble_of_a_contract_question_goes(text: str, question: str) -> None:
    assert without_preamble(text) == question


def test_queries_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [{"id": "q2", "query": "é?", "gold": []}, {"id": "q1", "query": "b", "gold": []}]
    lines = "\n".join(json.dumps(row) for row in rows) + "\n\n"
    (tmp_path / "queries.jsonl").write_text(lines, encoding="utf-8")
    assert BenchSet("tiny", tmp_path).queries() == [Query("q2", "é?"), Query("q1", "b")]


def test_a_set_is_not_asked_what_its_documents_answer() -> None:
    assert not {"xquad-cross", "xquad-mono"} & set(find("xquad-mono").others())
    assert not {"cuad", "cuad-plain"} & set(find("cuad").others())
    assert len(find("evidence").others()) == len(NAMES) - 1


def test_sets_of_the_same_documents_share_a_library() -> None:
    assert find("cuad-plain").library == find("cuad").library
    assert find("cuad-plain").corpus == find("cuad").corpus


def test_a_part_of_a_set_has_the_questions_that_its_documents_answer(tmp_path: Path) -> None:
    gold = {"q1": ["b/1.txt"], "q2": ["a.txt", "b/1.txt"], "q3": ["c.txt"], "q4": ["a.txt"]}
    whole = BenchSet("tiny", tmp_path / "tiny", "a-model")
    (whole.corpus / "b").mkdir(parents=True)
    for name in ("a.txt", "b/1.txt", "c.txt", "unasked.txt"):
        (whole.corpus / name).write_text(name, encoding="utf-8")
    rows = [
        {"id": name, "query": f"{name}?", "gold": [{"file": file} for file in files]}
        for name, files in gold.items()
    ]
    lines = "\n".join(json.dumps(row) for row in rows)
    (whole.folder / "queries.jsonl").write_text(lines, encoding="utf-8")
    for _again in range(2):
        part = whole.part(2, tmp_path / "parts")
        assert (part.name, part.model) == ("tiny-2", "a-model")
        files = {path.name: path.read_text() for path in part.corpus.rglob("*.txt")}
        assert files == {"a.txt": "a.txt", "1.txt": "b/1.txt"}
        assert [query.id for query in part.queries()] == ["q1", "q2", "q4"]
    assert [query.id for query in whole.part(0, tmp_path / "parts").queries()] == list(gold)


@pytest.mark.parametrize("name", NAMES)
@needs_corpus
def test_every_set_has_documents_and_questions(name: str) -> None:
    assert find(name).corpus.is_dir()
    assert find(name).queries()


def test_better_and_worse_queries_are_counted() -> None:
    assert compared([1.0, 0.5, 0.0, 1.0], [0.5, 1.0, 1.0, 1.0]) == "+2 -1"
