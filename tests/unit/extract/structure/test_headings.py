"""Headings and their levels."""

from __future__ import annotations

import pytest

from indexer.api.types import OutlineEntry
from indexer.extract.base import RawBlock, RawPage
from indexer.extract.structure.headings import HeadingDetector
from tests.unit.extract.pages import page_of, styled

PROSE = "The keeper lit the lamp before the ships came round the point, and wrote it down. " * 4


def headings(pages: list[RawPage], outline: tuple[OutlineEntry, ...] = ()) -> list[tuple[str, int]]:
    census = HeadingDetector(outline)
    for page in pages:
        census.add_page(page)
    return [
        (page.text[block.start : block.end], level)
        for page in pages
        for block, level in zip(page.blocks, census.levels(page, page.blocks), strict=True)
        if level
    ]


def test_larger_type_has_a_higher_level_than_bold_type() -> None:
    pages = [
        page_of(
            n,
            styled(f"Chapter {n}", size=16),
            PROSE,
            styled("On oil", bold=True),
            PROSE,
            styled("An aside", size=10),
        )
        for n in range(1, 4)
    ]
    assert headings(pages) == [
        ("Chapter 1", 1),
        ("On oil", 2),
        ("Chapter 2", 1),
        ("On oil", 2),
        ("Chapter 3", 1),
        ("On oil", 2),
    ]


def test_the_form_of_a_heading_ranks_it_within_a_type_style() -> None:
    page = page_of(
        1,
        styled("ARTICLE I", bold=True), PROSE, styled("1. Oil", bold=True), PROSE,
        styled("1.1 Purity of the oil", bold=True), PROSE, styled("Remarks", bold=True), PROSE,
    )  # fmt: skip
    assert [level for _, level in headings([page])] == [1, 2, 3, 4]


def test_a_paragraph_that_begins_in_bold_type_has_no_heading() -> None:
    page = page_of(1, styled("The Keeper", bold=True), "lit the lamp. " + PROSE, PROSE)
    assert headings([page]) == []


def test_a_clause_heading_may_have_the_body_style() -> None:
    page = page_of(1, "RECITALS", PROSE, "1. Services.", PROSE, "2. Fees and Payment.", PROSE)
    assert [text for text, _ in headings([page])] == [
        "RECITALS",
        "1. Services.",
        "2. Fees and Payment.",
    ]


def test_numbered_lines_that_follow_each_other_are_a_list() -> None:
    assert headings([page_of(1, PROSE, "1. Oil", "2. Wicks", "3. Glass", PROSE)]) == []


@pytest.mark.parametrize(
    "text",
    [
        "and continued in small letters", "A sentence that ends.", "Years ended, and", "12,345",
        "Definitions. In this agreement the words below mean", "one\ntwo\nthree\nfour", "—",
        "word " * 30, "Total\t1,234\t5,678", "between the",
    ],
)  # fmt: skip
def test_text_that_is_no_heading_is_none_in_any_style(text: str) -> None:
    assert headings([page_of(1, PROSE, styled(text, size=20, bold=True), PROSE)]) == []


def test_tables_and_captions_are_no_headings() -> None:
    rows = [styled(kind, size=20, kind=kind) for kind in ("table", "caption")]
    assert headings([page_of(1, PROSE, *rows, PROSE)]) == []


def test_styles_of_the_cover_only_are_no_headings() -> None:
    cover = page_of(1, styled("A Keeper's Tale", size=40))
    pages = [page_of(n, styled(f"Part {n}", size=14), PROSE) for n in range(2, 7)]
    assert "A Keeper's Tale" not in dict(headings([cover, *pages]))


def test_outline_entries_are_headings() -> None:
    outline = (OutlineEntry(2, "On Oil", 1),)
    page = page_of(1, "On  oil", PROSE, styled("Other", size=20), PROSE)
    assert headings([page], outline) == [("On  oil", 2), ("Other", 3)]


def test_blocks_without_style_are_unchanged() -> None:
    assert headings([RawPage(1, "LOUD")]) == []


@pytest.mark.parametrize("turn", ["{}", "{} 00:12:34", "{}: WHAT DID YOU SEE?"])
def test_the_turns_of_speakers_are_no_headings(turn: str) -> None:
    heard = [
        part
        for who in ("THE KEEPER", "INSPECTOR HALE") * 4
        for part in (styled(turn.format(who), bold=True), PROSE)
    ]
    title = styled("The evidence of the keeper", size=16)
    assert headings([page_of(1, title, PROSE, *heard)]) == [("The evidence of the keeper", 1)]


def test_headings_that_come_again_in_each_chapter_stay() -> None:
    parts: list[str | tuple[str, RawBlock]] = []
    for name in ("Oil", "Wicks", "Glass", "Brass"):
        parts += [styled(f"On {name}", size=16), PROSE, styled("Overview", bold=True), PROSE]
        parts += [styled("Costs", bold=True), PROSE]
    assert [text for text, _ in headings([page_of(1, *parts)])].count("Overview") == 4
