"""The two passes over a document: offsets, furniture, headings, id and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind, DocumentInfo
from indexer.extract.base import BlockStyle, PageSource, PageText, RawBlock, RawPage
from indexer.extract.document import CanonicalText, Spool
from tests.unit.extract.pages import page_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Pages(PageSource):
    """A source of prepared pages."""

    def __init__(self, raw: list[RawPage]) -> None:
        self.raw = raw
        self.page_count = len(raw)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        return iter(self.raw)


def read(*pages: RawPage) -> tuple[DocumentInfo, list[PageText]]:
    with Spool() as spool:
        document = CanonicalText(spool)
        source = Pages(list(pages))
        document.read_pages(source, lambda page: None)
        info = document.info(source, "pdf", lambda sample: "en")
        return info, list(document.pages())


@given(st.lists(st.text(alphabet="ab é\n", max_size=20), min_size=1, max_size=6))
def test_pages_are_slices_of_the_canonical_text(texts: list[str]) -> None:
    pages = [page_of(n, *filter(None, text.split("\n"))) for n, text in enumerate(texts, 1)]
    pages.append(RawPage(len(pages) + 1, "end"))
    info, found = read(*pages)
    canonical = "\n".join(page.text for page in pages)
    assert info.characters == len(canonical)
    for page in found:
        assert canonical[page.offset : page.offset + len(page.text)] == page.text
        for block in page.blocks:
            assert page.offset <= block.start <= block.end <= page.offset + len(page.text)


def test_equal_texts_have_equal_ids() -> None:
    one, same, other = page_of(1, "a", "b"), page_of(1, "a", "b"), page_of(1, "a", "c")
    assert read(one)[0].text_id == read(same)[0].text_id
    assert read(one)[0].text_id != read(other)[0].text_id


def test_page_breaks_are_part_of_the_text_id() -> None:
    assert (
        read(page_of(1, "a"), page_of(2, "b"))[0].text_id == read(page_of(1, "a", "b"))[0].text_id
    )


def test_split_rows_are_merged_unless_they_are_furniture() -> None:
    def part(start: int, end: int, top: float, *, split_off: bool = True) -> RawBlock:
        style = BlockStyle(10.0, bold=False, top=top, bottom=top + 0.02)
        return RawBlock(start, end, BlockKind.PARAGRAPH, style=style, split_off=split_off)

    pages = []
    for n, letter in enumerate("abcde", 1):
        text = f"A paragraph {letter * 20}\nthat goes on {letter * 20}\nThe Lamp"
        first, second = text.index("\n"), text.rindex("\n")
        rows = part(0, first, 0.1, split_off=False), part(first + 1, second, 0.9)
        pages.append(RawPage(n, text, (*rows, part(second + 1, len(text), 0.96))))
    for page in read(*pages)[1]:
        paragraph, foot = page.blocks
        around = BlockKind.BOILERPLATE if page.number == 1 else BlockKind.FURNITURE
        assert (paragraph.kind, foot.kind) == (BlockKind.PARAGRAPH, around)
        assert page.text[: paragraph.end - page.offset].count("\n") == 1
        assert page.text[foot.start - page.offset : foot.end - page.offset] == "The Lamp"


def test_bad_pages_are_listed() -> None:
    info, _ = read(page_of(1, "text"), RawPage(2, "", unreadable="broken"), page_of(3, "more"))
    assert info.bad_pages == (2,)
    assert info.pages == 3


@pytest.mark.parametrize(
    ("pages", "code"),
    [
        ([], "empty"),
        ([RawPage(1, "")], "no_text"),
        ([RawPage(1, "… — ***\n_")], "no_text"),
        ([RawPage(1, "", unreadable="broken")], "unreadable"),
        ([RawPage(1, ""), RawPage(2, "", unreadable="broken")], "no_text"),
    ],
)
def test_documents_without_text_say_why(pages: list[RawPage], code: str) -> None:
    with pytest.raises(WorldError) as caught:
        read(*pages)
    assert caught.value.code == code


def test_progress_is_reported_before_each_page() -> None:
    told: list[int] = []
    with Spool() as spool:
        source = Pages([page_of(n, "x") for n in (1, 2)])
        CanonicalText(spool).read_pages(source, told.append)
    assert told == [1, 2, 3]


def around(*pages: RawPage) -> list[tuple[int, str]]:
    """The pages and texts of what is found apart from the text."""
    return [
        (page.number, page.text[block.start - page.offset : block.end - page.offset])
        for page in read(*pages)[1]
        for block in page.blocks
        if block.kind is BlockKind.BOILERPLATE
    ]


def printed(number: int, head: str, foot: str) -> RawPage:
    body = [f"{word} lamp of page {number * number}." for word in ("First", "Middle", "Last")] * 3
    return page_of(number, *filter(None, (head, *body, foot)))


def test_a_running_head_is_found_once_where_it_comes_first() -> None:
    heads = ["Draft 7 of the Heron", "Contract KX-88-4410"]
    pages = [printed(n, heads[n % 2], f"Page {n} of 8") for n in range(1, 9)]
    assert around(*pages) == [(1, heads[1]), (2, heads[0])]
    assert around(*(printed(n, "", f"{n} | Annual Report") for n in range(1, 9))) == [
        (1, "1 | Annual Report")
    ]


def test_a_running_head_that_the_text_has_is_not_found_twice() -> None:
    pages = [printed(n, "The Lamp", str(n)) for n in range(1, 9)]
    title = page_of(9, "x", "More of the  lamp", *"abcdef")
    assert around(*pages) == [(1, "The Lamp")]
    assert around(*pages, title) == []


def test_boilerplate_that_a_format_marks_is_found_once() -> None:
    def page(number: int, menu: str, body: str) -> RawPage:
        text = f"{menu}\n{body}"
        end = len(menu)
        blocks = (
            RawBlock(0, end, BlockKind.BOILERPLATE),
            RawBlock(end + 1, len(text), BlockKind.PARAGRAPH),
        )
        return RawPage(number, text, blocks)

    pages = [page(n, "Home  About", f"Chapter {n}") for n in (1, 2)]
    assert around(*pages, page(3, "Imprint", "The end"), page(4, "***", "or not")) == [
        (1, "Home  About"), (3, "Imprint"),
    ]  # fmt: skip
