"""Hostile text becomes harmless, and spans follow the changes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.search.safe_text import MOST_CHARACTERS, is_right_to_left, line, shown

HOSTILE = st.text(
    st.characters() | st.sampled_from("ab \n\t\r\x00\u202e\u2066\u200b\u0301\U0001f600\ufeff\ud800")
)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain", "plain"),
        ("  two\n\tlines \x85", "two lines"),
        ("in\x00vis\u200bib\u00adle", "invisible"),
        ("exe.\u202efdp.txt", "exe.fdp.txt"),
        ("one\t\x00\ttwo", "one · two"),
        (
            "as follows: \uf0b7\tComputing\n\uf0b7 phones",
            "as follows: \u2022 Computing \u2022 phones",
        ),
        ("lone \ud800 half", "lone \ufffd half"),
        ("a \u200b\u202e b", "a b"),
        ("Z" + "\u0301" * 50 + "algo", "Z" + "\u0301" * 4 + "algo"),
        ("every-\nwhere, Anglo-\nSaxon, 10-\nK", "everywhere, Anglo-Saxon, 10- K"),
        ("Year\tSales\nSecond year\t7,440\nNotes", "Year · Sales; Second year · 7,440; Notes"),
        (
            "| Year | Sales |\n|---|---:|\n| Second year | 7,440 |",
            "Year · Sales; Second year · 7,440",
        ),
        ("x | y", "x | y"),
        ("<b>not bold</b> &amp;", "<b>not bold</b> &amp;"),
        ("نیم\u200cفاصله", "نیم\u200cفاصله"),
    ],
)
def test_unsafe_characters_are_removed(text: str, safe: str) -> None:
    assert line(text) == safe


@example(" |0")
@example("\u200b| 0||\x00|")
@example("\n||\t|x|\n |")
@given(HOSTILE | st.text(" \t\n|-x\u200b"))
def test_safe_text_has_no_unsafe_characters(text: str) -> None:
    safe = line(text)
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in safe)
    assert not any("\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" for char in safe)
    assert safe == safe.strip()
    assert "  " not in safe
    assert line(safe) == safe


@given(st.lists(HOSTILE, min_size=3, max_size=3))
def test_a_span_keeps_its_text(parts: list[str]) -> None:
    before, marked, after = (f"x{part}y" for part in parts)
    start = len(before)
    made = shown(before + marked + after, [(start, start + len(marked))])
    if made.spans and len(before + marked) < MOST_CHARACTERS:
        ((low, high),) = made.spans
        assert made.text[low:high].strip() == line(marked)


def test_empty_spans_are_dropped() -> None:
    assert shown("a \u200b b", [(2, 3), (0, 1)]).spans == ((0, 1),)
    assert shown("", [(0, 0)]).spans == ()


def test_a_long_text_is_cut_around_its_mark() -> None:
    text = "x" * 50_000 + " best " + "y" * 50_000
    made = shown(text, [(50_001, 50_005)])
    assert len(made.text) <= MOST_CHARACTERS
    ((low, high),) = made.spans
    assert made.text[low:high] == "best"


def test_the_first_letter_decides_the_direction() -> None:
    assert is_right_to_left("12. שלום world")
    assert is_right_to_left("العربية")
    assert not is_right_to_left("world שלום")
    assert not is_right_to_left("12 … 34")
