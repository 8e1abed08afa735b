"""Strings at edit distance one from a word, as candidates for a correction.

Owns generating the candidates; the vocabulary looks up which are words. Pure.

Generating is cheaper than comparing: about 450 look-ups for a word of eight letters, independent of
the size of the vocabulary.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

MIN_LETTERS = 4  # shorter words have too many neighbours at distance one
MIN_SYLLABLES = 3  # of Korean
MAX_LETTERS = 32

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_BLOCK = 0x80
_HANGUL = re.compile("[\uac00-\ud7a3]+$")
# The jamo of Korean syllables: initial consonants, vowels, final consonants.
_JAMO = "".join(map(chr, (*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
_NO_LETTER = re.compile("[\\d\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def can_be_typo(word: str) -> bool:
    """Return whether a word can be corrected: only letters of an alphabet, and enough of them."""
    if len(word) > MAX_LETTERS or _NO_LETTER.search(word):
        return False
    if _HANGUL.match(word):
        return len(word) >= MIN_SYLLABLES
    return sum(map(str.isalpha, word)) >= MIN_LETTERS


def one_edit_away(word: str) -> set[str]:
    """Return all strings with one letter more, less, exchanged, or two neighbours swapped.

    New letters are those of the word's own scripts. The word itself is not among them.
    """
    if _HANGUL.match(word):
        apart = _edited(unicodedata.normalize("NFD", word), _JAMO)
        return set(filter(_HANGUL.match, (unicodedata.normalize("NFC", one) for one in apart)))
    return _edited(word, _alphabet(word))


def letters_around(word: str) -> set[str]:
    """Return the letters of the strings that ``one_edit_away`` gives."""
    if _HANGUL.match(word):
        return set().union(*one_edit_away(word))
    return {*word, *_alphabet(word)}


def _edited(word: str, letters: str) -> set[str]:
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    found = {head + tail[1:] for head, tail in splits if tail}
    found.update(head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1)
    found.update(head + letter + tail[1:] for head, tail in splits if tail for letter in letters)
    found.update(head + letter + tail for head, tail in splits for letter in letters)
    found.discard(word)
    return found


def _alphabet(word: str) -> str:
    blocks = {ord(char) // _BLOCK for char in word}
    letters = _LATIN if 0 in blocks or 1 in blocks else ""
    return letters + "".join(map(_letters_in, sorted(blocks - {0})))


@cache
def _letters_in(block: int) -> str:
    chars = (chr(code) for code in range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(char for char in chars if _is_small_letter(char))


def _is_small_letter(char: str) -> bool:
    """Whether a character is a lower-case or caseless letter, or a combining mark."""
    return unicodedata.category(char) in {"Lo", "Ll", "Lm", "Mn", "Mc"} and char == char.casefold()
