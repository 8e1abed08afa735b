"""Word lists by language (ISO 639-1), from ``resources/words.json``.

Stop words and question words are folded by ``indexer.text.terms``: small letters, no accents, no
apostrophes. The lists are short, since they only serve to weight the words of a query: the index
contains all words. Abbreviations are in lower case and without their last full stop.
"""

from __future__ import annotations

import json
from pathlib import Path

_FILE = Path(__file__).resolve().parents[2] / "resources" / "words.json"
_LISTS = json.loads(_FILE.read_text("utf-8"))


def _words(lines: list[str]) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


STOP_WORDS = {language: _words(lines) for language, lines in _LISTS["stop_words"].items()}
ALL_STOP_WORDS = frozenset().union(*STOP_WORDS.values())
# Words that occur in questions about anything. Few documents have them, so they would be taken for
# names: "how can I find my …" in a library of contracts.
ASKING_WORDS = {language: _words(lines) for language, lines in _LISTS["question_words"].items()}
# Abbreviations that never end a sentence, by language; "" is for every language.
NEVER_LAST = {language: _words(lines) for language, lines in _LISTS["never_last"].items()}
# Abbreviations that do not end a sentence before a number, but do before anything else.
BEFORE_NUMBERS = _words(_LISTS["before_numbers"])
# Abbreviations that end a sentence only before a word that often begins one, such as "The".
SELDOM_LAST, OPENERS = _words(_LISTS["seldom_last"]), _words(_LISTS["openers"])
# Names of months with their numbers, and number words with their figures.
MONTHS = {name: at for at, names in enumerate(_LISTS["months"], 1) for name in names.split()}
NUMBERS = {name: figures for figures, names in _LISTS["numbers"].items() for name in names.split()}
NUMBER_WORDS = _words(_LISTS["number_words"])
# A number after one of these words is a place in a document.
PLACES = _words(_LISTS["places"])
NEGATIONS = _words(_LISTS["negations"])
# First parts of English compounds with a hyphen, and words that follow a suspended hyphen.
KEEP_HYPHENS, AFTER_SUSPENDED = _words(_LISTS["keep_hyphens"]), _words(_LISTS["after_suspended"])
# Words in names of authors that programs fill in, which are not the real author.
NOBODY = _words(_LISTS["nobody"])
# Codes of languages by their English names.
LANGUAGES: dict[str, str] = _LISTS["languages"]
