"""Chooses the languages of recognition.

Owns the choice by the installed languages, the setting and the document's language. Pure but for
the system's language. Each further language costs time and accuracy.
"""

from __future__ import annotations

import locale
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Up to so many installed languages count as chosen by the person; a package with all does not.
MAX_LANGUAGES = 4
_FALLBACK = "eng"
# ISO 639-1, as documents and systems name languages, to the names of Tesseract.
_NAMES = {
    "ar": "ara", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu",
    "el": "ell", "en": "eng", "es": "spa", "et": "est", "fa": "fas", "fi": "fin", "fr": "fra",
    "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita",
    "ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "nl": "nld", "no": "nor", "pl": "pol",
    "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp", "sv": "swe",
    "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim",
}  # fmt: skip


def default_languages(
    installed: Sequence[str], wanted: Iterable[str] = (), system: str = ""
) -> list[str]:
    """Return the languages of recognition, the most likely first; none if none is installed.

    Args:
        installed: By Tesseract's names.
        wanted: The setting, by either name; languages that are not installed are left out.
        system: The system's language, as "de"; by default it is queried.
    """
    set_by_person = [_NAMES.get(each, each) for each in wanted]
    if chosen := [each for each in dict.fromkeys(set_by_person) if each in installed]:
        return chosen
    own = _NAMES.get(system or system_language(), _FALLBACK)
    first = [each for each in dict.fromkeys((own, _FALLBACK)) if each in installed]
    if len(installed) <= MAX_LANGUAGES or not first:
        return [*first, *(each for each in installed if each not in first)][:MAX_LANGUAGES]
    return first


def for_document(languages: Sequence[str], installed: Sequence[str], language: str) -> list[str]:
    """Move the language of a document, as "de", to the front if it is installed."""
    own = _NAMES.get(language, "")
    return [own, *(each for each in languages if each != own)] if own in installed else [*languages]


def package_of_system() -> str:
    """Return Tesseract's name of the system's language, for installing it."""
    return _NAMES.get(system_language(), _FALLBACK)


def system_language() -> str:
    """Return the system's language, as "de"; "" if unknown."""
    name = next(
        (value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))),
        "",
    )
    return (name or locale.getlocale()[0] or "")[:2].lower()
