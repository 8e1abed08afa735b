"""What of a passage's text is no part of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import Block, BlockKind
from indexer.search.passage_hits import left_out
from indexer.text.view import make_view

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
