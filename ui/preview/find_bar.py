"""The line for finding words in the shown document. It must not know documents."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from ui.icons import icon
from ui.search.message import Muted
from ui.theme import M, S, icon_size

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent


class FindBar(QWidget):
    """A field with buttons and keys; hidden until it is opened.

    Signals:
        wanted: The text to find, and 1 for the next place, -1 for the one before, 0 for the first
            one from the current page on.
        closed: The bar was closed.
    """

    wanted = Signal(str, int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setPlaceholderText(self.tr("Find in this document"))
        self.text.setAccessibleName(self.text.placeholderText())
        self.text.textEdited.connect(self._type)
        self.said = Muted()
        self.before = self._button("chevron-up", self.tr("Previous place (Shift+F3)"))
        self.after = self._button("chevron-down", self.tr("Next place (F3)"))
        close = self._button("close", self.tr("Close (Esc)"))
        self.before.clicked.connect(partial(self.step, -1))
        self.after.clicked.connect(partial(self.step, 1))
        close.clicked.connect(self.close_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(M, S, M, S)
        row.setSpacing(S)
        row.addWidget(self.text, 1)
        for part in (self.said, self.before, self.after, close):
            row.addWidget(part)
        self.hide()

    def open_bar(self, text: str = "") -> None:
        """Show the bar, and look for a text if one is given."""
        self.show()
        if text:
            self.text.setText(text)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        if self.text.text():
            self.step(0)

    def close_bar(self) -> None:
        if not self.isHidden():
            self.hide()
            self.say("")
            self.closed.emit()

    def step(self, step: int, _checked: bool = False) -> None:
        """Look for the next place, or the one before."""
        if self.text.text().strip():
            self.wanted.emit(self.text.text(), step)

    def say(self, text: str) -> None:
        """Show the outcome of a search."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match Qt.Key(event.key()):
            case Qt.Key.Key_Escape:
                self.close_bar()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.step(-1 if shift else 1)
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange:
            for button in self.findChildren(QToolButton):
                button.setIconSize(icon_size(self))

    def _type(self, text: str) -> None:
        if text.strip():
            self.wanted.emit(text, 0)
        else:
            self.say("")

    def _button(self, drawing: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(drawing))
        button.setIconSize(icon_size(self))
        button.setAutoRaise(True)
        button.setToolTip(text)
        button.setAccessibleName(text.partition(" (")[0])
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button
