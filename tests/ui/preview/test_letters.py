"""Selecting and copying characters of a page."""

from __future__ import annotations

import struct

import pytest
from PySide6.QtCore import QPointF, QRectF

from ui.preview.marks import Letters, flowing

TEXT = "The keep-\ner's lamp."


@pytest.fixture
def letters() -> Letters:
    """Two lines, each character 10 wide and 12 high."""
    sides: list[float] = []
    x, y = 100.0, 50.0
    for character in TEXT:
        if character == "\n":
            sides += [0, 0, 0, 0]
            x, y = 100.0, y + 15
        else:
            sides += [x, y, x + 10, y + 12]
            x += 10
    return Letters.from_bytes(TEXT, struct.pack(f"<{len(sides)}f", *sides))


@pytest.mark.parametrize(
    ("x", "y", "place"),
    [(101, 55, 0), (109, 55, 1), (0, 0, 0), (500, 55, 9), (104, 70, 10), (500, 500, 20)],
)
def test_a_point_is_between_characters(letters: Letters, x: float, y: float, place: int) -> None:
    assert letters.place(QPointF(x, y)) == place


def test_a_range_has_a_rectangle_a_line(letters: Letters) -> None:
    assert letters.lines(4, 14) == [QRectF(140, 50, 50, 12), QRectF(100, 65, 40, 12)]
    assert letters.lines(3, 3) == []


def test_words(letters: Letters) -> None:
    start, end = letters.word(15)
    assert TEXT[start:end] == "lamp"
    assert TEXT[slice(*letters.word(1))] == "The"


def test_letters_without_boxes_are_skipped() -> None:
    assert Letters.from_bytes("ab", b"").lines(0, 2) == []
    assert Letters.from_bytes("", b"").place(QPointF(1, 1)) == 0


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("The keep-\ner's lamp.", "The keeper's lamp."),
        ("one \ntwo\nthree", "one two three"),
        ("a well-\nKnown name, 20-\n30", "a well- Known name, 20- 30"),
        ("  ", ""),
    ],
)
def test_copied_text_has_joined_lines(lines: str, text: str) -> None:
    assert flowing(lines) == text
