"""The search box: a line edit for the text of a query, with completions below.

A query consists of filters, which are shown as chips outside the box, and the text.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QTreeView

from indexer.query.grammar import MAX_CHARACTERS, clauses
from ui import keys, theme
from ui.lists import style_list
from ui.search.filters import readable
from ui.search.query_text import Offers, Suggestion, parted, suggest, suggest_all, written
from ui.search.safe_text import line
from ui.theme import L, M, S
from ui.widgets import IconToolButton

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_FOR_POPUP = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
# Keys that type nothing when they are pressed alone.
_HELD = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta)


class SearchBox(QLineEdit):
    """Edits a query; ``query`` has the filters and the text, ``text`` only the text.

    Signals:
        query_edited: The query, after the person changed it.
        query_changed: The query, however it changed.
        all_selected: Whether the filters are selected together with the text.
        stepped: How many hits to go down; documents if the second value is true.
        accepted: Enter ends the query; the value is true with Ctrl.
        left: The focus goes to the last filter.
    """

    query_edited = Signal(str)
    query_changed = Signal(str)
    all_selected = Signal(bool)
    stepped = Signal(int, bool)
    accepted = Signal(bool)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.filters: list[str] = []  # each in the grammar
        self.offers = Offers()
        self._all = False  # whether the next letter replaces the filters, too
        self.setMaxLength(MAX_CHARACTERS)
        self.setPlaceholderText(self.tr("Search your documents"))
        self.setAccessibleName(self.tr("Search"))
        self.setToolTip(self.tr("Words, “phrases”, filters such as ext:pdf (Ctrl+L; F1 for help)"))
        # Qt's own clear button does not grow with the text.
        clear = self.tr("Clear the text and the filters")
        self._clear = IconToolButton("close", clear, self._clear_all)
        self._clear.setParent(self)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.setCursor(Qt.CursorShape.ArrowCursor)
        self._clear.hide()
        self._suggestions: list[Suggestion] = []
        self._model = QStandardItemModel(0, 2, self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(12)
        self._completer.setWidget(self)
        self.popup = _popup()
        self._completer.setPopup(self.popup)
        self._completer.activated[QModelIndex].connect(self._insert_completion)  # type: ignore[index]  # the stub knows no overloads
        self.textEdited.connect(self._edited)
        self.textEdited.connect(self._offer_values)
        self.textChanged.connect(self._changed)

    @property
    def query(self) -> str:
        """The filters and the text."""
        return "".join(f"{each} " for each in self.filters) + self.text()

    def set_query(self, query: str) -> None:
        """Show a query; its filters are no part of the text."""
        self.filters, text = parted(query)
        if text != self.text():
            self.setText(text)
        else:
            self._changed()

    def complete(self) -> None:
        """Show all completions at the cursor."""
        self._show(suggest_all(self.text(), self.cursorPosition(), self.offers, _today()))

    def focus_all(self) -> None:
        """Focus the box with its text selected, so that typing replaces it."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # The cursor is at the beginning, so that this part of a long query is visible.
        self.setSelection(len(self.text()), -len(self.text()))

    def focus_end(self) -> None:
        """Focus the box with the cursor at its end, so that typing replaces nothing."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.end(False)
        if self.text() and not self.text().endswith(" "):
            self.insert(" ")

    def type_text(self, typed: str) -> None:
        """Insert text as if it were typed."""
        self.insert(typed)
        self.textEdited.emit(self.text())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # A line edit takes the key even if it has nothing to undo, while a notice may have.
            undoes = event.matches(QKeySequence.StandardKey.Undo) and not self.isUndoAvailable()
            # On X11 it is the end of the line, too.
            if undoes or QKeySequence(event.keyCombination()) == QKeySequence(keys.REASONS):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._replace_filters(event)
        modifiers = event.modifiers() & _MODIFIERS
        control = modifiers == Qt.KeyboardModifier.ControlModifier
        if self.popup.isVisible() and event.key() in _FOR_POPUP:
            chosen = self.popup.currentIndex().isValid()
            if chosen or event.key() == Qt.Key.Key_Escape:
                event.ignore()  # the completer handles it
                return
            self.popup.hide()
        if self._goes_to_filters(event):
            event.accept()
            return
        match Qt.Key(event.key()):
            case Qt.Key.Key_Space if control:
                self.complete()
            case Qt.Key.Key_Down if modifiers == Qt.KeyboardModifier.AltModifier:
                self.complete()
            case Qt.Key.Key_Down if not self.text().strip() and not modifiers:
                self.complete()
            case Qt.Key.Key_Down | Qt.Key.Key_Up as key if control or not modifiers:
                self.stepped.emit(1 if key is Qt.Key.Key_Down else -1, control)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if control or not modifiers:
                self.accepted.emit(control)
            case Qt.Key.Key_Escape:
                self.selectAll()
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

    def _replace_filters(self, event: QKeyEvent) -> None:
        """Remove the filters, too, if a key replaces what Ctrl+A has selected."""
        if event.key() in _HELD:
            return
        if self._all and _replaces(event):
            self.filters = []
            if not self.text():
                self._edited("")
        self._select_filters(on=event.matches(QKeySequence.StandardKey.SelectAll))

    def _goes_to_filters(self, event: QKeyEvent) -> bool:
        """Remove or focus the last filter, if a key at the beginning of the text does that."""
        if self.cursorPosition() or self.hasSelectedText() or not self.filters:
            return False
        backward = Qt.Key.Key_Right if self.isRightToLeft() else Qt.Key.Key_Left
        if event.key() == Qt.Key.Key_Backspace:
            self.filters.pop()
            self._edited(self.text())
        elif event.key() == backward and not event.modifiers():
            self.left.emit()
        else:
            return False
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._select_filters(on=False)
        super().mousePressEvent(event)

    def _select_filters(self, *, on: bool) -> None:
        if on is not self._all:
            self._all = on
            self.all_selected.emit(on)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        side = self.fontMetrics().height()
        left = self.width() - M - side if self.isRightToLeft() else M
        drawing = theme.pixmap("search", side, theme.current().muted, self.devicePixelRatioF())
        painter.drawPixmap(left, (self.height() - side) // 2, drawing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        changes = (QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange)
        if event.type() in changes and hasattr(self, "_clear"):
            self._place()

    def _place(self) -> None:
        """Place the drawing and the button at both ends of the text."""
        side = self.fontMetrics().height() + S
        right = self.isRightToLeft()
        self._clear.resize(side, side)
        left = M if right else self.width() - side - M
        self._clear.move(left, (self.height() - side) // 2)
        self.setTextMargins(M + side, S, M + side, S)

    def _edited(self, text: str) -> None:
        """Turn filters that are typed completely into chips."""
        cursor = self.cursorPosition()
        ended = [
            each for each in clauses(text)
            if each.operator and each.end < min(len(text), cursor) and text[each.end].isspace()
        ]  # fmt: skip
        for each in reversed(ended):
            text = text[: each.start] + text[each.end + 1 :]
            cursor -= each.end + 1 - each.start
        if ended:
            new = [written(each.operator, each.value, excluded=each.excluded) for each in ended]
            self.filters = [*self.filters, *new]
            self.setText(text)
            self.setCursorPosition(cursor)
        self._changed()
        self.query_edited.emit(self.query)

    def _clear_all(self) -> None:
        self.filters = []
        self.clear()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._edited("")

    def _changed(self) -> None:
        self._clear.setVisible(bool(self.text() or self.filters))
        self.setAccessibleDescription(", ".join(map(readable, self.filters)))
        self.query_changed.emit(self.query)

    def _offer_values(self) -> None:
        self._show(suggest(self.text(), self.cursorPosition(), self.offers, _today()))

    def _show(self, suggestions: list[Suggestion]) -> None:
        self._suggestions = suggestions
        self._model.removeRows(0, self._model.rowCount())
        if not suggestions:
            self.popup.hide()
            return
        for each in suggestions:
            cells = [QStandardItem(line(readable(each.label))), QStandardItem(line(each.hint))]
            cells[1].setForeground(theme.current().muted)
            self._model.appendRow(cells)
        self.popup.resizeColumnToContents(0)
        self.popup.setCurrentIndex(QModelIndex())
        self.popup.setLayoutDirection(self.layoutDirection())
        self._completer.complete()

    def _insert_completion(self, index: QModelIndex) -> None:
        if index.row() < len(self._suggestions):
            chosen = self._suggestions[index.row()]
            self.setText(chosen.text)
            self.setCursorPosition(chosen.cursor)
            self.textEdited.emit(chosen.text)


def _replaces(event: QKeyEvent) -> bool:
    """Return whether a key replaces the selection."""
    keys = (QKeySequence.StandardKey.Cut, QKeySequence.StandardKey.Paste)
    typed = event.text().isprintable() and bool(event.text())
    deleted = event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
    return typed or deleted or any(map(event.matches, keys))


def _popup() -> QTreeView:
    popup = QTreeView()
    style_list(popup, "")
    popup.setRootIsDecorated(False)
    popup.setUniformRowHeights(True)
    popup.setHeaderHidden(True)
    popup.setIndentation(0)
    popup.setAllColumnsShowFocus(True)
    popup.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    popup.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    popup.header().setStretchLastSection(True)
    popup.header().setMinimumSectionSize(8 * L)
    popup.header().setResizeContentsPrecision(-1)  # measure all rows, not the visible ones
    return popup


def _today() -> date:
    return date.today()  # noqa: DTZ011  # the local day is meant
