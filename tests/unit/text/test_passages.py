"""Passages: nothing lost, nothing twice, in order, and cut where a reader would cut."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.api.types import Block, BlockKind, OutlineEntry, Passage
from indexer.text.passages import Costs, cut
from indexer.text.pieces import length_in_words
from indexer.text.view import make_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SENTENCE = "The quick brown fox jumps over the lazy dog near the river bank. "


@dataclass(frozen=True)
class Page:
    number: int
    offset: int
    text: str
    blocks: list[Block] = field(default_factory=list)
    part: str = ""


class Document:
    """Pages put together block by block."""

    def __init__(self) -> None:
        self.pages: list[Page] = [Page(1, 0, "")]

    def add(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, level: int = 0) -> Document:
        page = self.pages[-1]
        start = page.offset + len(page.text)
        block = Block(start, start + len(text), kind, page.number, level)
        self.pages[-1] = Page(
            page.number, page.offset, f"{page.text}{text}\n", [*page.blocks, block]
        )
        return self

    def turn(self) -> Document:
        page = self.pages[-1]
        self.pages.append(Page(page.number + 1, page.offset + len(page.text) + 1, ""))
        return self

    @property
    def text(self) -> str:
        return "\n".join(page.text for page in self.pages)

    @property
    def blocks(self) -> list[Block]:
        return [block for page in self.pages for block in page.blocks]

    def passages(self, outline: Sequence[OutlineEntry] = ()) -> list[Passage]:
        return list(cut(self.pages, outline))


BODY = st.lists(
    st.sampled_from(
        ["word", "A longer Clause, here", "inter-\nnational", "ends.", "Mr.", "ﬁn", "cafe\u0301",
         "中文句子。另一", "1,234.5", "\n", "e.g.", "กขค", "!", "\u00ad", "x" * 50, "no stop"]
    ),
    min_size=1,
    max_size=30,
).map(" ".join)  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> Document:
    document = Document()
    for _ in range(draw(st.integers(1, 4))):
        for _ in range(draw(st.integers(0, 5))):
            kind = draw(st.sampled_from(list(BlockKind)))
            document.add(draw(BODY), kind, 1 if kind is BlockKind.HEADING else 0)
        document.turn()
    return document


def letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c.isalnum())


def without_furniture(document: Document, start: int = 0, end: int | None = None) -> str:
    kept = list(document.text)
    for block in document.blocks:
        if block.kind in (BlockKind.FURNITURE, BlockKind.BOILERPLATE):
            kept[block.start : block.end] = " " * (block.end - block.start)
    return "".join(kept[start:end])


def texts_of(document: Document, kind: BlockKind) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if b.kind is kind]


def is_boilerplate(document: Document, passage: Passage) -> bool:
    """Whether a passage begins in boilerplate."""
    return any(
        block.kind is BlockKind.BOILERPLATE and block.start <= passage.char_start < block.end
        for block in document.blocks
    )


@given(documents(), st.sampled_from([3, 20, 150]))
@settings(max_examples=150)
def test_every_letter_is_in_exactly_one_passage(document: Document, target: int) -> None:
    passages = list(cut(document.pages, target_words=target))
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))
    around = [p for p in passages if is_boilerplate(document, p)]
    passages, last = (
        passages[: len(passages) - len(around)],
        passages[len(passages) - len(around) :],
    )
    assert last == around
    found = "".join(document.text[p.char_start : p.char_end] for p in around)
    assert letters(found) == letters("".join(texts_of(document, BlockKind.BOILERPLATE)))
    at = 0
    for passage in passages:
        assert at <= passage.char_start < passage.char_end
        at = passage.char_end
        assert passage.text == document.text[passage.char_start : passage.char_end]
    found = "".join(without_furniture(document, p.char_start, p.char_end) for p in passages)
    assert letters(found) == letters(without_furniture(document))
    assert [*passages, *around] == list(cut(document.pages, target_words=target))


@given(documents(), st.sampled_from([3, 20, 150]))
@settings(max_examples=150)
def test_a_passage_is_the_view_of_its_text(document: Document, target: int) -> None:
    for passage in cut(document.pages, target_words=target):
        if is_boilerplate(document, passage):
            continue
        view = make_view(passage.text, document.blocks, passage.char_start).text
        assert passage.view.split() == view.split()
        assert len(passage.text_starts) == len(passage.view_starts)
        assert passage.text_starts[0] == passage.view_starts[0] == 0
        for starts, whole in (
            (passage.text_starts, passage.text),
            (passage.view_starts, passage.view),
        ):
            assert list(starts) == sorted(set(starts))
            assert starts[-1] < len(whole)
        text_ends = [*passage.text_starts[1:], len(passage.text)]
        view_ends = [*passage.view_starts[1:], len(passage.view)]
        for i, end in enumerate(text_ends):
            sentence = without_furniture(
                document, passage.char_start + passage.text_starts[i], passage.char_start + end
            )
            assert letters(sentence) == letters(passage.view[passage.view_starts[i] : view_ends[i]])


@given(documents())
def test_pages_of_a_passage(document: Document) -> None:
    for passage in document.passages():
        numbers = [
            page.number
            for page in document.pages
            for place in (passage.char_start, passage.char_end - 1)
            if page.offset <= place < page.offset + len(page.text)
        ]
        assert (passage.page_first, passage.page_last) == (min(numbers), max(numbers))


@given(documents())
def test_pages_of_sentences(document: Document) -> None:
    for passage in document.passages():
        begins = [
            max(page.number for page in document.pages if page.offset <= passage.char_start + start)
            for start in passage.text_starts
        ]
        several = passage.page_last > passage.page_first
        assert passage.text_pages == (tuple(begins) if several else ())


def test_sections_that_begin_inside_a_passage_are_known() -> None:
    document = Document()
    for title in ("The Lamp", "The Boat", "The Well"):
        document.add(title, BlockKind.HEADING, 1).add(f"{title} is looked after by the keeper.")
    (passage,) = document.passages()
    assert passage.heading_path == ("The Lamp",)
    assert [path for _, path in passage.sections] == [("The Boat",), ("The Well",)]
    for begin, (title,) in passage.sections:
        assert passage.text[passage.text_starts[begin] :].startswith(title)


def test_length_of_running_text() -> None:
    document = Document()
    for _ in range(60):
        document.add(SENTENCE * 5)
    sizes = [len(passage.view.split()) for passage in document.passages()]
    assert all(100 <= size <= 240 for size in sizes)
    assert 130 <= sum(sizes) / len(sizes) <= 200


def test_a_passage_ends_with_its_page() -> None:
    document = Document()
    for _ in range(10):
        document.add(SENTENCE * 6).add(SENTENCE * 3).turn()
    assert all(passage.page_first == passage.page_last for passage in document.passages())


def test_a_sentence_belongs_to_the_page_where_it_starts() -> None:
    document = Document().add(SENTENCE * 8 + "This one goes on after the turning of")
    document.add("Running foot", BlockKind.FURNITURE)
    document.turn().add("the page and ends. " + SENTENCE * 8)
    first, second = document.passages()
    assert first.view.endswith("This one goes on after the turning of the page and ends.")
    assert "Running foot" in first.text
    assert (first.page_first, first.page_last, second.page_first) == (1, 2, 2)
    assert second.text.startswith("The quick")


def test_headings_open_passages_and_make_paths() -> None:
    document = Document()
    document.add("Part One", BlockKind.HEADING, 1).add("Origins", BlockKind.HEADING, 2)
    document.add(SENTENCE * 8)
    document.add("Growth", BlockKind.HEADING, 2).add(SENTENCE * 8)
    document.add("Part Two", BlockKind.HEADING, 1).add(SENTENCE)
    passages = document.passages()
    assert [p.heading_path for p in passages] == [
        ("Part One", "Origins"),
        ("Part One", "Growth"),
        ("Part Two",),
    ]
    assert passages[0].view.startswith("Part One\nOrigins\nThe quick")
    assert passages[1].view.startswith("Growth\nThe quick")


def test_tiny_sections_share_a_passage() -> None:
    document = Document().add("Questions", BlockKind.HEADING, 1)
    for number in range(12):
        document.add(f"Question {number}", BlockKind.HEADING, 2).add(SENTENCE)
    assert 1 <= len(document.passages()) <= 3


def test_bookmarks_give_paths_where_no_heading_was_seen() -> None:
    document = Document().add("1 Introduction").add(SENTENCE * 9).turn()
    document.add(SENTENCE * 9).turn().add("Method\nand data").add(SENTENCE * 9)
    outline = [
        OutlineEntry(1, "1 Introduction", 1),
        OutlineEntry(1, "Page 2", 2),
        OutlineEntry(2, "Unseen title", 2),
        OutlineEntry(1, "Method and Data", 3),
    ]
    assert [p.heading_path for p in document.passages(outline)] == [
        ("1 Introduction",),
        ("1 Introduction", "Unseen title"),
        ("Method and Data",),
    ]


def test_a_table_and_a_list_stay_whole_where_they_fit() -> None:
    rows = "\n".join(f"Row {n} | {n},000 | {n}.5 %" for n in range(16))
    document = Document().add(SENTENCE * 9).add(rows, BlockKind.TABLE).add(SENTENCE * 9)
    assert any(passage.view == rows for passage in document.passages())
    document = Document().add(SENTENCE * 7).add("These hold:")
    for number in range(8):
        document.add(f"({number}) the party of the part number {number}", BlockKind.LIST_ITEM)
    with_list = [p for p in document.add(SENTENCE * 9).passages() if "(0)" in p.view]
    assert "These hold:\n(0)" in with_list[0].view
    assert "(7)" in with_list[0].view


def test_a_long_table_is_cut_between_rows() -> None:
    rows = [f"Item {n} of the long table | {n},000 | {n}.5 % | remark {n}" for n in range(200)]
    passages = Document().add("\n".join(rows), BlockKind.TABLE).passages()
    assert len(passages) > 5
    assert [row for p in passages for row in p.view.split("\n")] == rows


def test_scripts_without_spaces_are_counted_by_characters() -> None:
    passages = Document().add("这是一个关于文件检索的句子。" * 200).passages()
    assert all(150 <= len(passage.view) <= 480 for passage in passages)
    assert all(passage.view.endswith("。") for passage in passages)


def test_no_passage_is_longer_than_the_cap() -> None:
    document = Document().add("word" * 5000).add("a b " * 5000).add("Supercalifragil " * 900)
    assert all(len(passage.view) <= Costs().characters for passage in document.passages())


def test_a_paragraph_longer_than_is_folded_at_once_keeps_every_word() -> None:
    text = " ".join(f"word{n}" for n in range(8000))
    found = [word for p in Document().add(text).passages() for word in p.view.split()]
    assert found == text.split()
    unbroken = "x" * 50_000
    views = "".join(p.view for p in Document().add(unbroken).passages())
    assert "".join(views.split()) == unbroken


def test_pages_stream() -> None:
    turned = 0

    def pages() -> Iterator[Page]:
        nonlocal turned
        for number in range(1, 200):
            turned = number
            text = SENTENCE * 20
            yield Page(number, (number - 1) * (len(text) + 1), text)

    for passage in cut(pages()):
        assert turned - passage.page_first <= 8
    assert turned == 199


def paragraphs_of(chance: random.Random, count: int) -> list[str]:
    return [
        " ".join(
            f"Sentence {chance.random()}{' and so on' * chance.randint(0, 8)}."
            for _ in range(chance.randint(1, 7))
        )
        for _ in range(count)
    ]


def test_an_edit_moves_the_cuts_near_it_and_no_others() -> None:
    chance = random.Random(5)
    before = paragraphs_of(chance, 400)

    def views(paragraphs: Sequence[str]) -> set[str]:
        document = Document()
        for paragraph in paragraphs:
            document.add(paragraph)
        return {passage.view for passage in document.passages()}

    known = views(before)
    assert len(known) > 100
    changed = []
    for _ in range(20):
        at = chance.randrange(len(before))
        new = paragraphs_of(chance, chance.randint(0, 2))
        changed.append(len(views([*before[:at], *new, *before[at + 1 :]]) - known))
    assert sum(changed) <= 4 * len(changed)
    assert max(changed) <= 12


def test_text_that_could_be_cut_anywhere_streams_too() -> None:
    """Rows that are all alike: no way to cut is better than another, and none waits for the end."""
    taken = 0

    def pages() -> Iterator[Page]:
        nonlocal taken
        text = "ten words that are the same in every single row\n" * 60
        for number in range(200):
            taken = number
            offset = number * (len(text) + 1)
            rows = range(0, len(text), len(text) // 60)
            yield Page(
                number + 1,
                offset,
                text,
                [Block(offset + at, offset + at + 47, BlockKind.TABLE, number + 1) for at in rows],
            )

    found = cut(pages())
    next(found)
    assert taken < 40
    assert all(50 <= len(passage.view.split()) <= 330 for passage in found)


def test_stems_and_language() -> None:
    document = Document().add(SENTENCE * 9).turn().add(SENTENCE * 9)
    asked: list[str] = []

    def language(text: str) -> str:
        asked.append(text)
        return f"l{len(asked)}"

    passages = list(
        cut(document.pages, language=language, stem=lambda view, code: f"{code} {view[:3]}")
    )
    assert [passage.stems for passage in passages] == ["l1 The", "l2 The"]
    assert asked == [page.text for page in document.pages]


def test_nothing_gives_nothing() -> None:
    assert list(cut([])) == []
    assert Document().add("\ufffd" * 3000).add("* * *").passages() == []
    assert Document().add("\u00ad \n").add("Foot", BlockKind.FURNITURE).passages() == []


def test_no_passage_reaches_out_of_a_document_inside() -> None:
    def page(number: int, offset: int, text: str, part: str) -> Page:
        return Page(
            number, offset, text, [Block(offset, offset + len(text), BlockKind.PARAGRAPH, 1)], part
        )

    pages = [
        page(1, 0, "A short mail.", ""),
        page(2, 14, "A short bill.", "bill.pdf"),
        page(2, 28, "Its end.", "bill.pdf"),
        page(3, 37, "A short note.", "bill.pdf"),
    ]
    assert [each.text for each in cut(pages)] == [
        "A short mail.", "A short bill.\nIts end.", "A short note.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "same",
    [
        "人人生而自由，在尊严和权利上一律平等。",
        "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    ],
)
def test_the_same_is_about_as_long_in_every_script(same: str) -> None:
    english = "All human beings are born free and equal in dignity and rights."
    assert 0.7 < length_in_words(same) / length_in_words(english) < 1.4


def test_a_heading_does_not_stand_over_what_is_far_behind_it() -> None:
    document = Document().add("Definitions", BlockKind.HEADING, 1)
    for _ in range(60):
        document.add(SENTENCE * 40)
    paths = [passage.heading_path for passage in document.passages()]
    assert paths[0] == ("Definitions",)
    assert paths[-1] == ()
    assert sorted(paths, reverse=True) == paths
    bookmarked = document.passages([OutlineEntry(1, "Definitions", 1)])
    assert {passage.heading_path for passage in bookmarked} == {("Definitions",)}


@pytest.mark.parametrize("kind", [BlockKind.PARAGRAPH, BlockKind.HEADING])
def test_a_clause_of_another_chapter_ends_the_one_whose_end_was_missed(kind: BlockKind) -> None:
    document = Document().add("1 Definitions", BlockKind.HEADING, 1).add(f"1.1 {SENTENCE * 20}")
    document.add("2.1 The oil of the lamp", kind, 2).add(SENTENCE * 20)
    document.add("2.5 litres of oil suffice. " + SENTENCE * 20)
    at = document.text.index("2.1")
    for passage in document.passages():
        assert ("1 Definitions" in passage.heading_path) == (passage.char_start < at)


def test_boilerplate_is_in_passages_of_its_own_after_the_others() -> None:
    document = Document().add("Project Heron - draft 7", BlockKind.BOILERPLATE)
    document.add(SENTENCE * 9).add("of the half sentence that goes on with the page").turn()
    document.add("Contract KX-88-4410", BlockKind.BOILERPLATE).add("and ends here.")
    *body, head, foot = document.passages()
    assert (head.text, head.page_first, head.heading_path) == ("Project Heron - draft 7", 1, ())
    assert (foot.text, foot.page_first) == ("Contract KX-88-4410", 2)
    assert not any("Heron" in one.view or "Contract" in one.view for one in body)
    assert "goes on with the page and ends here" in body[-1].view
