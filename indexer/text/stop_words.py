"""Word lists by language (ISO 639-1), from ``resources/words.json``.

Stop words and question words are folded by ``indexer.text.terms``: small letters, no accents, no
apostrophes. The lists are short, as they only weight the words of a query; the index contains all
words. Abbreviations are in lower case and without their last full stop.
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
# Words that questions are full of, whatever they are about. Few documents have them, so that they
# would pass for names: "how can I find my …" in a library of contracts.
ASKING_WORDS = {language: _words(lines) for language, lines in _LISTS["question_words"].items()}
# By language, "" for every language: never the last word of a sentence.
NEVER_LAST = {language: _words(lines) for language, lines in _LISTS["never_last"].items()}
# Never the last word before a number; before anything else they end a sentence.
BEFORE_NUMBERS = _words(_LISTS["before_numbers"])
# They end a sentence only if the next word is one that begins sentences, capitalised.
SELDOM_LAST, OPENERS = _words(_LISTS["seldom_last"]), _words(_LISTS["openers"])
# The number of a month by its names, and the figures of numbers in letters.
MONTHS = {name: at for at, names in enumerate(_LISTS["months"], 1) for name in names.split()}
NUMBERS = {name: figures for figures, names in _LISTS["numbers"].items() for name in names.split()}
NUMBER_WORDS = _words(_LISTS["number_words"])
# Numbers behind these are places in a document.
PLACES = _words(_LISTS["places"])
NEGATIONS = _words(_LISTS["negations"])
# First parts of compounds that English writes with a hyphen, and what follows a suspended one.
KEEP_HYPHENS, AFTER_SUSPENDED = _words(_LISTS["keep_hyphens"]), _words(_LISTS["after_suspended"])
# Words of the authors that programs and their makers fill in, of which none wrote a document.
NOBODY = _words(_LISTS["nobody"])
# Codes of languages by their English names.
LANGUAGES: dict[str, str] = _LISTS["languages"]
