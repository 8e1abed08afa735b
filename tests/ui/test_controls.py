"""A page has few controls: the widgets that take the focus, enabled or not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.answers import IDLE
from tests.ui.search.hits import many
from ui.pages import BASKET
from ui.preview.page_layout import Fit, Zoom
from ui.preview.toolbar import Toolbar

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from ui.main_window import MainWindow
    from ui.search_pane import SearchPane
    from ui.theme import Themes

MOST = 18


def controls(window: MainWindow) -> list[str]:
    return [
        f"{type(each).__name__} {each.accessibleName()}"
        for each in window.findChildren(QWidget)
        if each.isVisible() and each.focusPolicy() != Qt.FocusPolicy.NoFocus
    ]


def test_the_search_page_has_few_controls(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    pane = window.pages.search
    assert len(controls(window)) <= MOST, "before a search"
    window.pages.search_for("the")
    qtbot.waitUntil(lambda: pane.search.current_hit is not None)
    qtbot.waitUntil(lambda: pane.preview.shown is pane.preview.text)
    pane.preview.bar.show_kind(pages=True, text=False)  # those of a page are more
    QApplication.processEvents()
    assert 10 < len(controls(window)) <= MOST, controls(window)
    pane.search._offer_filters()
    qtbot.waitUntil(pane.search.facets.isVisible)
    assert pane.search.facets.tree.topLevelItemCount() > 0
    pane.preview.bar.side.show()  # as for a document with headings
    window.status.show_activity(replace(IDLE, pending=3))
    assert window.status._pause.isVisible()
    assert "Ctrl+Shift+P" in window.status._pause.toolTip()
    assert len(controls(window)) <= MOST, controls(window)
    pane.search.facets.hide()
    pane.toggle_reading()
    assert len(controls(window)) <= MOST


def test_the_library_has_few_controls_beside_those_of_the_rail(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1280, 800)
    page = window.pages.library
    window.pages.show_files()
    qtbot.waitUntil(lambda: page.model.rowCount() > 0)
    page.table.selectRow(0)
    qtbot.waitUntil(page.details.buttons.isVisible)
    assert 10 < len(controls(window)) <= 20, controls(window)


def test_the_basket_has_few_controls_with_four_passages(window: MainWindow) -> None:
    for hit in many(4):
        window.pages.basket.add_passage(hit)
    window.pages.show_page(BASKET)
    QApplication.processEvents()
    assert 10 < len(controls(window)) <= MOST, controls(window)


def searched_for(window: MainWindow, qtbot: QtBot, query: str, *, width: int) -> SearchPane:
    """Search in a window of a width, and wait for the text of the first hit."""
    window.resize(width, 800)
    pane = window.pages.search
    window.pages.search_for(query)
    qtbot.waitUntil(lambda: pane.preview.shown is pane.preview.text)
    return pane


def test_the_title_of_a_page_is_read_also_beside_large_controls(
    window: MainWindow, themes: Themes, qtbot: QtBot
) -> None:
    pane = searched_for(window, qtbot, "the", width=1050)
    bar = pane.preview.bar
    bar.title.setText("South: the story of the last expedition")
    box = pane.search.bar.box

    def is_as_wanted(percent: int) -> bool:
        letters = bar.title.width() / bar.title.fontMetrics().averageCharWidth()
        beside = bar.title.geometry().bottom() > bar.page.geometry().top()
        larger = box.font().pointSizeF() / QApplication.font().pointSizeF()
        # At 200 % there is room beside the controls of Windows only, which are narrower.
        return letters >= 15 and (beside or percent > 100) and abs(larger - 1.15) < 0.01

    for percent in (100, 200, 100):
        themes.scale_text(percent)
        bar.show_kind(pages=True, text=False)
        qtbot.waitUntil(partial(is_as_wanted, percent))


def test_large_text_makes_the_start_page_no_larger_than_a_screen(
    window: MainWindow, themes: Themes, qtbot: QtBot
) -> None:
    start = window.pages.search.search.results.start
    papers = [f"/papers/{number}.pdf" for number in range(8)]
    start.show_searches(["rent"] * 8, papers, [], empty_library=False)
    window.resize(1280, 750)
    themes.scale_text(200)
    qtbot.waitUntil(lambda: start.documents.sizeHint().height() > 400)
    window.resize(1200, 750)
    QApplication.processEvents()
    assert window.height() == 750
    card = start.documents.visualRect(start.documents.model().index(0, 0))
    assert start.documents.viewport().rect().contains(card), "a whole row is seen"
    assert start.searches.isVisible()


def test_large_text_hides_no_page_however_the_results_are_ordered(
    window: MainWindow, themes: Themes, qtbot: QtBot
) -> None:
    """The order stands on a line of its own, and so does what counts the phrase."""
    pane = searched_for(window, qtbot, '"the"', width=1280)
    pane.preview.bar.show_kind(pages=True, text=False)
    themes.scale_text(200)
    summary = pane.search.results.summary
    for action in summary.orders.menu().actions():
        action.trigger()
        QApplication.processEvents()
        assert pane.preview.isVisible()
        assert summary.orders.text() == action.text()
        line = summary.orders.parentWidget()
        assert line is not None
        assert summary.orders.geometry().right() == line.rect().right()


def test_the_title_has_its_own_line_when_controls_come_beside_it(qtbot: QtBot) -> None:
    """Without any change of the width: a page comes after a text."""
    bar = Toolbar()
    qtbot.addWidget(bar)
    bar.show_zoom(Zoom(Fit.WIDTH), 1.0)
    bar.resize(bar.minimumSizeHint().width(), 100)
    bar.show_kind(pages=False, text=True)
    bar.show()

    def is_above(*, pages: bool) -> bool:
        return (bar.title.geometry().bottom() < bar.open.geometry().top()) is pages

    for pages in (False, True, False):
        bar.show_kind(pages=pages, text=not pages)
        qtbot.waitUntil(partial(is_above, pages=pages))


def test_large_text_leaves_the_page_beside_the_results_after_it_was_read_alone(
    window: MainWindow, qtbot: QtBot
) -> None:
    """What reading alone shows beside the title takes no room any more."""
    window.resize(1280, 800)
    pane = window.pages.search
    window.pages.search_for("the")
    qtbot.waitUntil(lambda: pane.preview.shown is pane.preview.text)
    pane.preview.bar.show_kind(pages=True, text=False)
    parts = (pane.left, pane.preview)
    QApplication.processEvents()
    needed = sum(each.minimumSizeHint().width() for each in parts) + pane.panes.handleWidth()
    window.resize(window.width() - pane.width() + needed, 800)
    QApplication.processEvents()
    assert pane.preview.isVisible()
    for _ in range(2):
        pane.toggle_reading()
        QApplication.processEvents()
    assert pane.preview.isVisible()
