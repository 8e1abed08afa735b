"""Labels of plain text: Qt would read markup in the name of a file, or in a passage."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


def plain_label(text: str = "") -> QLabel:
    """Return a label of one line."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def wrapped_label(text: str = "") -> QLabel:
    """Return a label that breaks its lines."""
    label = plain_label(text)
    label.setWordWrap(True)
    return label
