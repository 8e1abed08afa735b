"""Helpers for tests of the search page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from indexer.query.grammar import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from ui.search.page import SearchPage


def shown(qtbot: QtBot, page: SearchPage) -> Iterator[SearchPage]:
    qtbot.addWidget(page)
    page.resize(700, 500)
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    page.focus_box()
    yield page
    page.stop()


def search(qtbot: QtBot, page: SearchPage, text: str) -> None:
    with qtbot.waitSignal(page.live_search.answered):
        page.search(text)


def titles(page: SearchPage) -> list[str]:
    return [row.hit.title for row in page.results.model.rows if row.is_document]


def links(page: SearchPage) -> list[str]:
    panel = page.results.shown
    assert panel is not None
    return [link.text() for link in panel.findChildren(QAbstractButton) if link.isVisible()]


def read_hit(page: SearchPage) -> None:
    """Let as much time pass as a hit that an answer has chosen is not opened in."""
    page._selected._unread.stop()


def press(page: SearchPage, key: Qt.Key, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    widget = page.results.view if page.results.view.hasFocus() else page.bar.box
    if widget is page.results.view and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        read_hit(page)
    QTest.keyClick(widget, key, modifier)


def filters_of(query: str) -> list[tuple[str, str]]:
    """The filters of a query; a path is in quotation marks only if it begins with a slash."""
    return [(each.operator, each.value) for each in clauses(query) if each.operator]
