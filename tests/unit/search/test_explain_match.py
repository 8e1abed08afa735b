"""Words of tokens, and where a view's words stand in the text that is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.explain import TokenisedText, find_in_text, token_owners
from indexer.text.terms import word_spans
from indexer.text.view import make_view

TEXT = "The ten-\nant\u2019s rent of $1,250.50 is due\non the \ufb01rst day."


def said(text: str) -> list[str]:
    return [text[a:b] for a, b in word_spans(text)]


def test_numbers_and_joined_words_are_one() -> None:
    assert said("$1,250.50 of the tenant's co-owner.") == [
        "1,250.50", "of", "the", "tenant's", "co-owner",
    ]  # fmt: skip


def test_where_nothing_is_spaced_a_dictionary_says_what_words_are() -> None:
    assert said("\u5317\u4eac\u5927\u5b66 rent") == ["\u5317\u4eac", "\u5927\u5b66", "rent"]


def test_tokens_outside_words_have_no_owner() -> None:
    spans = word_spans("a (bc)")
    found = token_owners(spans, np.array([-1, 0, 2, 3, 4, 5], np.int32))
    assert found.tolist() == [-1, 0, -1, 1, 1, -1]
    read = TokenisedText("a (bc)", spans, np.zeros((6, 1), np.float32), found)
    assert read.shares(np.arange(6, dtype=np.float32)) == [1.0, 7.0]
    assert token_owners([], np.array([0], np.int32)).tolist() == [-1]


def test_words_are_found_behind_folded_letters_and_joined_lines() -> None:
    view = make_view(TEXT).text
    spans = word_spans(view)
    places = find_in_text(TEXT, view, spans)
    shown = [TEXT[place[0] : place[1]] for place in places if place]
    assert shown == [
        "The", "ten-\nant\u2019s", "rent", "of", "1,250.50", "is", "due", "on", "the",
        "\ufb01rst", "day",
    ]  # fmt: skip


def test_what_the_view_left_out_is_passed_over() -> None:
    text = "The rent is\nACME Report 12\ndue in June."
    view = "The rent is due in June."
    places = find_in_text(text, view, word_spans(view))
    assert [text[a:b] for a, b in filter(None, places)] == view.rstrip(".").split()
    assert find_in_text("elsewhere", "The", [(0, 3)]) == [None]


@given(st.lists(st.sampled_from(["rent", "the", "the-rent", "12.5", "\ufb01n", "\n", "  "])))
def test_places_ascend_and_say_the_same(parts: list[str]) -> None:
    text = " ".join(parts)
    view = make_view(text).text
    spans = word_spans(view)
    places = find_in_text(text, view, spans)
    assert None not in places
    found = [place for place in places if place]
    assert found == sorted(found)
    for (first, last), place in zip(spans, found, strict=True):
        assert make_view(text[slice(*place)]).text == view[first:last]


@pytest.mark.parametrize("text", ["", "...", " \n "])
def test_a_text_without_words_has_none(text: str) -> None:
    assert said(text) == []
