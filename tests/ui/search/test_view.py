"""The list of results: positions of rows, keys, painting, accessible texts."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication

from indexer.api.types import FileState, Why
from tests.ui.contrast import contrast
from tests.ui.search.hits import hit, many
from ui import theme
from ui.search.model import ResultsModel
from ui.search.rows import grouped, key_of
from ui.search.view import ResultsView, warm
from ui.theme import DARK, LIGHT, row_background

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.theme import Theme

LONG = "The tenant pays the rent in advance. " * 30


def shown(qtbot: QtBot, hits: list[Hit]) -> ResultsView:
    model = ResultsModel()
    view = ResultsView(model)
    model.setParent(view)
    qtbot.addWidget(view)
    view.resize(500, 400)
    with qtbot.waitExposed(view):
        view.show()
    model.show_groups(grouped(hits), same_query=False)
    QApplication.processEvents()
    return view


def test_rows_follow_each_other(qtbot: QtBot) -> None:
    view = shown(qtbot, [hit(f"/d/{n}.txt", text=LONG[: 37 * (n % 5 + 1)]) for n in range(20)])
    model = view.rows_model
    rects = [view.visualRect(model.index(row)) for row in range(model.rowCount())]
    assert all(a.bottom() + 1 == b.top() for a, b in itertools.pairwise(rects))
    assert len({rect.height() for rect in rects}) >= 3
    for row, rect in enumerate(rects):
        if rect.bottom() < view.viewport().height():
            assert view.indexAt(rect.center()).row() == row
    assert not view.indexAt(QPoint(10, -5)).isValid()
    assert view.verticalScrollBar().maximum() == rects[-1].bottom() + 1 - view.viewport().height()


def test_a_selected_hit_is_in_view_with_its_title(qtbot: QtBot) -> None:
    view = shown(qtbot, many(30, 2))
    model = view.rows_model
    for row in (4, 50, 51, 10, 9, 88, 1):
        view.setCurrentIndex(model.index(row))
        rect = view.visualRect(model.index(row))
        assert rect.top() >= 0
        assert rect.bottom() <= view.viewport().height()
        if row % 3 == 1:
            assert view.visualRect(model.index(row - 1)).top() >= 0


def test_more_hits_keep_the_position_and_the_selection(qtbot: QtBot) -> None:
    hits = many(40, 3)
    view = shown(qtbot, hits[:40])
    model = view.rows_model
    view.setCurrentIndex(model.index(model.place(key_of(hits[20]))))
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 7)
    before = view.visualRect(view.currentIndex())
    model.show_groups(grouped(hits), same_query=True)
    QApplication.processEvents()
    assert model.rows[view.currentIndex().row()].hit == hits[20]
    assert view.selectionModel().isSelected(view.currentIndex())
    assert view.visualRect(view.currentIndex()) == before


def test_near_end_is_emitted_before_the_end(qtbot: QtBot) -> None:
    view = shown(qtbot, many(100))
    near = QSignalSpy(view.near_end)
    view.verticalScrollBar().setValue(100)
    assert near.count() == 0
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 50)
    assert near.count() == 1


def test_the_mouse(qtbot: QtBot) -> None:
    view = shown(qtbot, many(9, 2))
    model, viewport = view.rows_model, view.viewport()
    left = Qt.MouseButton.LeftButton
    QTest.mouseClick(viewport, left, pos=view.visualRect(model.index(2)).center())
    assert view.currentIndex().row() == 2
    QTest.mouseClick(viewport, left, pos=view.visualRect(model.index(3)).center())
    assert view.currentIndex().row() == 4
    with qtbot.waitSignal(view.accepted):
        QTest.mouseDClick(viewport, left, pos=view.visualRect(model.index(2)).center())
    turned = QWheelEvent(
        QPointF(50, 50), viewport.mapToGlobal(QPointF(50, 50)), QPoint(0, -40), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, turned)
    assert view.verticalScrollBar().value() > 0


def test_a_screen_reader_finds_the_rows(qtbot: QtBot) -> None:
    view = shown(qtbot, many(2, 2))
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.role() is QAccessible.Role.List
    assert interface.childCount() == 6
    said = [interface.child(row).text(QAccessible.Text.Name) for row in range(6)]
    assert said[0].startswith("report 0, 2 passage")
    assert said[1].startswith("p. 1. It rises with the index")


@pytest.mark.parametrize("role", ["text", "muted", "accent"])
@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_is_legible_on_every_row(
    colours: Theme, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theme, "_current", colours)
    written: QColor = getattr(colours, role)
    for selected in (False, True):
        for hovered in (False, True):
            assert contrast(written, row_background(selected=selected, hovered=hovered)) >= 4.5


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("direction", Qt.LayoutDirection)
def test_everything_can_be_painted(qtbot: QtBot, direction: Qt.LayoutDirection, scale: int) -> None:
    hostile = "A\x00\u202eB <b>x</b> " + "W" * 500 + " Z" + "\u0301" * 90 + "\U0001f600\ud800"
    hits = [
        hit(text=hostile, best=(2, 40), marks=((50, 600), (0, 9000)), title="\u202e" + "T" * 900),
        hit("/d/scan.pdf", text="", page=0, why=Why.NAME, state=FileState.NO_TEXT, modified_ns=0),
        hit("/d/עברית.txt", text="שלום עולם. " * 50, best=(0, 10), state=FileState.OFFLINE),
        hit("/d/\udcff.txt", title="", heading_path=("\x07",), why=Why.PHRASE, text="租金" * 300),
    ]
    view = shown(qtbot, hits)
    view.setLayoutDirection(direction)
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * scale)
    view.setFont(font)
    view.setCurrentIndex(view.rows_model.index(1))
    for stale in (False, True):
        view.set_stale(stale)
        image = QImage(view.viewport().size() * 2, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(2)
        view.viewport().render(image)
        colours = {
            image.pixel(x, y)
            for x in range(0, image.width(), 7)
            for y in range(0, image.height(), 7)
        }
        assert len(colours) > 5


def test_a_change_of_width_wraps_lines_again(qtbot: QtBot) -> None:
    view = shown(qtbot, [hit(text=LONG[:150])])
    before = view.visualRect(view.rows_model.index(1)).height()
    view.resize(1400, 400)
    QApplication.processEvents()
    assert view.visualRect(view.rows_model.index(1)).height() < before


def test_a_lower_view_does_not_cut_off_the_current_hit(qtbot: QtBot) -> None:
    view = shown(qtbot, many(30, 2))
    rows = (view.indexAt(QPoint(10, view.viewport().height() - y)) for y in range(1, 200))
    last = next(row for row in rows if view.visualRect(row).bottom() < view.viewport().height())
    view.setCurrentIndex(last)
    view.resize(500, 360)
    QApplication.processEvents()
    assert view.verticalScrollBar().value() > 0
    assert view.visualRect(last).bottom() < view.viewport().height()
    # One that the person has scrolled half out of sight stays so.
    view.verticalScrollBar().setValue(view.visualRect(last).top() - 10)
    before = view.verticalScrollBar().value()
    view.resize(500, 330)
    QApplication.processEvents()
    assert view.verticalScrollBar().value() == before


def test_keys_do_nothing_in_an_empty_list(qtbot: QtBot) -> None:
    view = shown(qtbot, [])
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_PageDown):
        QTest.keyClick(view, key)
    assert not view.currentIndex().isValid()


def test_warming_fills_the_cache_of_drawings(qtbot: QtBot) -> None:
    view = shown(qtbot, [])
    theme.rendered.cache_clear()
    warm(view)
    made = theme.rendered.cache_info().misses
    assert made >= len(Why)
    view.rows_model.show_groups(
        grouped([hit(start=n, why=why) for n, why in enumerate(Why)]), same_query=False
    )
    QApplication.processEvents()
    view.viewport().grab()
    assert theme.rendered.cache_info().misses == made
    assert theme.rendered.cache_info().hits >= len(Why)
