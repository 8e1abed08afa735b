"""A line edit with filters as tokens before the text.

Owns the tokens, their positions, and the keys between them and the text. The query is the filters
and the text together, in the grammar. It must not know how it is answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLineEdit, QToolButton

from indexer.query.grammar import clauses
from ui import icons, theme
from ui.icons import icon
from ui.search.chips import Chip
from ui.search.query_text import parted, written
from ui.theme import M, S

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
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
        drawing = icons.pixmap("search", side, theme.current().muted, self.devicePixelRatioF())
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
