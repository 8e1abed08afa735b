"""The shape of an outline."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from indexer.api.pages import MarkBox
from ui.preview.marks import LinePiece, Marks, boxed, ink_of, inked, lines_of, outline, pieces_of

SIDES = st.floats(0, 500, allow_nan=False)
BOXES = st.lists(
    st.builds(QRectF, SIDES, SIDES, st.floats(45, 200), st.just(12.0)), min_size=1, max_size=8
)


def of(*lines: QRectF) -> list[LinePiece]:
    return [LinePiece(each) for each in lines]


def line(y: float, x0: float = 100, x1: float = 300) -> QRectF:
    return QRectF(x0, y, x1 - x0, 12)


ALMOST_ON_EACH_OTHER = [
    QRectF(0, 1, 124, 12), QRectF(0, 0.7, 45, 12), QRectF(32, 0, 45, 12), QRectF(1, 0.7, 45, 12),
]  # fmt: skip
AT_THE_TOP_OF_A_PAGE = [
    QRectF(56, 1, 166.3, 12), QRectF(273.5, 24.25, 93.2, 12), QRectF(22, 7.125, 76.5, 12),
    QRectF(24, 15.625, 132.2, 12), QRectF(46, 14.5, 153.2, 12), QRectF(29.2, 22.25, 155.8, 12),
]  # fmt: skip


@given(BOXES)
@example(AT_THE_TOP_OF_A_PAGE)
@example(ALMOST_ON_EACH_OTHER)
def test_an_outline_contains_the_centre_of_each_line(boxes: list[QRectF]) -> None:
    for turn in range(4):
        sideways = turn % 2 == 1
        pieces = [LinePiece(box.transposed() if sideways else box, turn) for box in boxes]
        path = outline(pieces)
        for box in (*(piece.box for piece in pieces), *ink_of(pieces)):
            assert path.contains(box.center())


def test_lines_of_a_paragraph_make_one_shape() -> None:
    path = outline(of(line(100, 180), line(114), line(128, 100, 200)))
    assert len(path.toSubpathPolygons()) == 1
    # The beginning of the first line and the end of the last are outside, gaps between are inside.
    assert not path.contains(QPointF(150, 104))
    assert not path.contains(QPointF(250, 136))
    assert path.contains(QPointF(200, 113))


def test_a_jump_to_another_column_makes_two_shapes() -> None:
    path = outline(of(line(700, 50, 280), line(714, 50, 280), line(60, 320, 550)))
    assert len(path.toSubpathPolygons()) == 2
    assert not path.contains(QPointF(300, 400))


def test_a_short_last_line_leaves_a_straight_edge() -> None:
    ragged = outline(of(line(100, 100, 300), line(114, 100, 250), line(128, 100, 290)))
    assert ragged.contains(QPointF(280, 120))


def test_pieces_of_a_line_are_joined() -> None:
    pieces = [line(100, 100, 150), line(101, 155, 300), line(115)]
    assert lines_of(pieces) == [QRectF(100, 100, 200, 13), line(115)]


def test_ink_is_inside_its_line() -> None:
    box = line(100)
    assert box.contains(inked(box))


def test_turned_text_is_outlined_along_its_direction() -> None:
    # The first line begins late, at the right.
    path = outline([LinePiece(QRectF(200, 80, 12, 120), 1), LinePiece(QRectF(186, 0, 12, 200), 1)])
    assert not path.contains(QPointF(206, 40))
    assert path.contains(QPointF(206, 100))
    assert path.contains(QPointF(199, 100))


def test_the_best_sentence_is_brought_into_view() -> None:
    lines = [MarkBox(4, 0, 50, 100, 62, 0), MarkBox(4, 0, 64, 100, 76, 0)]
    passage = pieces_of([MarkBox(3, 0, 700, 100, 712, 0), *lines])
    best = pieces_of(lines)
    assert Marks(passage, (best,)).first() == (4, QRectF(0, 50, 100, 26))
    assert Marks(passage).first() == (3, QRectF(0, 700, 100, 12))
    assert Marks(passage).pages() == [3, 4]
    assert Marks({}).first() is None


def test_the_cells_of_a_row_are_outlined_together() -> None:
    rows = [line(100, 50, 120), line(100, 250, 280), line(114, 50, 130), line(114, 250, 280)]
    assert len(outline(of(*rows)).toSubpathPolygons()) == 1
    assert len(ink_of(of(*rows))) == 4


def test_small_pieces_beside_text_are_not_outlined() -> None:
    scraps = [line(200, 50, 60), line(240, 50, 60)]
    assert len(outline(of(line(100), line(114), *scraps)).toSubpathPolygons()) == 1
    assert len(outline(of(*scraps)).toSubpathPolygons()) == 2


@given(st.floats(0, 900), st.floats(1, 200))
def test_the_ink_of_a_box_is_the_line_it_was_made_for(top: float, high: float) -> None:
    line = QRectF(5, top, 100, high)
    made = inked(boxed(line))
    assert (made.top(), made.bottom()) == pytest.approx((line.top(), line.bottom()))
