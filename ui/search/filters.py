"""The filters of a query as chips, and the menus that add filters; both are drawn as pills."""

from __future__ import annotations

import os
import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from indexer.query.filters import TYPES
from indexer.query.grammar import clauses
from ui import theme
from ui.search.query_text import STEERING, listed_extensions, with_filter, without
from ui.search.safe_text import line
from ui.theme import M, S, blend, icon_side
from ui.widgets import FlowLayout
from ui.words.names import group, language

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction, QKeyEvent, QPaintEvent

    from indexer.query.grammar import Clause

_MOST_CHARACTERS = 32
_FILL, _HOVER_FILL = 0.14, 0.24


class Pill(QAbstractButton):
    """``drawing`` is the icon after the text, or before it with ``leads``; ``filled`` is a chip."""

    def __init__(
        self,
        text: str,
        drawing: str,
        *,
        leads: bool = False,
        filled: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._drawing, self._leads, self._filled = drawing, leads, filled
        self.most_width = 0  # in pixels; 0: as wide as the text, up to a limit
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._shown()) + self._side() + S + 2 * M
        return QSize(width, metrics.height() + 2 * S)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.isDown()
        share = _HOVER_FILL if lit else _FILL
        painter.setPen(colours.line)
        if self._filled:
            painter.setBrush(blend(colours.selection, colours.raised, share))
        elif lit:
            painter.setBrush(blend(colours.selection, colours.raised, _HOVER_FILL - _FILL))
        inner = self.rect().adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(inner, inner.height() / 2, inner.height() / 2)
        self._paint_parts(painter)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.updateGeometry()

    def _paint_parts(self, painter: QPainter) -> None:
        colours, side = theme.current(), self._side()
        area = self.rect().adjusted(M, 0, -M, 0)
        top = area.top() + (area.height() - side) // 2
        drawing = QRect(area.left(), top, side, side)
        text = area.adjusted(side + S, 0, 0, 0)
        if self._leads == self.isRightToLeft():
            drawing.moveRight(area.right())
            text = area.adjusted(0, 0, -side - S, 0)
        pixmap = theme.pixmap(self._drawing, side, colours.muted, self.devicePixelRatioF())
        painter.drawPixmap(drawing, pixmap)
        painter.setPen(colours.text)
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self._shown())

    def _side(self) -> int:
        return icon_side(self.fontMetrics().height(), 0.75)

    def _shown(self) -> str:
        metrics = self.fontMetrics()
        room = metrics.averageCharWidth() * _MOST_CHARACTERS
        if self.most_width:
            room = min(room, self.most_width - self._side() - S - 2 * M)
        return metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)


# Offsets after the path of a document, see ``ui.search.query_text.similar``.
_SPAN = re.compile(r"#\d+-\d+$")
# Filters whose values are paths.
_PLACES = frozenset({"in", "like", *STEERING})
# A pasted text may hold thousands of quotation marks.
_MOST_CHIPS = 40


