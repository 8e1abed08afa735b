"""Translates the texts that are marked in tables (``indexer.api.translation``)."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def say(text: str) -> str:
    """Translate a text of a table; "" stays "", for which Qt would return the file's header."""
    return QCoreApplication.translate("Words", text) if text else ""
