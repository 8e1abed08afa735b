"""A hit's text is cut round its best sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import Hit, Why
from indexer.search.hits import SNIPPET, shorten


def hit(text: str, best: tuple[int, int]) -> Hit:
    return Hit(
        path="/a/b.txt", root="/a", file="b.txt", title="b", page=1, page_last=1, start=0,
        end=len(text), score=1.0, text=text, heading_path=(), why=Why.WORDS, best=best,
    )  # fmt: skip


@st.composite
def passages(draw: st.DrawFn) -> tuple[str, tuple[int, int]]:
    text = " ".join(draw(st.lists(st.text("abc.\u00e9", min_size=1, max_size=12), min_size=1)))
    first = draw(st.integers(0, len(text)))
    return text, (first, draw(st.integers(first, min(len(text), first + 400))))


@given(passages())
def test_the_best_sentence_stays_whole_and_marked(given_: tuple[str, tuple[int, int]]) -> None:
    text, best = given_
    short = shorten(hit(text, best))
    assert short.text in text
    assert short.text[slice(*short.best)] == text[slice(*best)]
    assert len(short.text) <= max(SNIPPET, best[1] - best[0] + SNIPPET)


def test_a_short_text_stays_as_it_is() -> None:
    assert shorten(hit("one two", (0, 3))) == hit("one two", (0, 3))


def test_a_long_text_is_cut_between_words() -> None:
    text = "word " * 400
    short = shorten(hit(text, (1000, 1005)))
    assert len(short.text) <= SNIPPET
    assert set(short.text.split()) == {"word"}
