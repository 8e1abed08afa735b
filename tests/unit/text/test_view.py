"""The search view: what is folded, what is kept, and the map back to the canonical text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import Block, BlockKind
from indexer.text.view import View, make_view, regions

PROSE = st.text(
    alphabet="abcXYZ019é中文ก ﬁﬃ\u0301\u00ad\u200b\u200d\x00\x02\xa0\t\n\r\u2029-.,…()[]|",
    max_size=80,
)
KINDS = st.sampled_from(list(BlockKind))


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, list[Block], int]:
    """Text, blocks that may leave gaps or touch, and the offset of the text."""
    offset = draw(st.integers(0, 1000))
    text, blocks = "", []
    for number in range(draw(st.integers(0, 6))):
        body = draw(PROSE)
        if draw(st.booleans()) and body:
            start = offset + len(text)
            blocks.append(Block(start, start + len(body), draw(KINDS), number // 3 + 1))
        text += body + draw(st.sampled_from(["", "\n", "\n\n", " "]))
    return text, blocks, offset


def view_of(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> str:
    return make_view(text, [Block(0, len(text), kind, 1)]).text


@pytest.mark.parametrize(
    ("canonical", "expected"),
    [
        ("inter-\nnational law", "international law"),
        ("inter- \n  national", "international"),
        ("inter‐\nnational", "international"),
        ("Anglo-\nSaxon", "Anglo-Saxon"),
        ("form 10-\nK", "form 10-K"),
        ("2019-\n2020", "2019-2020"),
        ("state-of-the-\nart", "state-of-the-art"),
        ("well-\nknown", "well-known"),
        ("e-\nmail", "e-mail"),
        ("short-\nand long-term", "short- and long-term"),
        ("a dash -\nand more", "a dash - and more"),
        ("inter\u00ad\nnational", "international"),
        ("inter\u00adnational", "international"),
        ("and/\nor", "and/or"),
        ("ﬁrst oﬃce", "first office"),
        ("one\u00a0\u2003two\t three", "one two three"),
        ("ze\u200bro \ufeffwidth", "zero width"),
        ("con\x00trol\x1b", "control"),
        ("one\ntwo\r\nthree", "one two three"),
        ("one\n \ntwo\r\n\r\nthree", "one\ntwo\nthree"),
        ("中文\n分词", "中文分词"),
        ("한국어\n문장", "한국어 문장"),
        ("cafe\u0301", "café"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ufefb", "لا"),
        ("\u2f08\u2f6c", "人目"),
        ("Item 1 . . . . . . . . 7", "Item 1 ... 7"),
        ("Name: ____________", "Name: ___"),
        ("C H A R T E R   O F   T H E   B A Y", "CHARTER OF THE BAY"),
        ("O F   T H E   C H A R T E R", "OF THE CHARTER"),
        ("the h a r b o u r here", "the harbour here"),
        ("rows A B C D E F", "rows A B C D E F"),
        ("ticks X X X X X X", "ticks X X X X X X"),
        ("I am a U S A b man", "I am a U S A b man"),
        ("keeps ÀÉÎ CASE ß", "keeps ÀÉÎ CASE ß"),
        ("[SEP] literal </s> [CLS]", "[SEP] literal </s> [CLS]"),
    ],
)
def test_prose_is_folded(canonical: str, expected: str) -> None:
    assert view_of(canonical) == expected


def test_tables_keep_their_rows_and_code_its_indents() -> None:
    assert view_of("a  b\nc-\nd\n\ne", BlockKind.TABLE) == "a b\nc-\nd\ne"
    assert view_of("if x:\n    y = 1  # ...... ok", BlockKind.CODE) == (
        "if x:\n    y = 1  # ...... ok"
    )


def test_furniture_goes_and_a_paragraph_goes_on_across_it() -> None:
    text = "It is inter-\nPage 1\nACME Corp\nnational. New\nNext"
    blocks = [
        Block(0, 12, BlockKind.PARAGRAPH, 1),
        Block(13, 19, BlockKind.FURNITURE, 1),
        Block(20, 29, BlockKind.FURNITURE, 2),
        Block(30, 43, BlockKind.PARAGRAPH, 2),
        Block(44, 48, BlockKind.PARAGRAPH, 2),
    ]
    view = make_view(text, blocks)
    assert view.text == "It is international. New\nNext"
    assert view.to_canonical(view.text.index("national")) == 30


def test_offsets_are_absolute() -> None:
    view = make_view("a ﬁle", [Block(100, 105, BlockKind.PARAGRAPH, 1)], 100)
    assert view.text == "a file"
    assert [view.to_canonical(i) for i in range(7)] == [100, 101, 102, 102, 103, 104, 105]
    assert (list(view.view_starts), list(view.canonical_starts)) == ([0, 3], [100, 102])


@given(st.text(alphabet="abc ÀßЖ.,:;!?'\"()[]|中", max_size=60))
def test_plain_text_is_its_own_view(text: str) -> None:
    plain = " ".join(text.split())
    view = make_view(plain)
    assert view.text == plain
    assert [view.to_canonical(i) for i in range(len(plain) + 1)] == list(range(len(plain) + 1))


@given(documents())
def test_the_map_is_monotone_and_inside_the_text(document: tuple[str, list[Block], int]) -> None:
    text, blocks, offset = document
    view = make_view(text, blocks, offset)
    places = [view.to_canonical(i) for i in range(len(view.text))]
    assert places == sorted(places)
    assert all(offset <= place < offset + max(len(text), 1) for place in places)


@given(documents())
def test_every_letter_and_digit_comes_through_once(
    document: tuple[str, list[Block], int],
) -> None:
    text, blocks, offset = document
    kept = list(text)
    hidden = {BlockKind.FURNITURE}
    if {block.kind for block in regions(text, blocks, offset)} - hidden != {BlockKind.BOILERPLATE}:
        hidden.add(BlockKind.BOILERPLATE)  # it is in a view of nothing else
    for block in blocks:
        if block.kind in hidden:
            kept[block.start - offset : block.end - offset] = " " * (block.end - block.start)
    assert letters(make_view(text, blocks, offset).text) == letters("".join(kept))


@given(documents())
def test_view_is_clean_at_its_ends_and_has_no_controls(
    document: tuple[str, list[Block], int],
) -> None:
    view: View = make_view(*document)
    assert view.text == view.text.strip(" \n")
    assert not any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in view.text)


def letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c.isalnum())
