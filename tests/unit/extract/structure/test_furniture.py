"""Running heads, feet and page numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.base import RawPage
from indexer.extract.structure import headings as furniture_module
from indexer.extract.structure.headings import FurnitureDetector
from tests.unit.extract.pages import page_of

if TYPE_CHECKING:
    from collections.abc import Callable


def furniture(pages: list[RawPage]) -> list[list[str]]:
    """The furniture of each page, as its texts."""
    census = FurnitureDetector()
    for page in pages:
        census.add_page(page)
    return [
        [page.text[b.start : b.end] for b in page.blocks if b.start in census.furniture_of(page)]
        for page in pages
    ]


def body(number: int) -> list[str]:
    return [
        f"{word} sentence of page {number * number}." for word in ("First", "Middle", "Last")
    ] * 3


def book(count: int, head: Callable[[int], str], foot: Callable[[int], str]) -> list[RawPage]:
    return [page_of(n, *filter(None, (head(n), *body(n), foot(n)))) for n in range(1, count + 1)]


ROMANS = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii"]


@pytest.mark.parametrize(
    "foot",
    [
        str, lambda n: f"- {n} -", lambda n: f"Page {n} of 8", lambda n: f"F-{n + 30}",
        lambda n: ROMANS[n], lambda n: f"{n} | Annual Report 2019", lambda n: "Confidential",
        lambda n: f"Lamp Company · Form 10-K · {n + 112}",
    ],
)  # fmt: skip
def test_heads_and_feet_are_found(foot: Callable[[int], str]) -> None:
    pages = book(8, lambda n: "The Lamp", foot)
    assert furniture(pages) == [["The Lamp", foot(n)] for n in range(1, 9)]


def test_odd_and_even_pages_may_differ() -> None:
    heads = ("The Lamp", "A Keeper's Tale")
    assert furniture(book(10, lambda n: heads[n % 2], lambda n: "")) == [
        [heads[n % 2]] for n in range(1, 11)
    ]


def test_a_head_may_change_with_the_chapter() -> None:
    pages = book(16, lambda n: "On Oil" if n <= 8 else "On Wicks", str)
    assert all(len(found) == 2 for found in furniture(pages))


def test_numbers_that_do_not_advance_with_the_pages_stay() -> None:
    pages = [page_of(n, *body(n), f"Total {n * n * 37}") for n in range(1, 9)]
    assert furniture(pages) == [[]] * 8


def test_a_year_alone_at_the_foot_is_no_page_number() -> None:
    pages = book(8, lambda n: "", lambda n: str(n) if n != 5 else "2014")
    assert furniture(pages)[4] == []


def test_rows_inside_the_page_are_no_furniture() -> None:
    pages = [page_of(n, *body(n), "Recurring", *body(n)) for n in range(1, 9)]
    assert furniture(pages) == [[]] * 8


def test_rows_behind_a_row_of_text_are_no_furniture() -> None:
    pages = [page_of(n, f"Unique {n * n}", "Recurring", *body(n)) for n in range(1, 9)]
    assert furniture(pages) == [[]] * 8


@pytest.mark.parametrize("count", [1, 2])
def test_two_pages_are_too_few(count: int) -> None:
    assert furniture(book(count, lambda n: "The Lamp", str)) == [[]] * count


def test_a_page_number_with_a_total_needs_no_recurrence() -> None:
    assert furniture(book(2, lambda n: "", lambda n: f"Page {n} of 2")) == [
        ["Page 1 of 2"],
        ["Page 2 of 2"],
    ]


def test_the_only_row_of_a_page_is_kept() -> None:
    assert furniture([page_of(n, f"Slide {n}: read this.") for n in range(1, 9)]) == [[]] * 8


def test_an_otherwise_blank_page_has_furniture() -> None:
    pages = book(8, lambda n: "The Lamp", str)
    pages[4] = page_of(5, "The Lamp", "5")
    assert furniture(pages)[4] == ["The Lamp", "5"]


def test_long_paragraphs_are_never_furniture() -> None:
    long = "These words recur on every page and yet they are a paragraph. " * 5
    assert furniture(book(8, lambda n: long, lambda n: "")) == [[]] * 8


def test_pages_without_geometry_have_no_furniture() -> None:
    pages = [RawPage(n, "The Lamp\ntext") for n in range(1, 9)]
    assert furniture(pages) == [[]] * 8


@given(
    st.lists(st.lists(st.text(alphabet="ab1 ix", min_size=1, max_size=6), max_size=8), max_size=8)
)
def test_middle_rows_of_any_pages_are_kept(texts: list[list[str]]) -> None:
    pages = [page_of(n, *rows) for n, rows in enumerate(texts, 1)]
    for found in furniture(pages):
        assert len(found) <= 6


def test_memory_does_not_grow_with_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(furniture_module, "_MAX_REMEMBERED", 500)
    census = FurnitureDetector()
    for n in range(1, 400):
        census.add_page(page_of(n, f"one {n * n}", f"two {n * n}", f"three {n * n}"))
    assert len(census._seen) < 510
