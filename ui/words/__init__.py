"""The texts of the window for codes and numbers that the engine reports.

In: codes, counts and states of ``indexer.api``. Out: labels and sentences in the person's language.
``failures`` has errors, reasons and notes, ``names`` has states, formats and languages, ``amounts``
has numbers. None of them knows which part shows a text.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def say(text: str) -> str:
    """Translate a text of a table; "" stays "", for which Qt returns the header of the file."""
    return QCoreApplication.translate("Words", text) if text else ""
