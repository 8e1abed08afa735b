"""Plain text: blocks cover the file in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.api.types import BlockKind
from indexer.config import Limits
from indexer.extract.plain.text import open_source, plain_blocks, typed_heading

if TYPE_CHECKING:
    from pathlib import Path


def blocks_of(text: str) -> list[tuple[str, str, int]]:
    return [(b.kind.value, text[b.start : b.end], b.level) for b in plain_blocks(text)]


def test_paragraphs_end_at_empty_lines_of_any_kind() -> None:
    text = "one\r\nstill one\r\n\r\ntwo\r\rthree\n  \nfour"
    assert [content for _, content, _ in blocks_of(text)] == [
        "one\r\nstill one", "two", "three", "four",
    ]  # fmt: skip


def test_list_items_are_separate_blocks() -> None:
    text = "Bring:\n- a lamp\n  with oil\n- a rope\n\n1. First\n2) Second\n(a) Third"
    assert blocks_of(text) == [
        ("paragraph", "Bring:", 0),
        ("list_item", "- a lamp\n  with oil", 0),
        ("list_item", "- a rope", 0),
        ("list_item", "1. First", 0),
        ("list_item", "2) Second", 0),
        ("list_item", "(a) Third", 0),
    ]


def test_underlined_lines_are_headings() -> None:
    text = "The Keeper\n==========\nHe lit the lamp.\n\nThe Book\n--------\n"
    assert blocks_of(text) == [
        ("heading", "The Keeper", 1),
        ("paragraph", "He lit the lamp.", 0),
        ("heading", "The Book", 2),
    ]


def test_the_number_of_equals_signs_is_the_level() -> None:
    text = " = Lamp = \n It burns oil .\n\n = = Wick = = \n It is made of cotton .\n"
    headings = [block for block in blocks_of(text) if block[0] == "heading"]
    assert headings == [("heading", "Lamp", 1), ("heading", "Wick", 2)]


def test_each_unwrapped_line_is_a_paragraph() -> None:
    long = "The keeper lit the lamp every evening, and wrote down what he saw. " * 4
    text = f"Results\nOn oil and wicks\n{long}\n{long}\nshort, after it"
    assert blocks_of(text) == [
        ("paragraph", "Results", 0),
        ("heading", "On oil and wicks", 3),
        ("paragraph", long, 0),
        ("paragraph", long, 0),
        ("paragraph", "short, after it", 0),
    ]


def test_rows_between_bars_are_a_table() -> None:
    text = "Sales were as follows:\n- | 2013 | 2012\noil | 12 | 15\nwicks | 7 | 9\nin millions."
    assert blocks_of(text) == [
        ("paragraph", "Sales were as follows:", 0),
        ("table", "- | 2013 | 2012\noil | 12 | 15\nwicks | 7 | 9", 0),
        ("paragraph", "in millions.", 0),
    ]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("CHAPTER IV", 1), ("Chapter 12. The Storm", 1), ("PART ONE", 1), ("THE STORM", 2),
        ("He was asleep.", 0), ("chapter and verse, he said, were all", 0), ("1984", 0),
        ("== Wick ==", 2), ("== Trimming the wick", 2), ("= The Lamp", 1), ("= 5 lamps", 0),
        ("= lamps = 12", 0), ("==>", 0), ("===", 0), ("==Wick", 0), ("(223 KB EPS).", 0),
        ("THE END.", 0), ("a == b", 0), ("A", 0), ("日本語の文章", 0), ("", 0),
    ],
)  # fmt: skip
def test_typed_headings_are_recognised(line: str, level: int) -> None:
    assert typed_heading(line) == level


def test_the_title_and_sections_of_asciidoc_are_headings() -> None:
    text = (
        "= The Lamp Manual\nAnna Keller <a@b.org>\n\n== Trimming\n\nTrim it daily.\n\n=== Tools\n"
    )
    assert [block for block in blocks_of(text) if block[0] == "heading"] == [
        ("heading", "The Lamp Manual", 1),
        ("heading", "Trimming", 2),
        ("heading", "Tools", 3),
    ]


@given(st.text(alphabet="aB1 -=#.\t\r\n", max_size=200))
@example("== 1")
def test_blocks_are_in_order_and_hold_every_character(text: str) -> None:
    covered: set[int] = set()
    end = 0
    for block in plain_blocks(text):
        assert end <= block.start < block.end <= len(text)
        end = block.end
        covered.update(range(block.start, block.end))
    missing = [c for i, c in enumerate(text) if i not in covered and not c.isspace()]
    assert set(missing) <= set("=-#")  # the rules below headings


def test_a_long_file_comes_in_sections_of_page_one(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    text = "\n\n".join(f"Paragraph {i} of a very long file." for i in range(30_000))
    path.write_text(text)
    pages = list(open_source(path, None, Limits()).pages())
    assert len(pages) > 3
    assert {page.number for page in pages} == {1}
    assert "\n".join(page.text for page in pages) == text
    assert all(block.kind is BlockKind.PARAGRAPH for page in pages for block in page.blocks)


SPEECH = "Well, we lit the lamp at dusk, and then the keeper went down to see about the oil. " * 4


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize(
    "turn",
    [
        "Grad {}: Yeah",
        "KEEPER {}: NO",
        "The keeper {}  0:05",
        "[00:12] Keeper {}: And so",
        "KEEPER {}：NO",
    ],
)
def test_the_turns_of_speakers_are_no_headings(turn: str, between: str) -> None:
    lines = [line for who in "ABABAB" for line in (turn.format(who), SPEECH)]
    assert "heading" not in [kind for kind, _, _ in blocks_of(between.join(lines))]


def test_a_label_that_does_not_come_again_may_be_of_a_heading() -> None:
    assert blocks_of(f"PART ONE: THE LAMP\n\n{SPEECH}")[0] == ("heading", "PART ONE: THE LAMP", 1)


def test_the_entries_of_a_table_of_contents_are_no_headings() -> None:
    entries = "ARTICLE I. THE LAMP 2\n\nARTICLE II. OIL . . . 14\n\nARTICLE III. WICKS\t57\n\n"
    text = f"{entries}ARTICLE I. THE LAMP\n\n{SPEECH}"
    headings = [content for kind, content, _ in blocks_of(text) if kind == "heading"]
    assert headings == ["ARTICLE I. THE LAMP"]
