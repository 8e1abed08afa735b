"""Buttons whose icons follow the size of their text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QMenu, QPushButton

from ui.icons import icon
from ui.theme import icon_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget


class IconButton(QPushButton):
    """A button with a text and, optionally, a drawing of ``resources/icons``."""

    def __init__(self, text: str, drawing: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(text.replace("&", "").rstrip("…"))
        if drawing:
            self.setIcon(icon(drawing))
        self.setIconSize(icon_size(self))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setIconSize(icon_size(self))


def open_menu(parent: QWidget, name: str, buttons: Sequence[QPushButton], at: QPoint) -> None:
    """Open a menu of what buttons do at a point of the screen; ``name`` is for screen readers."""
    menu = QMenu(parent)
    menu.setAccessibleName(name)
    for button in buttons:
        action = menu.addAction(button.icon(), button.text())
        action.setEnabled(button.isEnabled())
        action.triggered.connect(button.click)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def button_for(action: QAction) -> IconButton:
    """Return a button for an action, enabled like it; the action's data is the drawing's name."""
    button = IconButton(action.text(), str(action.data() or ""))
    button.setToolTip(action.toolTip())
    button.clicked.connect(action.trigger)
    action.enabledChanged.connect(button.setEnabled)
    button.setEnabled(action.isEnabled())
    return button