class Chip(Pill):
    """A clause of the query; a click, or Delete, removes it."""

    removed = Signal()
    moved = Signal(int)

    def __init__(self, clause: Clause, parent: QWidget | None = None, pages: str = "") -> None:
        label = label_of(clause, pages)
        super().__init__(label, "close", filled=True, parent=parent)
        self.clause = clause
        self.written = ""  # the clause in the grammar
        self.setAccessibleName(self.tr("Filter {name}").format(name=label))
        self.setAccessibleDescription(self.tr("Press Delete to remove it"))
        self.setToolTip(self.tr("Remove “{name}” (Del)").format(name=label))
        self.clicked.connect(self.removed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(self.tr("Remove this filter")).triggered.connect(self.click)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.removed.emit()
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key:
                forth = (key is Qt.Key.Key_Right) == self._reads_to_the_right()
                self.moved.emit(1 if forth else -1)
            case _:
                super().keyPressEvent(event)

    def _reads_to_the_right(self) -> bool:
        parent = self.parentWidget()
        return parent is None or not parent.isRightToLeft()


class ChipBar(QWidget):
    """Chips of the query, and the menus that add filters.

    Signals:
        edited: The new query, after a chip was removed or a filter added.
        typing_requested: A filter whose value is to be typed, such as ``date:``.
    """

    edited = Signal(str)
    typing_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.comes_after: QWidget | None = None  # the widget before the chips in the tab order
        self._text = ""
        self._chips: list[Chip] = []
        self._flow = FlowLayout(self, S)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Filters"))
        self.menus = FilterMenus(self)
        for button in self.menus.buttons:
            self._flow.addWidget(button)
        self.menus.chosen.connect(self._edit)
        self.menus.typing_requested.connect(self.typing_requested)

    @property
    def chips(self) -> tuple[Chip, ...]:
        return tuple(self._chips)

    def show_query(self, text: str) -> None:
        """Show a chip for each phrase and excluded word of a query."""
        self._text = self.menus.query = text
        wanted = [each for each in clauses(text) if not each.operator][:_MOST_CHIPS]
        shown = [_identity(chip.clause) for chip in self._chips]
        if shown == [_identity(clause) for clause in wanted]:
            for chip, clause in zip(self._chips, wanted, strict=True):
                chip.clause = clause
            return
        focused = next((at for at, chip in enumerate(self._chips) if chip.hasFocus()), None)
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._made(clause, at) for at, clause in enumerate(wanted)]
        self._order_tabs()
        if focused is not None:
            self._focus(min(focused, len(self._chips) - 1))
        self.updateGeometry()

    def _made(self, clause: Clause, at: int) -> Chip:
        chip = Chip(clause, self)
        chip.removed.connect(self._remove)
        chip.moved.connect(self._move)
        self._flow.insert_widget(at, chip)
        chip.show()
        return chip

    def _order_tabs(self) -> None:
        """Put the chips before the menus in the tab order, where new widgets come last."""
        before = self.comes_after or self
        for each in (*self._chips, *self.menus.buttons):
            QWidget.setTabOrder(before, each)
            before = each

    def _remove(self) -> None:
        chip = self.sender()
        if isinstance(chip, Chip):
            self._edit(without(self._text, chip.clause))

    def _move(self, step: int) -> None:
        chip = self.sender()
        if isinstance(chip, Chip) and chip in self._chips:
            self._focus(self._chips.index(chip) + step)

    def _focus(self, at: int) -> None:
        if 0 <= at < len(self._chips):
            self._chips[at].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.menus.buttons[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _edit(self, text: str) -> None:
        self.edited.emit(text)


def label_of(clause: Clause, pages: str = "") -> str:
    """Return the text of a chip; ``pages`` are those of the passage that a clause names."""
    value = line(clause.value)
    translate = QCoreApplication.translate
    if not clause.operator:
        text = f"“{value}”" if clause.quoted else value
        return translate("Chip", "not {value}").format(value=text) if clause.excluded else text
    named = {
        "in": translate("Chip", "In: {value}"),
        "ext": translate("Chip", "Type: {value}"),
        "type": translate("Chip", "Type: {value}"),
        "date": translate("Chip", "Date: {value}"),
        "after": translate("Chip", "From: {value}"),
        "before": translate("Chip", "Before: {value}"),
        "size": translate("Chip", "Size: {value}"),
        "title": translate("Chip", "Title: {value}"),
        "author": translate("Chip", "Author: {value}"),
        "lang": translate("Chip", "Language: {value}"),
        "page": translate("Chip", "Page: {value}"),
        "like": translate("Chip", "Like: {value}"),
        "more": translate("Chip", "More like {value}"),
        "less": translate("Chip", "Less like {value}"),
    }
    short = _short(clause.operator, value)
    if pages:
        short = translate("Chip", "{pages} of {value}").format(pages=pages, value=short)
    elif clause.operator == "like" and _SPAN.search(value):
        named["like"] = translate("Chip", "Like a passage of {value}")
    label = named.get(clause.operator, "{value}").format(value=short)
    return translate("Chip", "not {value}").format(value=label) if clause.excluded else label


def readable(query: str) -> str:
    """Return a query for display: with names of documents and folders in place of their paths."""
    named: list[str] = []
    for clause in reversed(clauses(query)):
        if clause.operator in _PLACES:
            query = without(query, clause)
            named.insert(0, label_of(clause))
    return " · ".join(filter(None, (query.strip(), *named)))


def _short(operator: str, value: str) -> str:
    """Return the last part of a path; other values unchanged."""
    if operator not in _PLACES:
        return value
    value = _SPAN.sub("", value)
    parts = [part for part in value.replace(os.sep, "/").split("/") if part]
    return parts[-1] if parts else value


def _identity(clause: Clause) -> tuple[str, str, bool, bool]:
    return clause.operator, clause.value, clause.excluded, clause.quoted


_MOST_FOLDERS = 30


class FilterButton(Pill):
    """Opens a menu below itself."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, "plus", leads=True, parent=parent)
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.setAccessibleDescription(self.tr("Opens a menu"))
        self.clicked.connect(self.open_menu)

    def open_menu(self) -> None:
        corner = QPoint(0, self.height())
        if self.isRightToLeft():
            corner = QPoint(self.width() - self.menu.sizeHint().width(), self.height())
        self.menu.popup(self.mapToGlobal(corner))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open_menu()
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
            self._add(menu, group(kind), "type", kind, listed_extensions(extensions))
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
