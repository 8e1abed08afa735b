from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from indexer.search.lexicon import can_be_typo, letters_around, one_edit_away

WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)


@given(WORD)
def test_all_candidates_are_one_edit_away(word: str) -> None:
    assert all(OSA.distance(word, other) == 1 for other in one_edit_away(word))


@given(WORD, st.data())
def test_every_slip_is_among_the_candidates(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    slips = [
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    ]
    assert {slip for slip in slips if slip != word} <= one_edit_away(word)


@given(st.text(st.characters(categories=["Ll", "Lo", "Mn"]), min_size=1, max_size=6))
def test_candidates_are_made_of_the_letters_around(word: str) -> None:
    assert set().union(*one_edit_away(word)) <= letters_around(word)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("москвв", "москва"), ("gruß", "gruss"), ("ελλαδ", "ελλαδα"), ("진달레", "진달래"),
        ("반딪불이", "반딧불이"), ("ヘルメト", "ヘルメット"),
        ("หิงห้อย", "หิ่งห้อย"), ("दूरबिन", "दूरबीन"),
    ],
)  # fmt: skip
def test_other_alphabets_have_typos_too(typed: str, meant: str) -> None:
    assert can_be_typo(typed)
    assert meant in one_edit_away(typed) or OSA.distance(typed, meant) > 1


@pytest.mark.parametrize("word", ["abc", "2023", "a1b2c3", "東京都庁", "เท่า", "학교", "x" * 33, ""])
def test_some_words_have_no_typos(word: str) -> None:
    assert not can_be_typo(word)
