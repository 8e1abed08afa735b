"""Returns the focus of a card that is hidden to the widget that had it before.

By default Qt moves the focus of a hidden card to the next widget, such as the rail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from collections.abc import Callable


class FocusReturn(QObject):
    """Keeps the widget that had the focus before ``card``; Esc in the card calls ``close``."""

    def __init__(self, card: QWidget, close: Callable[[], None] | None) -> None:
        super().__init__(card)
        self._card = card
        self._before: QWidget | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)  # noqa: S101  # for mypy
        app.focusChanged.connect(self._note)
        if close is not None:
            escape = QShortcut(QKeySequence(QKeySequence.StandardKey.Cancel), card)
            escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            escape.activated.connect(close)

    def give_back(self) -> None:
        """Return the focus, if the card has it. To be called before the card is hidden."""
        now, before = QApplication.focusWidget(), self._before
        if now is None or not self._card.isAncestorOf(now):
            return
        if before is not None and isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus()

    def _note(self, before: QWidget | None, now: QWidget | None) -> None:
        entered = now is not None and self._card.isAncestorOf(now)
        if before is not None and entered and not self._card.isAncestorOf(before):
            self._before = before
