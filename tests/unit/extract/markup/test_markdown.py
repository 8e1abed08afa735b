"""Markdown: blocks from its syntax, with the text unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import BlockKind
from indexer.config import Limits
from indexer.extract.markup.markdown import markdown_blocks, open_source

if TYPE_CHECKING:
    from pathlib import Path


def blocks_of(text: str) -> list[tuple[str, str, int]]:
    return [(b.kind.value, text[b.start : b.end], b.level) for b in markdown_blocks(text)]


def visible(text: str) -> list[tuple[str, str, int]]:
    return [block for block in blocks_of(text) if block[0] != "furniture"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Lamp #\n\nIt burns.", [("heading", "Lamp", 1), ("paragraph", "It burns.", 0)]),
        ("Lamp\n----\nIt burns.", [("heading", "Lamp", 2), ("paragraph", "It burns.", 0)]),
        ("one\r\ntwo\r\n\r\nthree", [("paragraph", "one\r\ntwo", 0), ("paragraph", "three", 0)]),
        ("- a\n  b\n- c\n", [("list_item", "- a\n  b", 0), ("list_item", "- c", 0)]),
        ("1. a\n   - b\n", [("list_item", "1. a", 0), ("list_item", "   - b", 0)]),
        ("```py\nx = 1\n\ny\n```\nz", [("code", "x = 1\n\ny", 0), ("paragraph", "z", 0)]),
        ("~~~\nnever closed\n", [("code", "never closed", 0)]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", [("table", "| a | b |\n|---|---|\n| 1 | 2 |", 0)]),
        ("a\n\n---\n\n<!-- note -->\n\nb", [("paragraph", "a", 0), ("paragraph", "b", 0)]),
        ("#\n\nx", [("paragraph", "x", 0)]),
        ("", []),
    ],
)  # fmt: skip
def test_structure(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert visible(text) == expected


@given(st.text(alphabet="aB1#*-`>|=_[]<!: \t\r\n", max_size=150))
def test_blocks_are_in_order_whatever_the_text(text: str) -> None:
    end = 0
    for block in markdown_blocks(text):
        assert end <= block.start < block.end <= len(text)
        end = block.end


def test_front_matter_is_metadata_and_furniture(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text('---\ntitle: "The Lamp"\nauthor: K. Keeper\ndate: 2024-05-06\n---\n# One\n')
    source = open_source(path, None, Limits())
    (page,) = source.pages()
    assert (source.metadata.title, source.metadata.author) == ("The Lamp", "K. Keeper")
    assert source.metadata.created == "2024-05-06"
    kinds = {page.text[b.start : b.end]: b.kind for b in page.blocks}
    assert kinds["One"] is BlockKind.HEADING
    assert page.blocks[0].kind is BlockKind.FURNITURE
    assert page.text == path.read_text()
