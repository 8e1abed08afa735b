"""The surface of a card: rounded, and apart from the page in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame

from ui.theme import S, current

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class CardFrame(QFrame):
    """Paints the surface; what is on it is laid out by its subclass or maker."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.line)
        painter.setBrush(theme.base)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), S, S)
        painter.end()
