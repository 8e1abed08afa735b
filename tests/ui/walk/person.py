"""Works a window by keys and the mouse as a person does, and counts what it takes.

A key with its modifiers counts as one, as does a click or a drag. The letters of a query, a name
or a password are typed apart, since every program needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from ui.pages import BASKET, COMPARE
from ui.preview.marks import flowing

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex
    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from indexer.api.types import Hit
    from ui.basket.page import BasketPage
    from ui.compare.page import ComparePage
    from ui.library.page import LibraryPage
    from ui.preview.panel import Preview
    from ui.search.page import SearchPage
    from ui.search_pane import SearchPane

NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


class Person:
    """``count`` is the number of keys and clicks so far."""

    def __init__(self, program: Program, qtbot: QtBot) -> None:
        self.program, self.window, self._qtbot = program, program.window, qtbot
        self.count = 0

    @property
    def pane(self) -> SearchPane:
        return self.window.pages.search

    @property
    def search(self) -> SearchPage:
        return self.pane.search

    @property
    def preview(self) -> Preview:
        return self.pane.preview

    @property
    def library(self) -> LibraryPage:
        return self.window.pages.library

    @property
    def basket(self) -> BasketPage:
        return cast("BasketPage", self.window.pages.page(BASKET))

    @property
    def comparison(self) -> ComparePage:
        return cast("ComparePage", self.window.pages.page(COMPARE))

    @property
    def hits(self) -> tuple[Hit, ...]:
        return self.search.results.hits

    @property
    def hit(self) -> Hit:
        hit = self.search.current_hit
        assert hit is not None, "no passage is chosen"
        return hit

    @property
    def copied(self) -> str:
        return QGuiApplication.clipboard().text()

    def until(self, condition: Callable[[], object]) -> None:
        self._qtbot.waitUntil(lambda: bool(condition()))

    # What a person does

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for each in keys:
            self.count += 1
            # A person reads what is chosen before it is opened.
            self.until(lambda: not self.search._selected._unread.isActive())
            QTest.keySequence(self._focus(), QKeySequence(each))

    def type(self, text: str) -> None:
        """Type the letters of a query, a name or a password."""
        widget = self._focus()
        for letter in text:
            if letter.isascii():
                QTest.keyClicks(widget, letter)
            else:  # of which Qt's own way makes no key
                for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                    QApplication.sendEvent(widget, QKeyEvent(kind, 0, NONE, letter))

    def click(
        self, widget: QWidget, at: QPoint | None = None, held: Qt.KeyboardModifier = NONE
    ) -> None:
        assert widget.isVisible(), f"nobody sees {widget}"
        self.count += 1
        QTest.mouseClick(widget, LEFT, held, at if at is not None else widget.rect().center())

    def click_row(
        self, view: QAbstractItemView, index: QModelIndex, held: Qt.KeyboardModifier = NONE
    ) -> None:
        view.scrollTo(index)
        self.click(view.viewport(), view.visualRect(index).center(), held)

    def drag(self, widget: QWidget, start: QPoint, end: QPoint) -> None:
        self.count += 1
        QTest.mousePress(widget, LEFT, NONE, start)
        QTest.mouseMove(widget, (start + end) / 2)
        QTest.mouseMove(widget, end)
        QTest.mouseRelease(widget, LEFT, NONE, end)

    def open_menu(self, widget: QWidget, at: QPoint) -> None:
        """Click with the right button, which a widget gets as an event of its own."""
        self.count += 1
        QTest.mousePress(widget, Qt.MouseButton.RightButton, NONE, at)
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))

    def choose(self, entry: str) -> None:
        """Click an entry of the open menu."""
        self.until(lambda: entry in _entries())
        menu, action = QApplication.activePopupWidget(), _entries()[entry]
        assert isinstance(menu, QMenu)
        self.click(menu, menu.actionGeometry(action).center())

    # What a person waits for

    def ask(self, query: str) -> None:
        """Type a query, and wait for the passage on its page."""
        self.type(query)
        self.await_answer()
        self.await_page()

    def await_answer(self) -> None:
        """Wait for the answer to the query in the box."""
        live = self.search.live_search
        self.until(lambda: live.asks_the_same(self.search.query) and live.is_answered)

    def await_page(self) -> None:
        """Wait until a passage is chosen and outlined."""
        self.until(lambda: self.search.current_hit is not None and self.outlined)

    @property
    def outlined(self) -> str:
        """The text that is outlined in the preview."""
        preview = self.preview
        if preview.shown is preview.text:
            start, end = preview.text._passage
            first = preview.text.loaded[0]
            return preview.text.loaded_text[start - first : end - first]
        hit, pages = self.search.current_hit, preview.pages.marks.pages()
        if hit is None or preview.hit_actions.hit is None or not preview.has_pages:
            return ""
        shown = preview.hit_actions.hit.path == hit.path and hit.page in pages
        return flowing(hit.text) if shown and not preview.pages.loading else ""

    @property
    def marked(self) -> str:
        """The sentence of the chosen passage that is marked as the answer."""
        return self.hit.text[slice(*self.hit.best)]

    def _focus(self) -> QWidget:
        """The widget that keys go to."""
        if QApplication.focusWidget() is None:
            self.window.activateWindow()  # as a desktop does once a popup has closed
        self.until(_keys_go_to)
        widget = _keys_go_to()
        assert widget is not None
        return widget


def _entries() -> dict[str, QAction]:
    """The entries of the menu that is open."""
    menu = QApplication.activePopupWidget()
    actions = menu.actions() if isinstance(menu, QMenu) else []
    return {each.text().partition("\t")[0].replace("&", ""): each for each in actions}


def _keys_go_to() -> QWidget | None:
    popup = QApplication.activePopupWidget()
    return (popup.focusProxy() or popup) if popup is not None else QApplication.focusWidget()
