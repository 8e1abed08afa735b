"""Languages: what they are called, and what is said of those that no model here was made for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from ui.words.amounts import documents
from ui.words.failures import note

if TYPE_CHECKING:
    from indexer.api.status import Status


def language(code: str) -> str:
    """The name that a language gives itself, or its code where Qt knows none."""
    # Of the whole world (001), or "en" were American English.
    locale = QLocale(code if "_" in code else f"{code}_001")
    known = locale.language() is not QLocale.Language.C
    return (locale.nativeLanguageName() if known else "") or code


def uncovered(status: Status) -> str:
    """A line for each language of the library that the model which answers was not made for."""
    return "\n".join(
        f"{language(row.language)}, {documents(row.documents)}: {note(row.advice)}."
        for row in status.languages
        if row.advice is not None
    )
