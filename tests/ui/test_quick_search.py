"""The quick search: a hotkey, a query, and the hit is opened or shown in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.ui.menus import entries
from ui import quick_search
from ui.pages import COMPARE, FIRST_RUN, LIBRARY, SEARCH

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from ui.quick_search import QuickSearch


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is opened, in place of other programs."""
    opened: list[str] = []
    monkeypatch.setattr(
        quick_search,
        "open_external",
        lambda hit, _context, page: opened.append(f"{hit.file} {page}"),
    )
    monkeypatch.setattr(quick_search, "show_in_folder", opened.append)
    return opened


@pytest.fixture
def quick(shown: Program, qtbot: QtBot) -> QuickSearch:
    shown.window.pages.show_page(LIBRARY)
    shown.hotkey_search.hotkey.pressed.emit()
    assert shown.hotkey_search.quick is not None
    assert shown.hotkey_search.quick.isVisible()
    return shown.hotkey_search.quick


def ask(quick: QuickSearch, qtbot: QtBot, text: str) -> None:
    QTest.keyClicks(quick.box, text)
    qtbot.waitUntil(lambda: quick.results.current is not None and quick.live_search.is_answered)


def test_a_hit_is_opened_with_the_keyboard_alone(
    quick: QuickSearch, qtbot: QtBot, opened: list[str]
) -> None:
    assert not quick.results.isVisible()
    low = quick.height()
    ask(quick, qtbot, "the")
    assert quick.results.isVisible()
    assert quick.height() > low
    first = quick.results.current
    QTest.keyClick(quick.box, Qt.Key.Key_Down)
    second = quick.results.current
    assert first is not None
    assert second is not None
    assert first.key != second.key
    QTest.keyClick(quick.box, Qt.Key.Key_Return)
    assert opened == [f"{second.hit.file} {second.hit.page}"]
    assert not quick.isVisible()


def test_enter_before_the_answer_goes_to_its_first_hit(
    quick: QuickSearch, qtbot: QtBot, opened: list[str]
) -> None:
    QTest.keyClicks(quick.box, "seal")
    QTest.keyClick(quick.box, Qt.Key.Key_Return)
    qtbot.waitUntil(quick.results.view.hasFocus)
    assert not opened
    QTest.keyClick(quick.results.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert opened[0].endswith("ice.txt")


def test_the_window_shows_the_same_query(quick: QuickSearch, qtbot: QtBot, shown: Program) -> None:
    ask(quick, qtbot, "seal")
    quick.to_window.click()
    assert not quick.isVisible()
    assert shown.window.pages.name == SEARCH
    assert shown.window.pages.query == "seal"


def test_it_hides_by_escape_by_the_hotkey_and_for_another_window(
    quick: QuickSearch, qtbot: QtBot, shown: Program
) -> None:
    ask(quick, qtbot, "seal")
    QTest.keyClick(quick.box, Qt.Key.Key_Escape)
    assert not quick.isVisible()
    shown.hotkey_search.hotkey.pressed.emit()
    assert quick.isVisible()
    assert quick.box.selectedText() == "seal", "the next letter replaces it"
    shown.hotkey_search.hotkey.pressed.emit()
    assert not quick.isVisible()
    shown.hotkey_search.hotkey.pressed.emit()
    QApplication.sendEvent(quick, QEvent(QEvent.Type.WindowDeactivate))
    assert not quick.isVisible()
    shown.hotkey_search.hotkey.pressed.emit()
    QTest.keyClick(quick.box, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not quick.results.isVisible())


def test_without_a_library_the_window_comes(shown: Program) -> None:
    shown.window.pages.show_page(FIRST_RUN)
    shown.hotkey_search.hotkey.pressed.emit()
    assert shown.hotkey_search.quick is None
    assert shown.window.isVisible()


def test_the_menu_of_a_hit_leads_to_the_window(
    quick: QuickSearch, qtbot: QtBot, shown: Program, opened: list[str]
) -> None:
    pages = shown.window.pages
    ask(quick, qtbot, "the")
    row = quick.results.current
    assert row is not None
    view = quick.results.view
    middle = view.visualRect(view.currentIndex()).center()
    menu = entries(view.viewport(), middle)
    assert "Copy with citation" in menu
    assert not {"Show the words that count", "Add to a collection"} & set(menu)
    menu["Add to the basket"].trigger()
    assert [kept.query for kept in pages.basket.kept] == ["the"]
    entries(view.viewport(), middle)["Show in folder"].trigger()
    assert opened == [row.hit.path]
    assert not quick.isVisible()
    shown.hotkey_search.hotkey.pressed.emit()
    entries(view.viewport(), middle)["Similar"].trigger()
    assert not quick.isVisible()
    assert pages.name == SEARCH
    assert pages.query.startswith(f'like:"{row.hit.path}#')
    shown.hotkey_search.hotkey.pressed.emit()
    quick.actions_on_hits.compared.emit(row.hit.path, row.hit.path)
    assert not quick.isVisible()
    assert pages.name == COMPARE
