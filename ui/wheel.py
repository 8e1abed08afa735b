"""The wheel over a field: it scrolls the page unless the field was chosen before.

Owns that rule for fields which turn with the wheel. It must not know what they hold.
"""

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
    """Let the wheel turn a field only while it has the focus, which the wheel does not give."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_Filter(field))
