"""What Tesseract writes becomes lines of words; noise does not."""

from __future__ import annotations

import pytest

from indexer.ocr.layer import read_hocr

LINE = '<span class="ocr_line" title="bbox 10 10 90 20; {more}x_size 12.5">{words}</span>'
WORD = '<span class="ocrx_word" title="bbox {box}; x_wconf {sure}">{text}</span>'


def line(*words: tuple[str, str, int], more: str = "") -> str:
    spans = "".join(WORD.format(text=text, box=box, sure=sure) for text, box, sure in words)
    return LINE.format(words=spans, more=more)


def test_words_come_with_their_boxes_in_the_order_of_reading() -> None:
    (read,) = read_hocr(line(("Harbour", "10 10 50 20", 95), ("&amp;", "52 10 58 20", 90)))
    assert [(word.text, word.box) for word in read.words] == [
        ("Harbour", (10, 10, 50, 20)), ("&", (52, 10, 58, 20)),
    ]  # fmt: skip
    assert (read.size, read.turn) == (12.5, 0)


def test_emphasis_within_a_word_is_passed_by() -> None:
    (read,) = read_hocr(line(("<strong><em>log</em></strong>", "1 1 9 9", 90)))
    assert [word.text for word in read.words] == ["log"]


@pytest.mark.parametrize(("angle", "turn"), [(0, 0), (90, 3), (180, 2), (270, 1)])
def test_angles_count_anticlockwise_turns_clockwise(angle: int, turn: int) -> None:
    (read,) = read_hocr(line(("log", "1 1 9 9", 90), more=f"textangle {angle}; "))
    assert read.turn == turn


@pytest.mark.parametrize(
    "words",
    [
        [("|", "1 1 9 9", 95), ("~", "1 1 9 9", 95)],  # strokes
        [("xq", "1 1 9 9", 12)],  # unsure
        [("log", "9 9 1 1", 95)],  # nowhere
        [("  ", "1 1 9 9", 95)],
    ],
)
def test_a_picture_holds_no_words(words: list[tuple[str, str, int]]) -> None:
    assert read_hocr(line(*words)) == []


@pytest.mark.parametrize("text", ["", "<", "<span", "plain", '<span class="ocrx_word">lost</span>'])
def test_what_is_no_hocr_holds_nothing(text: str) -> None:
    assert read_hocr(text) == []
