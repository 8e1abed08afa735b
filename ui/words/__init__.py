"""The texts of the window for what the engine reports as codes and numbers.

In: codes, counts and states of ``indexer.api``. Out: labels and sentences in the person's language.
``failures`` says errors, reasons and notes, ``names`` states, formats and languages, ``amounts``
numbers. None of them knows who shows a text.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def say(text: str) -> str:
    """Translate a text of a table; "" stays "", for which Qt would return the file's header."""
    return QCoreApplication.translate("Words", text) if text else ""
