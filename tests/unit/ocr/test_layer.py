"""RecognisedPage words stand where the page's own would: same text, same places, however turned."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.pdf.layout import lay_out
from indexer.extract.pdf.lines import read_lines
from indexer.ocr.layer import RecognisedLine, RecognisedWord, pack, page_dictionary, scaled, unpack

STRAIGHT = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
WIDTH, HEIGHT = 600.0, 800.0
LETTERS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1)


def line(
    y: float, *texts: str, size: float = 10.0, gap: float = 4.0, x: float = 50.0
) -> RecognisedLine:
    words = []
    for text in texts:
        words.append(RecognisedWord(text, (x, y, x + 5.0 * len(text), y + size)))
        x += 5.0 * len(text) + gap
    return RecognisedLine(tuple(words), size)


def turned(upright: RecognisedLine, turn: int) -> RecognisedLine:
    """Turn a line with its page, a quarter clockwise at a time."""
    words, height = upright.words, HEIGHT
    for _ in range(turn):
        words = tuple(
            RecognisedWord(word.text, (height - b, left, height - t, right))
            for word in words
            for left, t, right, b in [word.box]
        )
        height = WIDTH if height == HEIGHT else HEIGHT
    return RecognisedLine(words, upright.size, turn)


def text_of(lines: list[RecognisedLine]) -> str:
    content = page_dictionary(lines, STRAIGHT, WIDTH, HEIGHT)
    return lay_out(read_lines(content), HEIGHT)[0]


def characters(content: dict[str, Any]) -> list[tuple[str, tuple[float, ...]]]:
    return [
        (character["c"], character["bbox"])
        for block in content["blocks"]
        for row in block["lines"]
        for span in row["spans"]
        for character in span["chars"]
    ]


@given(st.lists(st.lists(LETTERS, min_size=1), max_size=4), st.floats(4, 40), st.integers(0, 3))
def test_what_is_kept_is_what_was_read(rows: list[list[str]], size: float, turn: int) -> None:
    lines = [
        RecognisedLine(line(20.0 * place, *words).words, size, turn)
        for place, words in enumerate(rows)
    ]
    assert unpack(pack(lines)) == lines


def test_pixels_become_points() -> None:
    (read,) = scaled([line(300.0, "Harbour", size=50.0, x=150.0)], 72 / 300)
    assert read.words[0].box == (36.0, 72.0, 44.4, 84.0)
    assert read.size == 12.0


@pytest.mark.parametrize("turn", range(4))
def test_a_turned_page_reads_as_an_upright_one(turn: int) -> None:
    upright = [line(100.0, "The", "keeper", "climbed"), line(114.0, "the", "narrow", "stair.")]
    assert text_of([turned(one, turn) for one in upright]) == text_of(upright)
    assert text_of(upright) == "The keeper climbed\nthe narrow stair."


@pytest.mark.parametrize("turn", range(4))
def test_each_letter_has_its_part_of_its_word(turn: int) -> None:
    whole = turned(line(100.0, "narrow", "stair"), turn)
    content = page_dictionary([whole], STRAIGHT, WIDTH, HEIGHT)
    found = characters(content)
    assert "".join(character for character, _ in found) == "narrow stair"
    across = (1, 1, -1, -1)[turn]
    side = 0 if turn in {0, 2} else 1
    places = [across * (box[side] + box[side + 2]) for _, box in found]
    assert all(before < after for before, after in pairwise(places))
    left, top, right, bottom = whole.words[0].box
    for _, box in found[:6]:
        assert left <= box[0] < box[2] <= right + 1e-6
        assert top <= box[1] < box[3] <= bottom + 1e-6


def test_cells_far_apart_are_not_one_line() -> None:
    row = RecognisedLine((*line(100.0, "Oil").words, *line(100.0, "19", x=300.0).words), 10.0)
    assert text_of([row, line(114.0, "Rope")]) == "Oil\t19\nRope"


def test_the_noise_of_measuring_makes_no_headings() -> None:
    sizes = (10.1, 9.2, 11.4, 10.0, 10.3)
    lines = [
        line(100.0 + 14 * place, "the", "keeper", "climbed", "up", size=size)
        for place, size in enumerate(sizes)
    ]
    title = line(60.0, "Log", size=20.0)
    content = page_dictionary([title, *lines], STRAIGHT, WIDTH, HEIGHT)
    read = [row["spans"][0]["size"] for row in content["blocks"][0]["lines"]]
    assert read[0] == 20.0
    assert len(set(read[1:])) == 1


def test_no_lines_are_an_empty_page() -> None:
    assert page_dictionary([], STRAIGHT, WIDTH, HEIGHT)["blocks"] == []
