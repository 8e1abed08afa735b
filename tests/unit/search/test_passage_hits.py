"""What of a passage's text is no part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.api.types import Block, BlockKind, FileState, Hit, Why
from indexer.catalog.records import DocRow, DocumentFile
from indexer.search.candidates import CandidateEvidence
from indexer.search.fusion import PageEvidence
from indexer.search.passage_hits import (
    best_sentences,
    has_pages,
    left_out,
    page_of,
    passage_hit,
    with_phrases,
)
from indexer.search.query_terms import StemWeights
from indexer.text.terms import stems
from indexer.text.view import make_view
from tests.store_rows import stored_passage

if TYPE_CHECKING:
    from indexer.store.values import StoredPassage

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


TEXT = "The lamp is lit. Lamps, lamps and wicks! Nobody came."
PASSAGE = stored_passage(TEXT, text_starts=(0, 17, 41))
LAMP, WICK = ("lamp", (0, 1.0)), ("wick", (1, 2.0))


def _marked(
    similar: list[float], *weights: tuple[str, tuple[int, float]], passage: StoredPassage = PASSAGE
) -> list[int]:
    sentences, ends = np.array(similar, np.float32), np.array([0, len(similar)])
    none = np.zeros(1, np.float32)
    best = np.array([sentences.argmax() if similar else 0])
    pages = PageEvidence(none, none, none, none, none)
    evidence = CandidateEvidence(np.array([1]), pages, best, sentences, ends)
    total = sum(idf for _, (_, idf) in weights)
    given = StemWeights(dict(weights), len(weights), total)
    return best_sentences(evidence, 0, passage, given)


def test_without_similarities_the_best_sentence_has_the_rarest_words() -> None:
    assert _marked([], LAMP) == [0]
    assert _marked([], LAMP, WICK) == [1]
    assert _marked([]) == [-1], "none has any"
    assert _marked([], LAMP, passage=replace(PASSAGE, text_starts=())) == [-1]


def test_of_similar_sentences_the_one_with_the_rare_words_is_marked() -> None:
    assert _marked([0.5, 0.45, 0.1])[0] == 0
    assert _marked([0.5, 0.45, 0.1], LAMP, WICK)[0] == 1
    assert _marked([0.9, 0.45, 0.1], LAMP, WICK)[0] == 0, "one that is far more similar stays"
    number = stored_passage("We paid 7.50 on Monday. It weighs 12.500 kg.", text_starts=(0, 24))
    (stem,) = set(stems("12500", "en").split())
    assert _marked([0.4, 0.3], (stem, (0, 5.0)), passage=number)[0] == 1


def test_neither_the_head_of_a_mail_nor_a_line_to_write_on_is_marked() -> None:
    heat = ("heat", (0, 1.0))
    mail = stored_passage(
        "heat\nFrom: a@b.c\nDate: 2025-11-03\nThe pump failed.", text_starts=(0, 33)
    )
    assert _marked([0.5, 0.3], heat, passage=mail)[0] == 1
    told = replace(mail, text=mail.text.replace("pump", "heat"), view=mail.text)
    assert _marked([], heat, passage=told) == [1], "before there is meaning, too"
    assert _marked([], heat, passage=mail) == [0], "nothing else has the word"
    signed = ("sign", (0, 1.0))
    form = stored_passage(
        "Sign: ______________________\nBoth parties sign here.", text_starts=(0, 29)
    )
    assert _marked([0.5, 0.4], signed, passage=form)[0] == 1


def test_a_heading_is_not_marked_above_the_sentence_that_answers() -> None:
    text, repair = "7. Repairs\nThe landlord mends the roof.", ("repair", (0, 1.0))
    lease = stored_passage(text, text_starts=(0, 11), heading_path=("Lease", "7. Repairs"))
    assert _marked([0.5, 0.4], repair, passage=lease)[0] == 1
    begun = replace(lease, heading_path=("Lease",), sections=((0, ("Lease", "7. Repairs")),))
    assert _marked([0.5, 0.4], repair, passage=begun)[0] == 1
    assert _marked([0.5, 0.4], repair, passage=replace(lease, heading_path=()))[0] == 0
    below = replace(lease, text=f"Repairs in  May\n{text}", text_starts=(0, 27))
    two = replace(below, heading_path=("Repairs in May", "7. Repairs"))
    assert _marked([0.5, 0.4], repair, passage=two)[0] == 1, "two headings that form a sentence"
    assert _marked([0.5, 0.4], repair, passage=below)[0] == 0


def test_the_row_that_names_the_columns_of_a_table_is_not_marked() -> None:
    rows = "Rates\nRole\tHourly rate\tOffice", "Partner\t420\tHamburg", "Clerk\t115\tLeith"
    words = ("hour", (0, 1.0)), ("rate", (1, 1.0)), ("clerk", (2, 1.5))
    for tabs, prose in (("\t", ""), (";", ""), (",", ""), ("\t", "Note: clerks, as of now. ")):
        text = prose + "\n".join(rows).replace("\t", tabs)
        starts = tuple(text.index(row.replace("\t", tabs)) for row in rows)
        table = stored_passage(text, text_starts=(0, *starts) if prose else starts)
        clerk = len(table.text_starts) - 1
        similar = [0.1, 0.6, 0.4, 0.5][-len(table.text_starts) :]
        assert _marked(similar, *words, passage=table)[0] == clerk, text
        assert _marked([], *words, passage=table) == [0 if prose else clerk], text
        assert _marked([], *words[:2], passage=table) == [clerk - 2], "no other has any"
    names = stored_passage("Role\tPlace\nPartner\tLeith", text_starts=(0, 11))
    assert _marked([0.6, 0.5], *words, passage=names)[0] == 0, "nothing tells a head here"


def test_of_short_rows_that_share_a_sentence_the_one_with_the_words_is_marked() -> None:
    text = "Item\tPrice\nAnchor\t410.00 EUR\nChain\t95.00 EUR.\n"
    table = stored_passage(text, view=text.replace("\t", " "), text_starts=(0,), view_starts=(0,))
    place = DocumentFile(1, "/d/prices.csv", "/d", "prices.csv", FileState.INDEXED, 60, 0, "csv")
    doc = DocRow(1, "text-1", "", "", "", "", "en", 1, len(text), 1, 0)

    def marked(*weights: tuple[str, tuple[int, float]]) -> str:
        given = StemWeights(dict(weights), len(weights), 1.0)
        hit = passage_hit(table, [place], doc, [0], given)
        return text[slice(*hit.best)]

    assert marked(("anchor", (0, 1.0))) == "Anchor\t410.00 EUR"
    assert marked(("chain", (0, 1.0)), ("price", (1, 0.5))) == "Chain\t95.00 EUR."
    assert marked(("price", (0, 1.0)), ("chain", (1, 0.5))) == "Chain\t95.00 EUR."
    assert marked(("eur", (0, 1.0))) == text.strip(), "two have it"
    assert marked() == text.strip()


def test_of_a_heading_and_its_sentence_the_sentence_is_marked() -> None:
    text = "7. Repairs\nThe landlord mends the roof."
    lease = stored_passage(
        text, view=text, text_starts=(0,), view_starts=(0,), heading_path=("7. Repairs",)
    )
    place = DocumentFile(1, "/d/lease.txt", "/d", "lease.txt", FileState.INDEXED, 60, 0, "txt")
    doc = DocRow(1, "text-1", "", "", "", "", "en", 1, len(text), 1, 0)
    weights = {"repair": (0, 4.0), "roof": (1, 3.0)}

    def marked(*stems: str) -> str:
        given = StemWeights({stem: weights[stem] for stem in stems}, len(stems), 7.0)
        return text[slice(*passage_hit(lease, [place], doc, [0], given).best)]

    assert marked("repair", "roof") == "The landlord mends the roof."
    assert marked("repair") == text, "only the heading has the word"


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
        text, text_starts=(0, 17), text_pages=(4, 5), page_first=4, page_last=5,
        heading_path=("The Lamp",), sections=((1, ("The Keeper",)),),
    )  # fmt: skip
    paged = Hit("/a.pdf", "/", "a.pdf", "A", 4, 5, 0, len(text), 1.0, text, (), Why.PHRASE)
    flowing = replace(paged, page=0, page_last=0)
    for hit, pages in ((paged, (5, 5)), (flowing, (0, 0))):
        found = with_phrases(hit, passage, ["keeper sleeps"], ())
        assert (found.page, found.page_last) == pages
        assert found.heading_path == ("The Keeper",)  # where the phrase stands
        assert [text[first:last] for first, last in found.marks] == ["keeper sleeps"]
