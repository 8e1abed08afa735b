"""The search box: its text, its completions, and the keys that move through the results.

It must not know what is searched.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QTreeView

from indexer.query.grammar import MAX_CHARACTERS
from ui import keys, theme
from ui.search.chips import readable
from ui.search.completions import Offers, Suggestion, suggest, suggest_all
from ui.search.safe_text import line
from ui.search.tokens import TokenBox
from ui.theme import L
from ui.widgets import RowDelegate

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_FOR_POPUP = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)


class SearchBox(TokenBox):
    """The box with its completions.

    Signals:
        stepped: Go so many hits down, or documents if the second is true.
        accepted: Open the hit, or show it in its folder if true.
        escaped: Escape was pressed with no completions open.
    """

    stepped = Signal(int, bool)
    accepted = Signal(bool)
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offers = Offers()
        self.setMaxLength(MAX_CHARACTERS)
        self.setPlaceholderText(self.tr("Search your documents"))
        self.setAccessibleName(self.tr("Search"))
        self.setToolTip(self.tr("Words, “phrases”, filters such as ext:pdf (Ctrl+L; ? for help)"))
        self._suggestions: list[Suggestion] = []
        self._model = QStandardItemModel(0, 2, self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(12)
        self._completer.setWidget(self)
        self.popup = _popup()
        self._completer.setPopup(self.popup)
        self._completer.activated[QModelIndex].connect(self._insert_completion)  # type: ignore[index]  # the stub knows no overloads
        self.textEdited.connect(self._offer_values)

    def complete(self) -> None:
        """Show all completions at the cursor."""
        self._show(suggest_all(self.text(), self.cursorPosition(), self.offers, _today()))

    def focus_all(self) -> None:
        """Focus the box with its text selected, so that typing replaces it."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # With the cursor at the beginning, which is then the visible part of a long query.
        self.setSelection(len(self.text()), -len(self.text()))

    def focus_end(self) -> None:
        """Focus the end of the box, so that typing replaces nothing."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.end(False)
        if self.text() and not self.text().endswith(" "):
            self.insert(" ")

    def type_text(self, typed: str) -> None:
        """Insert text as if it were typed."""
        self.insert(typed)
        self.textEdited.emit(self.text())

    def type_filter(self, start: str) -> None:
        """Append the beginning of a filter, whose values are then offered."""
        text = f"{self.text().rstrip()} {start}".lstrip()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setText(text)
        self.textEdited.emit(text)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # A field takes the key even if it has nothing to undo, and a notice may have.
            undoes = event.matches(QKeySequence.StandardKey.Undo) and not self.isUndoAvailable()
            # On X11 it is the end of the line, too.
            if undoes or QKeySequence(event.keyCombination()) == QKeySequence(keys.REASONS):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers() & _MODIFIERS
        control = modifiers == Qt.KeyboardModifier.ControlModifier
        if self.popup.isVisible() and event.key() in _FOR_POPUP:
            chosen = self.popup.currentIndex().isValid()
            if chosen or event.key() == Qt.Key.Key_Escape:
                event.ignore()  # the completer handles it
                return
            self.popup.hide()
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
                self.escaped.emit()
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

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


def _popup() -> QTreeView:
    popup = QTreeView()
    popup.setItemDelegate(RowDelegate(popup))
    popup.setRootIsDecorated(False)
    popup.setUniformRowHeights(True)
    popup.setHeaderHidden(True)
    popup.setIndentation(0)
    popup.setAllColumnsShowFocus(True)
    popup.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    popup.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    popup.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    popup.header().setStretchLastSection(True)
    popup.header().setMinimumSectionSize(8 * L)
    popup.header().setResizeContentsPrecision(-1)  # measure all rows, not the visible ones
    return popup


def _today() -> date:
    return date.today()  # noqa: DTZ011  # the local day is meant
