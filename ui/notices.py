"""The line of notices, used in place of dialogs: its text, its button, how long it stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeySequence,
    QPalette,
    QShortcut,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from ui.theme import L, S
from ui.widgets import FocusReturn, IconToolButton, filled, timer, wrapped_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent
    from PySide6.QtWidgets import QWidget

    from ui.ports import Notice


class NoticeBar(QFrame):
    """Shows one notice at a time; a new one replaces the old. Implements ``ports.Notices``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.setAccessibleName(self.tr("Notice"))
        self._act: Callable[[], None] | None = None
        self._expired: Callable[[], None] | None = None
        self._seconds = 0.0
        self._timer = timer(self, 0, self.dismiss)
        self._text = wrapped_label()
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._button = QPushButton()
        self._button.setAccessibleName(self.tr("Act on this notice"))
        self._button.clicked.connect(self._accept)
        self._close = IconToolButton("close", self.tr("Dismiss"))
        self._close.setAccessibleName(self.tr("Dismiss this notice"))
        self._close.clicked.connect(self.dismiss)
        self._focus = FocusReturn(self, self.dismiss)
        self._undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        self._undo.activated.connect(self._accept)
        self._undo.setEnabled(False)
        row = filled(QHBoxLayout(self), self._text, self._button, self._close, edges=(L, S, S, S))
        row.setStretch(0, 1)
        self.hide()

    @property
    def text(self) -> str:
        """The text of the current notice; empty if there is none."""
        return "" if self.isHidden() else self._text.text()

    def post(self, notice: Notice) -> None:
        """See ``ports.Notices``."""
        self.dismiss()
        self._act, self._expired = notice.undo or notice.act, notice.expired
        self._seconds = notice.seconds
        self._undo.setEnabled(notice.undo is not None)
        action = self.tr("Undo") if notice.undo is not None else notice.action
        self._text.setText(notice.text)
        self._button.setText(action)
        self._button.setAccessibleName(action)
        self._button.setVisible(bool(action))
        self.show()
        self._start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, notice.text))

    def dismiss(self) -> None:
        """Remove the notice and call its ``expired``."""
        expired = self._expired
        self._clear()
        if expired is not None:
            expired()

    def _accept(self) -> None:
        act = self._act
        self._clear()
        if act is not None:
            act()

    def _clear(self) -> None:
        self._timer.stop()
        self._act = self._expired = None
        self._undo.setEnabled(False)
        self._focus.give_back()
        self.hide()

    def _start(self) -> None:
        if self._seconds > 0:
            self._timer.start(round(self._seconds * 1000))

    def enterEvent(self, event: QEnterEvent) -> None:
        # The notice stays while the pointer is on it: its button may be pressed next.
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self._text.text() and self.isVisible():
            self._start()
        super().leaveEvent(event)
