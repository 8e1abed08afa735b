"""The cards of the basket: a passage each with its note, in a column that can be reordered."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ui.basket.basket import COLOURS, Kept
from ui.search import describe
from ui.search.labels import PassageLabel
from ui.search.safe_text import line
from ui.theme import L, M, S, current, icon
from ui.widgets import CardFrame, IconToolButton, Restyled, filled, plain_label, wrapped_label

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent


# Average letters; a narrower card has its note below the passage.
_NARROW = 90
_NOTE_LINES = 4
_MOST_LETTERS = 1200


class NoteField(Restyled, QPlainTextEdit):
    """The note: plain text, in which Tab goes on to the next control."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setPlainText(text)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(self.tr("Your note"))
        self.setFrameShape(QFrame.Shape.NoFrame)  # the card draws its edge
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def restyle(self) -> None:
        self.setMinimumHeight(self.fontMetrics().lineSpacing() * _NOTE_LINES + 2 * M)


class Card(CardFrame):
    """A passage of the basket with its note; its menu has what its keys do, too.

    Signals:
        shown: Show the passage on its page; with its key, as all.
        cited: Copy it with its citation.
        removed: Take it out.
        moved: Its key, and by how many places it is to move.
        noted: Its note has changed: the key and the text.
        stepped: Focus the card before (-1) or behind (1) it.
    """

    shown = Signal(str)
    cited = Signal(str)
    removed = Signal(str)
    moved = Signal(str, int)
    noted = Signal(str, str)
    stepped = Signal(str, int)

    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self.kept = kept
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title, self.place = plain_label(bold=True), plain_label(muted=True)
        self.where = wrapped_label(muted=True)
        self.text = PassageLabel(_MOST_LETTERS)
        self.note = NoteField(kept.note)
        self.note.textChanged.connect(lambda: self.noted.emit(kept.key, self.note.toPlainText()))
        self.more = IconToolButton("more", self.tr("More"))
        self.more.setPopupMode(self.more.ToolButtonPopupMode.InstantPopup)
        self.more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        menu = QMenu(self.more)
        for drawing, text, act in (
            ("preview", self.tr("Show on its page"), self._show),
            ("copy", self.tr("Copy with citation"), lambda: self.cited.emit(self.kept.key)),
            ("arrow-up", self.tr("Move up"), lambda: self.moved.emit(self.kept.key, -1)),
            ("arrow-down", self.tr("Move down"), lambda: self.moved.emit(self.kept.key, 1)),
            ("trash", self.tr("Take out of the basket"), self._remove),
        ):
            menu.addAction(icon(drawing), text).triggered.connect(act)
        self.addActions(menu.actions())
        self.more.setMenu(menu)
        self._arrange()
        self.show_passage(kept, 1)

    def show_passage(self, kept: Kept, number: int) -> None:
        """Show a passage, the ``number``-th from 1; a note that is being typed stays."""
        self.kept = kept
        hit = kept.hit
        title, pages = describe.title(hit), describe.pages(hit)
        self.title.setText(title)
        self.title.setToolTip(line(hit.path))
        self.place.setText(pages)
        self.place.setVisible(bool(pages))
        where = " · ".join(filter(None, (describe.file_beside_title(hit), describe.headings(hit))))
        self.where.setText(where)
        self.where.setVisible(bool(where))
        self.text.show_hit(hit)
        spoken = self.tr("{number}: {title}. {passage}")
        named = ", ".join(filter(None, (title, describe.file_beside_title(hit))))
        passage_spoken = describe.hit_spoken(hit)
        self.setAccessibleName(spoken.format(number=number, title=named, passage=passage_spoken))
        self.note.setAccessibleName(self.tr("Note on passage {number}").format(number=number))
        more = self.tr("{action}: passage {number}")
        self.more.setAccessibleName(more.format(action=self.more.toolTip(), number=number))

    def _arrange(self) -> None:
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        parts = (self.title, self.place, self.more)
        head = filled(QHBoxLayout(), *parts, spacing=S, wide=self.title)
        passage_column = filled(QVBoxLayout(), self.where, self.text, None, spacing=S)
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(L)
        self._body.addLayout(passage_column, 3)
        self._body.addWidget(self.note, 2)
        filled(QVBoxLayout(self), head, self._body, edges=(L, M, L, L))

    def _show(self) -> None:
        self.shown.emit(self.kept.key)

    def _remove(self) -> None:
        self.removed.emit(self.kept.key)

    # Qt's events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        moving = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps and held == moving:
            self.moved.emit(self.kept.key, steps[key])
        elif key in steps and not held:
            self.stepped.emit(self.kept.key, steps[key])
        elif event.matches(QKeySequence.StandardKey.Delete) and not held:
            self._remove()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not held:
            self._show()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_body"):
            self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """Put the note below the passage where there is no room beside it."""
        narrow = self.width() < _NARROW * self.fontMetrics().averageCharWidth()
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._body.direction() != direction:
            self._body.setDirection(direction)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.kept.colour in COLOURS:
            painter.fillRect(0, 0, S, self.height(), QColor(COLOURS[self.kept.colour]))
        painter.setPen(current().accent if self.note.hasFocus() else current().line)
        painter.drawRoundedRect(QRectF(self.note.geometry()).adjusted(-1, -1, 1, 1), S, S)


class Cards(QWidget):
    """The column of cards."""

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[Card] = []
        self._column = filled(QVBoxLayout(self), None)

    def arrange(self, cards: list[Card]) -> None:
        """Show these cards in this order; the others are deleted."""
        for card in self.cards:
            if card not in cards:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
        for place, card in enumerate(cards):
            if self._column.indexOf(card) != place:
                self._column.insertWidget(place, card)
        chain = [widget for card in cards for widget in (card, card.note)]
        for before, widget in pairwise(chain):
            QWidget.setTabOrder(before, widget)
        self.cards = cards

    def settle(self) -> None:
        """Place the cards now."""
        self._column.activate()
