"""The names of languages, and the sentence about those that the model does not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from ui.words.amounts import documents
from ui.words.failures import note

if TYPE_CHECKING:
    from indexer.api.status import Status


def language(code: str) -> str:
    """The name of a language in itself, or its code where Qt knows no name."""
    # For the whole world (001): the name of plain "en" would be "American English".
    locale = QLocale(code if "_" in code else f"{code}_001")
    known = locale.language() is not QLocale.Language.C
    return (locale.nativeLanguageName() if known else "") or code


def uncovered(status: Status) -> str:
    """A line for each language of the library that the current model does not cover."""
    return "\n".join(
        # Isolated, since a name that is written from right to left would turn the line around.
        f"\u2068{language(row.language)}\u2069, {documents(row.documents)}: {note(row.advice)}."
        for row in status.languages
        if row.advice is not None
    )
