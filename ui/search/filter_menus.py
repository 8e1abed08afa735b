"""Menus that add filters to a query: folder, type, date, language, page.

A menu is filled when it is opened. It must not know the box.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu

from indexer.query.filters import TYPES
from ui.search.completions import shown
from ui.search.pill import Pill
from ui.search.query_text import with_filter
from ui.search.safe_text import line
from ui.words.names import group, language

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction, QKeyEvent
    from PySide6.QtWidgets import QWidget

_MOST_FOLDERS = 30


class FilterButton(Pill):
    """Opens a menu below itself."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, "plus", leads=True, parent=parent)
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.setAccessibleDescription(self.tr("Opens a menu"))
        self.clicked.connect(self.open)

    def open(self) -> None:
        corner = QPoint(0, self.height())
        if self.isRightToLeft():
            corner = QPoint(self.width() - self.menu.sizeHint().width(), self.height())
        self.menu.popup(self.mapToGlobal(corner))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open()
            event.accept()
        else:
            super().keyPressEvent(event)


class FilterMenus(QObject):
    """The buttons after the chips. ``query`` is the query to which a filter is added.

    Signals:
        chosen: The query with a filter added.
        typing_requested: An operator whose value is to be typed.
        opened: A menu is opened; its values are to be fetched again for the next time.
    """

    chosen = Signal(str)
    typing_requested = Signal(str)
    opened = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.query = ""
        self.folders: tuple[str, ...] = ()
        self.collections: tuple[str, ...] = ()
        self.languages: tuple[str, ...] = ()
        self._fills: dict[QMenu, Callable[[QMenu], None]] = {}
        self.buttons = (
            self._button(
                self.tr("Folder"), self.tr("Search in a folder or a collection only"),
                self._folders,
            ),
            self._button(self.tr("Type"), self.tr("Search files of a kind only"), self._types),
            self._button(self.tr("Date"), self.tr("Search files of a time only"), self._dates),
            self._button(
                self.tr("Language"), self.tr("Search documents in a language only"),
                self._languages,
            ),
            self._button(self.tr("Page"), self.tr("Search on some pages only"), self._pages),
        )  # fmt: skip

    def _button(self, text: str, tip: str, fill: Callable[[QMenu], None]) -> FilterButton:
        button = FilterButton(text, self._parent)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.menu.aboutToShow.connect(self._fill)
        button.menu.triggered.connect(self._choose)
        self._fills[button.menu] = fill
        return button

    def _fill(self) -> None:
        menu = self.sender()
        if isinstance(menu, QMenu):
            menu.clear()
            self._fills[menu](menu)
            self.opened.emit()

    def _choose(self, action: QAction) -> None:
        operator, value = action.data()
        if value:
            self.chosen.emit(with_filter(self.query, operator, value))
        else:
            self.typing_requested.emit(f"{operator}:")

    def _add(self, menu: QMenu, text: str, operator: str, value: str, tip: str = "") -> None:
        action = menu.addAction(line(text).replace("&", "&&"))
        if tip:
            action.setToolTip(tip)
        action.setData((operator, value))

    def _add_typing(self, menu: QMenu, text: str, operator: str) -> None:
        menu.addSeparator()
        menu.addAction(text).setData((operator, ""))

    def _folders(self, menu: QMenu) -> None:
        if self.collections:
            menu.addSection(self.tr("Collections"))
            for name in self.collections:
                self._add(menu, name, "in", name)
            menu.addSection(self.tr("Folders"))
        for folder in self.folders[:_MOST_FOLDERS]:
            self._add(menu, folder, "in", folder)
        self._add_typing(menu, self.tr("Type a folder…"), "in")

    def _types(self, menu: QMenu) -> None:
        self._add(menu, self.tr("PDF"), "ext", "pdf")
        for kind, extensions in TYPES.items():
            self._add(menu, group(kind), "type", kind, shown(extensions))
        self._add_typing(menu, self.tr("Type an extension…"), "ext")

    def _dates(self, menu: QMenu) -> None:
        today = date.today()  # noqa: DTZ011  # the local day is meant
        week, month = today - timedelta(days=6), today.replace(day=1)
        self._add(menu, self.tr("Today"), "date", f"{today}")
        self._add(menu, self.tr("Last seven days"), "after", f"{week}")
        self._add(menu, self.tr("This month"), "after", f"{month:%Y-%m}")
        self._add(menu, self.tr("This year"), "date", f"{today:%Y}")
        self._add(menu, self.tr("Last year"), "date", f"{today.year - 1}")
        self._add(menu, self.tr("Older"), "before", f"{today.year - 1}")
        self._add_typing(menu, self.tr("Type a date or a time…"), "date")

    def _languages(self, menu: QMenu) -> None:
        for code in self.languages:
            self._add(menu, language(code), "lang", code)
        self._add_typing(menu, self.tr("Type a language…"), "lang")

    def _pages(self, menu: QMenu) -> None:
        self._add(menu, self.tr("First page"), "page", "1")
        self._add(menu, self.tr("First ten pages"), "page", "<=10")
        self._add(menu, self.tr("After page 100"), "page", ">100")
        self._add_typing(menu, self.tr("Type pages…"), "page")
