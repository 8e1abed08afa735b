"""Marks texts in tables for translation, and translates them when they are shown.

Owns the one context, "Words", that all tables of labels share.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

CONTEXT = "Words"


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: ARG001  # lupdate reads the call
    """Give the text as it is; the name is what lupdate looks for. Qt's own is not typed."""
    return text


def say(text: str) -> str:
    """Translate a text of a table."""
    return QCoreApplication.translate(CONTEXT, text) if text else ""
