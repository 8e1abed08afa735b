"""Building pages from blocks: offsets, sections, tables, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.config import Limits
from indexer.extract.document import Budget
from indexer.extract.page_writer import PageWriter, read_each, salvage
from tests.unit.extract.reading import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.extract.base import RawPage

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.text(max_size=20)),
        st.tuples(st.just("row"), st.lists(st.text(max_size=5), max_size=3)),
        st.tuples(st.just("turn"), st.just("")),
        st.tuples(st.just("end"), st.just("")),
    ),
    max_size=30,
)


def writer(characters: int = 10**6) -> PageWriter:
    return PageWriter(Budget(Limits(characters=characters)))


@given(STEPS)
def test_blocks_are_runs_of_their_pages(steps: list[tuple[str, str | list[str]]]) -> None:
    made = writer()
    for step, value in steps:
        if step == "add":
            made.add_block(str(value))
        elif step == "row":
            made.add_row(list(value))
        elif step == "turn":
            made.begin_page(made.page + 1)
        else:
            made.end_table()
    pages = list(made.finish())
    check(pages, made.page)
    assert [page.number for page in pages] == list(range(1, made.page + 1))
    for page in pages:
        covered = "\n".join(page.text[b.start : b.end] for b in page.blocks)
        assert covered == page.text


def test_a_completely_damaged_page_is_reported_once() -> None:
    made = writer()

    def read(number: int) -> Iterator[None]:
        if number == 2:
            raise WorldError("unreadable", reason="sheet_missing")
        made.add_block("oil")
        yield

    pages = list(read_each(3, (), made, read))
    assert [(page.number, page.text, page.unreadable) for page in pages] == [
        (1, "oil", ""), (2, "", "sheet_missing"), (3, "oil", ""),
    ]  # fmt: skip


def test_lone_surrogates_in_blocks_are_replaced() -> None:
    made = writer()
    made.add_block("a\ud800b")
    made.append("\udfff", ())
    made.add_row(["\ud800"])
    check(list(made.finish()), 1)


def test_long_pages_come_in_sections() -> None:
    made = writer()
    for _ in range(30):
        made.add_block("x" * 10_000)
    pages = list(made.completed())
    assert len(pages) == 2
    assert {page.number for page in pages} == {1}
    assert len([*pages, *made.finish()]) == 3


def test_an_empty_page_is_a_page() -> None:
    made = writer()
    made.begin_page(2)
    made.add_block("two")
    assert [(page.number, page.text) for page in made.finish()] == [(1, ""), (2, "two")]


def test_tables_end_with_a_row() -> None:
    made = writer()
    for n in range(2000):
        made.add_row(["cell", str(n), "", " "])
    (page,) = made.finish()
    assert len(page.blocks) > 1
    for block in page.blocks:
        assert block.kind is BlockKind.TABLE
        assert page.text[block.start : block.end].startswith("cell\t")


def reading(made: PageWriter, *, fails: str) -> Iterator[RawPage]:
    made.add_block("kept")
    made.add_row(["a row under way"])
    yield from made.completed()
    raise WorldError(fails, reason="here", limit="x")


def test_what_stood_before_a_damage_is_kept() -> None:
    made = writer()
    pages = list(salvage(reading(made, fails="unreadable"), made))
    assert pages[0].text == "kept"
    assert pages[-1].unreadable


def test_a_password_is_needed_for_the_whole() -> None:
    made = writer()
    with pytest.raises(WorldError):
        list(salvage(reading(made, fails="needs_password"), made))


def test_the_number_of_characters_is_limited() -> None:
    made = writer(10)
    made.add_block("123456")
    with pytest.raises(WorldError) as caught:
        made.add_block("123456")
    assert caught.value.code == "too_complex"
    assert [page.text for page in made.abandon()] == ["123456"]
