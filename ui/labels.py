"""Labels of plain text: Qt would read markup in the name of a file, or in a passage."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QStyle


def plain_label(text: str = "") -> QLabel:
    """Return a label of one line."""
    return _Label(text)


def wrapped_label(text: str = "") -> QLabel:
    """Return a label that breaks its lines."""
    label = plain_label(text)
    label.setWordWrap(True)
    return label


class _Label(QLabel):
    """Begins at the side where the window does; ``QLabel`` goes by the script of its text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._align()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        ours = bool(self.alignment() & Qt.AlignmentFlag.AlignAbsolute)
        if event.type() == QEvent.Type.LayoutDirectionChange and ours:
            self._align()

    def _align(self) -> None:
        side = QStyle.visualAlignment(self.layoutDirection(), Qt.AlignmentFlag.AlignLeft)
        absolute, middle = Qt.AlignmentFlag.AlignAbsolute, Qt.AlignmentFlag.AlignVCenter
        self.setAlignment(side | absolute | middle)
