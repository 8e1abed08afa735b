"""Gives the focus to a card, and back to the widget that had it when the card is hidden.

By default Qt moves the focus of a hidden card to the next widget, which is the rail.
"""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid


class FocusReturn:
    """Keeps the widget that had the focus before ``card``."""

    def __init__(self, card: QWidget) -> None:
        self._card = card
        self._before: QWidget | None = None

    def take(self, widget: QWidget) -> None:
        """Give the focus to a part of the card."""
        before = QApplication.focusWidget()
        if before is not None and not self._card.isAncestorOf(before):
            self._before = before
        widget.setFocus()

    def give_back(self) -> None:
        """Return the focus, if the card has it. To be called before the card is hidden."""
        now, before = QApplication.focusWidget(), self._before
        if now is None or not self._card.isAncestorOf(now):
            return
        if before is not None and isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus()
