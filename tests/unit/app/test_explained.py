"""Hits of ``like:`` with the sentences of their source, and the places that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.cli_search import place
from app.hit_lines import hit_lines
from app.render import TerminalStyle, cells
from indexer.api.types import AlignedSentence, HitExplanation, SourceSentence
from tests.unit.app.test_cli_text import HIT

if TYPE_CHECKING:
    from pathlib import Path


def test_sentences_stand_over_their_source() -> None:
    pair = AlignedSentence(0, 13, 0.9, SourceSentence(7, 0, 9, "Things\x1b come first. " * 20))
    like = replace(HIT, explain=HitExplanation(aligned=(pair,) * 9))
    lines = hit_lines(1, like, TerminalStyle(width=60))[-6:]
    assert lines[0] == "    0.90  First things."
    assert lines[1].startswith("          page 7: Things come first.")
    assert lines[:2] * 3 == lines
    assert all(cells(line) <= 60 for line in lines)


def test_a_document_is_named_by_its_path_if_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "a #1.txt"
    file.touch()
    assert place(str(file)) == str(file)
    assert place(f"{file}#page=2") == f"{file}#page=2"
    assert place("elsewhere.pdf#page=2") == "elsewhere.pdf#page=2"
    assert place("elsewhere.pdf") == "elsewhere.pdf"
