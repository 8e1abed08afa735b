"""How the command line tells of models."""

from __future__ import annotations

from msgspec.structs import replace

from app.cli_models import comparison_lines, info_rows, summary
from indexer.api.models import (
    ComparedPassage,
    ComparedQuestion,
    ModelComparison,
    Question,
    read_questions,
)
from indexer.embed.models import PUBLISHED


def test_what_nobody_has_verified_is_unknown() -> None:
    bge = PUBLISHED["bge-m3"]
    assert summary(bge).startswith("not here yet, 1024 dimensions, 8,192 tokens")
    rows = dict(info_rows(replace(bge, dimensions=None)))
    assert rows["dimensions"] == rows["bytes"] == "unknown"
    assert (rows["state"], rows["disk bytes"]) == ("absent", "0 bytes")
    nomic = dict(info_rows(PUBLISHED["nomic-embed-text-v1.5"]))
    assert nomic["query prefix"] == "search_query: "
    assert nomic["tokens"] == "8,192"


def test_questions_are_lines_with_the_right_document_behind_a_tab() -> None:
    text = "# mine\n\nWho pays?\tlease.pdf#page=3\n  Since when? \n"
    assert list(read_questions(text)) == [
        Question("Who pays?", "lease.pdf#page=3"),
        Question("Since when?"),
    ]


def test_two_models_are_compared_in_words() -> None:
    questions = (
        ComparedQuestion(
            Question("Who pays?", "a.txt"),
            (
                ComparedPassage("a.txt#page=2", "", (1, 4), right=True),
                *(ComparedPassage("c.txt#page=1", "", (rank, rank)) for rank in range(2, 10)),
                ComparedPassage("a.txt#page=1", "", (10, None), right=True),
                ComparedPassage("b.txt#page=1", "", (None, 10)),
            ),
        ),
        ComparedQuestion(
            Question("Why?"),
            tuple(ComparedPassage("c.txt#page=1", "", (rank, rank)) for rank in range(1, 11)),
        ),
    )
    lines = list(comparison_lines(ModelComparison("one:int8", "two:fp32", questions)))
    assert lines[1] == "  9 of the first ten passages in both; the right one at 1 and 4"
    assert lines[3] == "  only two:fp32: b.txt#page=1"
    assert "2 questions; 9.5 of the first ten" in lines[-3]
    assert "first 0 of 1 times, among ten 1 times, mrr@10 0.250" in lines[-1]
    (*_, hint) = comparison_lines(ModelComparison("one:int8", "two:fp32", questions[1:]))
    assert hint.startswith("Write the right document")
