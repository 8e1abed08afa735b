"""The search box: a line edit with filters as tokens before the text, and completions below."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QToolButton, QTreeView

from indexer.query.grammar import MAX_CHARACTERS, clauses
from ui import keys, theme
from ui.search.filters import Chip, readable
from ui.search.query_text import Offers, Suggestion, parted, suggest, suggest_all, written
from ui.search.safe_text import line
from ui.theme import L, M, S, icon
from ui.widgets import RowDelegate

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

# The share of the width for filters.
_SHARE = 0.6


class TokenBox(QLineEdit):
    """``query`` is the filters and the text; ``text`` is the text alone.

    Signals:
        query_edited: The query, after the person changed it.
        query_changed: The query, however it changed.
    """

    query_edited = Signal(str)
    query_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tokens: list[Chip] = []
        self.places: dict[str, str] = {}  # the pages of passages, by their values in a query
        # Qt's own clear button does not grow with the text.
        self._clear = QToolButton(self)
        self._clear.setIcon(icon("close"))
        self._clear.setAutoRaise(True)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.setCursor(Qt.CursorShape.ArrowCursor)
        self._clear.setToolTip(self.tr("Clear what was typed"))
        self._clear.setAccessibleName(self._clear.toolTip())
        self._clear.clicked.connect(self._clear_text)
        self._clear.hide()
        self.textEdited.connect(self._edited)
        self.textChanged.connect(self._changed)

    @property
    def query(self) -> str:
        """The filters and the text."""
        filters = "".join(f"{token.written} " for token in self.tokens)
        return filters + self.text()

    def set_query(self, query: str) -> None:
        """Show a query, its filters as tokens."""
        filters, text = parted(query)
        self._show_tokens(filters)
        self.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at_start = not self.cursorPosition() and not self.hasSelectedText() and bool(self.tokens)
        backward = Qt.Key.Key_Right if self.isRightToLeft() else Qt.Key.Key_Left
        if at_start and event.key() == Qt.Key.Key_Backspace:
            self._remove(self.tokens[-1])
        elif at_start and event.key() == backward and not event.modifiers():
            self.tokens[-1].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        side = self._glyph_side()
        left = self.width() - M - side if self.isRightToLeft() else M
        drawing = theme.pixmap("search", side, theme.current().muted, self.devicePixelRatioF())
        painter.drawPixmap(left, (self.height() - side) // 2, drawing)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        changes = (QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange)
        if event.type() in changes and hasattr(self, "_clear"):
            self._place()

    def _edited(self, text: str) -> None:
        """Turn filters that are typed completely into tokens."""
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
            self._show_tokens([*(token.written for token in self.tokens), *new])
            self.setText(text)
            self.setCursorPosition(cursor)
        self.query_edited.emit(self.query)

    def _clear_text(self) -> None:
        self.clear()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.textEdited.emit("")

    def _changed(self) -> None:
        self._clear.setVisible(bool(self.text()))
        self.query_changed.emit(self.query)

    def _show_tokens(self, filters: list[str]) -> None:
        if filters == [token.written for token in self.tokens]:
            return
        for token in self.tokens:
            token.hide()
            token.deleteLater()
        self.tokens = []
        before: QWidget = self
        for each in filters:
            (clause,) = clauses(each)
            token = Chip(clause, self, self.places.get(clause.value, ""))
            token.written = each
            token.setCursor(Qt.CursorShape.PointingHandCursor)
            token.removed.connect(self._removed)
            token.moved.connect(self._moved)
            self.tokens.append(token)
            token.show()
            self.setTabOrder(before, token)
            before = token
        self.setAccessibleDescription(", ".join(token.text() for token in self.tokens))
        self._place()
        self._changed()

    def _place(self) -> None:
        """Place the tokens side by side before the text."""
        right = self.isRightToLeft()
        side = self._glyph_side()
        at = M + side + S
        self._share_room(round(_SHARE * self.width()), 3 * side)
        for token in self.tokens:
            size = token.sizeHint()
            size.setHeight(min(size.height(), self.height() - S))
            token.resize(size)
            left = self.width() - at - size.width() if right else at
            token.move(left, (self.height() - size.height()) // 2)
            at += size.width() + S
        self._clear.resize(side + S, side + S)
        self._clear.setIconSize(QSize(side, side))
        end = M + side + S
        left = M if right else self.width() - self._clear.width() - M
        self._clear.move(left, (self.height() - self._clear.height()) // 2)
        self.setTextMargins(end if right else at, S, at if right else end, S)

    def _share_room(self, room: int, least: int) -> None:
        """Shorten the longest tokens until all fit into ``room`` pixels."""
        for token in self.tokens:
            token.most_width = 0
        wide = sorted(self.tokens, key=lambda token: token.sizeHint().width())
        for left, token in zip(range(len(wide), 0, -1), wide, strict=True):
            width = max(room // left - S, least)
            if token.sizeHint().width() > width:
                token.most_width = width
            room -= token.sizeHint().width() + S

    def _glyph_side(self) -> int:
        return self.fontMetrics().height()

    def _removed(self) -> None:
        token = self.sender()
        if isinstance(token, Chip):
            self._remove(token)

    def _remove(self, token: Chip) -> None:
        self._show_tokens([each.written for each in self.tokens if each is not token])
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.query_edited.emit(self.query)

    def _moved(self, step: int) -> None:
        token = self.sender()
        at = self.tokens.index(token) + step if token in self.tokens else len(self.tokens)
        beside = self.tokens[max(at, 0)] if at < len(self.tokens) else self
        beside.setFocus(Qt.FocusReason.TabFocusReason)
        if beside is self:
            self.setCursorPosition(0)


_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_FOR_POPUP = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)


class SearchBox(TokenBox):
    """The box with its completions.

    Signals:
        stepped: Go so many hits down, or documents if the second is true.
        accepted: Enter ends the query; true: with Ctrl.
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
