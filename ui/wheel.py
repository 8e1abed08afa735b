"""The mouse wheel over a field without the focus scrolls the page and does not change the value."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class _Filter(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        turned = event.type() is QEvent.Type.Wheel
        if turned and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def keep_from_wheel(field: QWidget) -> None:
    """Let the wheel change a field's value only while it has the focus."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_Filter(field))
