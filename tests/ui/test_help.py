"""F1 opens the help page of the focused widget, and every page can be shown."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextTable
from PySide6.QtTest import QTest

from tests.ui.program import application
from ui.help import START, HelpWindow, page_about
from ui.pages import FIRST_RUN, LIBRARY, SEARCH
from ui.settings_dialog.dialog import SettingsDialog
from ui.theme import current

if TYPE_CHECKING:
    from PySide6.QtWidgets import QTextBrowser
    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from ui.theme import Themes

PAGES = [
    file.name.removesuffix(".md") for file in (resources.files("resources") / "help").iterdir()
]


def heading(browser: QTextBrowser) -> str:
    """The heading that the cursor is at."""
    return browser.textCursor().block().text()


def ask(shown: Program) -> HelpWindow:
    focus = application().focusWidget()
    assert focus is not None
    QTest.keyClick(focus, Qt.Key.Key_F1)
    (found,) = shown.window.findChildren(HelpWindow)
    return found


@pytest.mark.parametrize(
    ("place", "page", "title"),
    [
        (SEARCH, "queries", "Queries"),
        (LIBRARY, "library", "Library"),
        (FIRST_RUN, "first-search", "First search"),
    ],
)
def test_each_page_of_the_window_has_its_own(
    shown: Program, qtbot: QtBot, place: str, page: str, title: str
) -> None:
    qtbot.waitUntil(shown.window.isActiveWindow)
    shown.window.pages.show_page(place)
    qtbot.waitUntil(lambda: application().focusWidget() is not None)
    found = ask(shown)
    assert found.page == page
    assert heading(found.text) == title


def test_the_help_opens_from_the_settings_too(shown: Program, qtbot: QtBot) -> None:
    shown.window.dialogs.show_settings()
    (dialog,) = shown.window.findChildren(SettingsDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    assert ask(shown).page == "settings"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_listed_and_shown(qtbot: QtBot, name: str) -> None:
    window = HelpWindow()
    qtbot.addWidget(window)
    window.show_page(name)
    assert window.page == name
    item = window.list.currentItem()
    assert item is not None
    assert len(window.text.toPlainText()) > 100
    assert "<" not in window.text.toPlainText().replace("size:<", "").replace("; <", "")
    assert not window.text.toPlainText().startswith("\n")


def test_a_link_leads_to_its_heading(qtbot: QtBot) -> None:
    window = HelpWindow()
    qtbot.addWidget(window)
    window.show_page(START)
    window.text.anchorClicked.emit(QUrl("troubleshooting.md#library_locked"))
    assert window.page == "troubleshooting"
    assert heading(window.text) == "library_locked"
    window.text.anchorClicked.emit(QUrl("#it-is-slow"))
    assert (window.page, heading(window.text)) == ("troubleshooting", "It is slow")


def test_a_widget_without_a_page_opens_the_first_one() -> None:
    assert page_about(None) == START


def test_the_lines_of_tables_follow_the_theme(themes: Themes, qtbot: QtBot) -> None:
    found = HelpWindow()
    qtbot.addWidget(found)
    found.show_page("queries")
    found.show()
    for mode in ("dark", "light"):
        themes.apply(mode)
        frames = found.text.document().rootFrame().childFrames()
        tables = [each for each in frames if isinstance(each, QTextTable)]
        drawn = {each.format().toTableFormat().borderBrush().color().name() for each in tables}
        assert drawn == {current().line.name()}
