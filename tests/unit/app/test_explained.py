"""The lines of explanations and comparisons."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest

from app.cli_search import place
from app.hit_lines import NUMBER_NAMES, explained_lines
from app.render import TerminalStyle, cells
from indexer.api.types import AlignedSentence, Explanation, HitExplanation, SourceSentence
from indexer.search.fusion import DocumentEvidence, PageEvidence, Scored, Weights
from tests.unit.app.test_cli_text import HIT

if TYPE_CHECKING:
    from pathlib import Path

MATCH = Explanation(
    cosine=0.5,
    recall=0.75,
    rest=0.1,
    words=(),
    query=(),
    marks=((0, 5), (6, 12), (0, 5)),
    same=((0, 5),),
    pairs=(("begin", "First", 0.61),),
)


@pytest.mark.parametrize("kind", [Scored, PageEvidence, DocumentEvidence, Weights])
def test_every_number_of_a_rank_has_a_name(kind: type) -> None:
    assert {field.name for field in fields(kind)} <= set(NUMBER_NAMES)


def test_numbers_are_named_by_their_group() -> None:
    explain = HitExplanation(
        score={"meaning": 0.5, "words": 0.25}, document={"words": 1, "odd_one": 0.1}
    )
    assert explained_lines(replace(HIT, explain=explain), TerminalStyle()) == [
        "score 0.500: meaning 0.500, words 0.250",
        "document: words of the document 1.000, odd one 0.100",
    ]


def test_matching_words_are_named_once() -> None:
    lines = explained_lines(
        replace(HIT, explain=HitExplanation(match=MATCH)), TerminalStyle(width=200)
    )
    first, second = HIT.text[0:5].lower(), HIT.text[6:12].lower()
    assert lines[0] == f"meaning carried by: {first}, {second}"
    assert lines[1] == f"the query's own words: {first}"
    assert lines[2] == "closest words: begin = First 0.61"
    assert "of which 20 %" in lines[3]
    assert "75 % of the question" in lines[3]
    assert explained_lines(replace(HIT, explain=None), TerminalStyle()) == []


def test_sentences_stand_over_their_source() -> None:
    pair = AlignedSentence(0, 13, 0.9, SourceSentence(7, 0, 9, "Things\x1b come first. " * 20))
    lines = explained_lines(
        replace(HIT, explain=HitExplanation(aligned=(pair,) * 9)), TerminalStyle(width=60)
    )
    assert len(lines) == 6
    assert lines[0] == "0.90  First things."
    assert lines[1].startswith("      page 7: Things come first.")
    assert all(cells(line) <= 60 for line in lines)


def test_a_document_is_named_by_its_path_if_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "a #1.txt"
    file.touch()
    assert place(str(file)) == str(file)
    assert place(f"{file}#page=2") == f"{file}#page=2"
    assert place("elsewhere.pdf#page=2") == "elsewhere.pdf#page=2"
    assert place("elsewhere.pdf") == "elsewhere.pdf"
