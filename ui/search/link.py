"""A button that looks like a link: text in the accent colour that does something.

Owns its look. It must not know what it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QPushButton, QSizePolicy

from ui import theme
from ui.search.safe_text import line

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_MOST_CHARACTERS = 60


class Link(QPushButton):
    """Emits ``followed`` with its target."""

    followed = Signal(str)

    def __init__(self, text: str, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.target = target
        shown = line(text)
        room = self.fontMetrics().averageCharWidth() * _MOST_CHARACTERS
        elided = self.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, room)
        self.setText(elided.replace("&", "&&"))
        self.setAccessibleName(shown)
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._colour()
        self.clicked.connect(self._follow)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationPaletteChange:
            self._colour()

    def _colour(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.ButtonText, theme.current().accent)
        self.setPalette(palette)

    def _follow(self) -> None:
        self.followed.emit(self.target)
