"""Context menus as the mouse opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget


def entries(widget: QWidget, at: QPoint | None = None) -> dict[str, QAction]:
    """The entries of the menu that a widget opens at a point of it, at first its middle.

    The menu is closed again; its entries can be triggered until the next event is handled.
    """
    place = at if at is not None else widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.accessibleName()
    menu.hide()
    return {each.text().partition("\t")[0].replace("&", ""): each for each in menu.actions()}
