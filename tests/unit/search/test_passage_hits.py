"""What of a passage's text is no part of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.api.types import Block, BlockKind, Hit, Why
from indexer.search.passage_hits import best_by_words, has_pages, left_out, page_of, with_phrases
from indexer.search.query_terms import StemWeights
from indexer.text.view import make_view
from tests.store_rows import stored_passage

LINES = st.lists(
    st.tuples(st.sampled_from(["rent is due", "the ten-", "ant pays", "\ufb01nal\u0301", "…", ""]),
              st.booleans()),
    min_size=1, max_size=8,
)  # fmt: skip


@given(LINES)
def test_lines_that_the_view_lacks_are_left_out(lines: list[tuple[str, bool]]) -> None:
    text, blocks, heads = "", [], []
    for number, (words, is_head) in enumerate(lines):
        line = f"HEAD {number}" if is_head else words
        end = len(text) + len(line)
        kind = BlockKind.FURNITURE if is_head else BlockKind.PARAGRAPH
        blocks.append(Block(len(text), end, kind, 1))
        heads += [line] * is_head
        text += line + "\n"
    found = left_out(text, make_view(text, blocks).text)
    assert [text[low:high].strip() for low, high in found] == heads


def test_what_cannot_be_told_apart_stays() -> None:
    assert left_out("Rent is\n7\n12 months.", "Rent is 12 months.") == ((8, 10),)
    assert left_out("Rent is\n1\n12 months.", "Rent is 12 months.") == ()
    assert left_out("One\ntwo", "One two") == ()


def test_the_best_sentence_by_words_has_the_rarest_of_them() -> None:
    text = "The lamp is lit. Lamps, lamps and wicks! Nobody came."
    passage = stored_passage(text, text_starts=(0, 17, 41))
    lamp, wick = ("lamp", (0, 1.0)), ("wick", (1, 2.0))
    assert best_by_words(passage, StemWeights(dict([lamp]), 1, 1.0)) == 0
    assert best_by_words(passage, StemWeights(dict([lamp, wick]), 2, 3.0)) == 1
    assert best_by_words(passage, StemWeights({}, 0, 0.0)) == -1, "none has any"
    without = replace(passage, text_starts=())
    assert best_by_words(without, StemWeights(dict([lamp]), 1, 1.0)) == -1


@given(st.lists(st.integers(3, 9), max_size=4).map(sorted), st.integers(-1, 6))
def test_the_page_is_that_of_the_sentence_and_else_the_first(pages: list[int], at: int) -> None:
    known = 0 <= at < len(pages)
    passage = stored_passage("", page_first=3, text_pages=tuple(pages))
    assert page_of(passage, at) == (pages[at] if known else 3)


def test_a_flowing_text_of_one_page_has_none_to_cite() -> None:
    for form in ("docx", "odt", "doc"):
        assert not has_pages(form, 1)
        assert has_pages(form, 2)
    for form in ("pdf", "image", "pptx", "txt", "none such"):
        assert has_pages(form, 1)


def test_a_phrase_has_a_page_only_in_a_document_with_pages() -> None:
    text = "The lamp is lit. The keeper sleeps."
    passage = stored_passage(
        text, text_starts=(0, 17), text_pages=(4, 5), page_first=4, page_last=5
    )
    paged = Hit("/a.pdf", "/", "a.pdf", "A", 4, 5, 0, len(text), 1.0, text, (), Why.PHRASE)
    flowing = replace(paged, page=0, page_last=0)
    for hit, pages in ((paged, (5, 5)), (flowing, (0, 0))):
        found = with_phrases(hit, passage, ["keeper sleeps"], ())
        assert (found.page, found.page_last) == pages
        assert [text[first:last] for first, last in found.marks] == ["keeper sleeps"]
