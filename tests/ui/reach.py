"""The controls of the window that a person can see and reach."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def visible_controls(part: QWidget) -> list[QWidget]:
    """Return the visible widgets of a part of the window that take the focus, enabled or not."""
    reached = []
    for each in part.findChildren(QWidget):
        policy = each.focusPolicy()
        inner = each.objectName().startswith("qt_") or each.focusProxy() is not None
        if each.isVisible() and policy & Qt.FocusPolicy.TabFocus and not inner:
            reached.append(each)
    return reached
