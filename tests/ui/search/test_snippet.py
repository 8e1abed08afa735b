"""Snippets fit their lines and show the best sentence, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from tests.ui.search.hits import hit
from ui.search.safe_text import Shown, shown
from ui.search.snippet import MOST_LINES, Pen, Snippet, lines_needed, make_snippet, text_of

WORDS = st.lists(
    st.sampled_from(["rent", "is", "due", "x" * 80, "שכר", "दस्तावेज़", "租金", "\U0001f600", "a"]),
    min_size=1, max_size=150,
)  # fmt: skip


def pen(width: float = 400) -> Pen:
    font = QFont()
    return Pen(font, QFontMetricsF(font), width)


def make(text: Shown, width: float = 400, lines: int = MOST_LINES) -> Snippet:
    return make_snippet(text, pen(width), lines, QColor("yellow"), QColor("black"))


@pytest.mark.usefixtures("qapp")
def test_the_best_sentence_of_a_long_passage_is_in_view() -> None:
    before, best, after = "Before it. " * 60, "This is the answer. ", "After it. " * 60
    made = make(shown(before + best + after, [(len(before), len(before + best))]))
    assert made.text.startswith("…")
    assert made.text.endswith("…")
    (low, high) = made.marks[0]
    assert made.text[low:high].strip() == best.strip()


def test_below_a_heading_that_is_the_best_sentence_the_next_is_marked() -> None:
    text = "7. Duration\nIt lasts a year. It ends by notice."
    heading, last = (0, 11), (29, len(text))
    made = text_of(
        hit(text=text, best=heading, marks=(heading, last), heading_path=("7. Duration",))
    )
    assert made.text == "It lasts a year. It ends by notice."
    assert [made.text[slice(*span)] for span in made.spans] == ["It ends by notice."]


@pytest.mark.usefixtures("qapp")
def test_an_ellipsis_follows_no_stop() -> None:
    made = make(shown("One ends. " * 80))
    assert made.text.endswith("ends…") or made.text.endswith("One…")


@pytest.mark.usefixtures("qapp")
def test_a_short_passage_is_shown_whole() -> None:
    text = text_of(hit())
    assert make(text).text == text.text
    assert make(shown(""), lines=1).text == ""


@pytest.mark.usefixtures("qapp")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(["rent", "x" * 80, "rent"], 1.0, 201)
@given(WORDS, st.floats(0, 1), st.integers(60, 900))
def test_lines_fit(words: list[str], where: float, width: int) -> None:
    text = " ".join(words)
    at = round(where * (len(words) - 1))
    start = len(" ".join(words[:at])) + (at > 0)
    made = make(shown(text, [(start, start + len(words[at]))]), width)
    layout = made.layout
    assert layout.lineCount() <= MOST_LINES
    for number in range(layout.lineCount()):
        assert layout.lineAt(number).naturalTextWidth() <= width + 1
    whole = made.text.strip("… ")
    assert whole in text
    if len(words[at]) < 20 and width > 200:
        assert made.marks
        assert any(made.text[low:high] == words[at] for low, high in made.marks[:1])


@pytest.mark.usefixtures("qapp")
def test_the_estimate_of_lines_matches_the_layout() -> None:
    for count, lines in ((1, 1), (9, 2), (40, 2), (900, 2)):
        assert lines_needed(hit(text="some word " * count), pen()) == lines
    assert lines_needed(hit(text=""), pen()) == 1
