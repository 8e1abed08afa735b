"""Lines are found and read however a page lies, and what cannot be read is known."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from PIL import Image

from indexer.api.errors import WorldError
from indexer.ocr import ppocr
from indexer.ocr.page_image import UprightImage, evenly_lit, skew
from tests.benchmarks.recognition import RESOLUTION, photograph, print_page, scan

LAMP = "The keeper climbed the narrow stair every evening and lit the great lamp of the tower. "
TOWER = "Смотритель каждый вечер поднимался по узкой лестнице и зажигал большой фонарь. "
RAIN = "亚马逊雨林占据了亚马逊盆地的大部分地区，总面积达七百万平方公里。"


def drawn(text: str, times: int = 3) -> Image.Image:
    shown = print_page(text * times, "serif", 12)[0].get_pixmap(
        dpi=RESOLUTION, colorspace=pymupdf.csGRAY, clip=(40, 40, 555, 160)
    )
    return Image.frombytes("L", (shown.width, shown.height), shown.samples)


def read(page: UprightImage) -> ppocr.Reading:
    boxes = ppocr.find_lines(page.grey)
    return ppocr.read_lines(page.grey, boxes, seconds=100, beat=lambda: None)


def text(reading: ppocr.Reading) -> str:
    return " ".join(word.text for line in reading.lines for word in line.words)


def test_a_photograph_is_read_and_its_words_are_where_they_are_on_the_page() -> None:
    page = UprightImage(evenly_lit(photograph(drawn(LAMP), 4.0))).straightened()
    reading = read(page)
    assert text(reading) == (LAMP * 3).strip()
    assert reading.unread == 0
    first, *_ = page.on_page(reading.lines)
    before, after = first.words[0].box, first.words[-1].box
    # The lines rise to the right on the page, and not on the straightened image.
    assert after[1] < before[1] - 20
    assert abs(reading.lines[0].words[-1].box[1] - reading.lines[0].words[0].box[1]) < 12


def test_chinese_is_read() -> None:
    assert text(read(UprightImage(evenly_lit(scan(drawn(RAIN)))))).replace(" ", "") == RAIN * 3


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_a_page_is_turned_upright(turn: int) -> None:
    page = UprightImage(drawn(LAMP)).turned(-turn)
    for _ in range(3):
        turns = ppocr.quarter_turns(page.grey, ppocr.find_lines(page.grey))
        page = page.turned(turns)
        if not turns:
            break
    assert page.turn == 0
    np.testing.assert_allclose(page.matrix, [[1, 0, 0], [0, 1, 0]], atol=1e-9)


def test_another_script_is_known_by_what_cannot_be_read() -> None:
    reading = read(UprightImage(evenly_lit(scan(drawn(TOWER)))))
    assert reading.unread > 0.9
    assert len(text(reading)) < len(TOWER) / 4


def test_lines_end_at_the_time_they_have() -> None:
    page = UprightImage(drawn(LAMP))
    boxes = ppocr.find_lines(page.grey)
    with pytest.raises(WorldError, match="took longer"):
        ppocr.read_lines(page.grey, boxes, seconds=-1, beat=lambda: None)


def test_an_empty_image_has_no_lines_and_is_straight() -> None:
    white = Image.new("L", (900, 700), 255)
    assert skew(white) == 0.0
    assert read(UprightImage(evenly_lit(white))).lines == []


def test_columns_are_read_one_after_the_other() -> None:
    def box(x: float, y: float) -> ppocr.LineBox:
        return ppocr.LineBox(x, y, 0.0, -90, 90, -12, 12)

    head = ppocr.LineBox(200, 10, 0.0, -190, 190, -12, 12)
    columns = [box(x, y) for x in (100, 320) for y in (60, 90, 120)]
    shuffled = [columns[3], columns[1], head, columns[0], columns[5], columns[2], columns[4]]
    assert ppocr.in_reading_order(shuffled) == [head, *columns]


def test_shapes_touch_at_their_corners() -> None:
    mask = np.array([[1, 1, 0, 0, 1], [0, 0, 1, 0, 1], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0]], bool)
    found = sorted(int((last - first).sum()) for _, first, last in ppocr.shapes(mask))
    assert found == [1, 3, 3]
