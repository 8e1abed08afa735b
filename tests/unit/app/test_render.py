"""Text laid out for a terminal never exceeds its width, and is shortened no more than needed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import render
from app.render import TerminalStyle, WrappedWord
from indexer.text.view import make_view

# Letters of one and of two cells, combining marks of none, and spaces.
text = st.text(st.sampled_from("ab é漢e\u0301."), max_size=80)
widths = st.integers(1, 60)
PLAIN = TerminalStyle(width=60)
COLOUR = TerminalStyle(colour=True, width=60)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("a\n\t b", "a b"),
        ("\x1b[31mred\x07", "[31mred"),
        ("abc\u202egnp.exe", "abc gnp.exe"),
        ("  a  ", "a"),
        ("\x9b0m", "0m"),
    ],
)
def test_clean_makes_text_harmless(raw: str, safe: str) -> None:
    assert render.clean(raw) == safe


@given(st.text())
def test_clean_removes_control_characters(raw: str) -> None:
    assert all(character.isprintable() or ord(character) > 0x9F for character in render.clean(raw))


@pytest.mark.parametrize(("sample", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_cells(sample: str, width: int) -> None:
    assert render.cells(sample) == width


@given(text, widths)
def test_elided_text_fits_and_ends_with_dots(sample: str, width: int) -> None:
    short = render.elide(sample, width)
    assert render.cells(short) <= width
    if render.cells(sample) <= width:
        assert short == sample
    else:
        assert short.endswith("…")
        assert sample.startswith(short[:-1])


@given(text, widths)
def test_text_can_be_elided_at_its_front(sample: str, width: int) -> None:
    short = render.elide_front(sample, width)
    assert render.cells(short) <= width
    assert sample.endswith(short.removeprefix("…"))


def test_elision_prefers_the_end_of_a_word() -> None:
    assert render.elide("one two three", 10) == "one two…"
    assert render.elide("incomprehensible", 10) == "incompreh…"


@given(st.lists(st.tuples(text, st.booleans())), widths)
def test_wrapped_lines_fit_and_keep_every_letter(parts: list[tuple[str, bool]], width: int) -> None:
    width = max(2, width)  # a letter of two cells needs two
    words = [WrappedWord(word, marked) for part, marked in parts for word in part.split()]
    plain = render.wrap(words, width, PLAIN)
    assert all(render.cells(line) <= width for line in plain)
    assert "".join(plain).replace(" ", "") == "".join(word.text for word in words)
    coloured = render.wrap(words, width, COLOUR)
    assert [ESCAPE.sub("", line) for line in coloured] == plain


def test_the_mark_spans_the_spaces_within_and_starts_anew_on_each_line() -> None:
    words = [
        WrappedWord("a"),
        WrappedWord("b", marked=True),
        WrappedWord("c", marked=True),
        WrappedWord("d", marked=True),
    ]
    on, off = "\x1b[1;36m", "\x1b[0m"
    assert render.wrap(words, 5, COLOUR) == [f"a {on}b c{off}", f"{on}d{off}"]


@given(text, st.integers(0, 90), st.integers(0, 90), st.integers(20, 200))
def test_a_snippet_fits_and_keeps_the_best_sentence(
    sample: str, start: int, end: int, room: int
) -> None:
    words = render.snippet(sample, (start, end), room, PLAIN)
    assert render.cells(" ".join(word.text for word in words)) <= room
    chosen = sample[start:end] if 0 <= start < end <= len(sample) else ""
    best = " ".join(make_view(chosen).text.split())  # accents are composed, as in the view
    marked = " ".join(word.text for word in words if word.marked)
    if best and render.cells(best) + 2 <= room:
        assert marked == f"«{best}»"
    assert bool(marked) == bool(best)


def test_a_snippet_shows_text_around_the_best_sentence() -> None:
    sample = "Before it. The best one. After it."
    words = render.snippet(sample, (11, 24), 200, PLAIN)
    assert " ".join(word.text for word in words) == "Before it. «The best one.» After it."
    assert render.snippet(sample, (11, 24), 200, TerminalStyle(unicode=False))[2].text == "**The"


def test_a_snippet_joins_hyphenated_words() -> None:
    words = render.snippet("A nei-\nghbour of the o\ufb03ce. Best.", (27, 32), 200, PLAIN)
    assert " ".join(word.text for word in words) == "A neighbour of the office. «Best.»"


def test_short_rests_become_dots() -> None:
    sample = "Some words come in front of it. The best. And so on for a long time."
    words = render.snippet(sample, (32, 41), 28, PLAIN)
    assert " ".join(word.text for word in words) == "… «The best.» …"


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2e9, "2.0 GB"), (5e13, "50.0 TB")],
)
def test_sizes(number: float, written: str) -> None:
    assert render.size(number) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0.0 s"), (9.94, "9.9 s"), (59, "59 s"), (192, "3 min 12 s"), (7260, "2 h 1 min"),
     (90000, "1 d 1 h")],
)  # fmt: skip
def test_durations(seconds: float, written: str) -> None:
    assert render.duration(seconds) == written


def test_a_share_is_100_percent_only_for_1() -> None:
    assert [render.share(value) for value in (0, 0.9999, 1)] == ["0 %", "99 %", "100 %"]


def test_counts() -> None:
    assert render.count(1, "page") == "1 page"
    assert render.count(1234, "query", "queries") == "1,234 queries"


def test_columns_align_by_cells() -> None:
    assert render.columns([("a", "1"), ("漢", "2"), ("", "")]) == ["a   1", "漢  2", ""]
