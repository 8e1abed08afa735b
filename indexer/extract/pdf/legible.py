"""Detects text that was extracted with a wrong or missing character map.

Owns the decision for a page's text, in any script, from the text alone. Pure. In doubt it is text:
tables of figures, programs, lists of names, and what is too short to tell. It must not know pages,
formats, or what happens to illegible pages.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING

from indexer.text import language
from indexer.text.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REPLACEMENT = "\ufffd"

# Control, private use, surrogate and unassigned characters. Soft hyphens, joiners and direction
# marks, which belong to text, are in another category.
_NO_MEANING = frozenset(("Cc", "Co", "Cs", "Cn"))
# Share of the visible characters. Symbol fonts leave less unmapped.
_MAX_UNMAPPED_SHARE = 0.25
# Kinds of bullets, dot leaders and formula signs are few, however often they occur.
FEW_UNMAPPED = 6
# The text is judged in pieces, because a page may hold text in several fonts.
_WORDS_A_PIECE = 50
# So many different words that every text is full of are no accident: a piece with them is text.
_COMMON_IN_TEXT = 2
_COMMON_IN_TABLES = 4  # in all the pieces that have fewer each
_COMMON = frozenset(word for words in STOP_WORDS.values() for word in words if len(word) > 2)
_DOUBTFUL_SHARE = 0.3  # of a page's words: fewer are names, figures and headings
# Letters next to digits are part of a number of some kind.
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
_LETTER = re.compile(r"[^\W_]")
_LEAST_LETTERS = 80
_LEAST_WORDS = 12
# What is spelled with fewer letters is no text in any language, mapped rightly or not: sequences
# of bases, pins and bits.
_LEAST_ALPHABET = 10
_ENOUGH = 600  # letters, for the classifier
# Vietnamese has most, about 0.35; letters of another script read in a western code page have all.
_TOO_MANY_ACCENTS = 0.6
_TOO_MANY_MIXED = 0.5  # of what stands in words that hold characters beyond ASCII
_LATIN = "LATIN"
# Of the ideographs or syllables: those that the national standards list first are above 0.95.
_TOO_FEW_USUAL = 0.7
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_SYLLABLE = re.compile("[\uac00-\ud7a3]")
# Where the ideographs of everyday use lie in the two-byte standards, by their first byte.
_EVERYDAY = (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("euc_jp", 0xB0, 0xCF))


def has_letters(text: str) -> bool:
    """Whether there is a letter or digit, so that it can be searched for."""
    return _LETTER.search(text) is not None


def illegible(text: str) -> str:
    """Return the illegible part of a page's text, "" if the page can be read.

    It is the whole text where that is mostly unmapped characters, else the words that belong to no
    language.
    """
    if mostly_unmapped(text):
        return text
    words = text.lower().split()
    doubtful = _doubtful(words)
    if len(doubtful) < _DOUBTFUL_SHARE * len(words):
        return ""
    found = _WORD.findall(" ".join(doubtful))
    if _is_mixed(doubtful) or _is_nonsense(found):
        return " ".join(doubtful)
    return ""


def mostly_unmapped(text: str) -> bool:
    """Whether a text has many meaningless characters, of many kinds.

    Replacement characters count as distinct kinds, as each replaces an unknown character.
    """
    kinds = [each for each in set(text) if _is_unmapped(each)]
    if len(kinds) <= FEW_UNMAPPED and REPLACEMENT not in kinds:
        return False
    return sum(map(text.count, kinds)) >= _MAX_UNMAPPED_SHARE * _visible(text)


def should_replace(recognised: str, own: str) -> bool:
    """Whether recognised words replace a page's own text.

    Not if that can be read; nor if they are few, illegible themselves, or the very words in doubt:
    then the page shows what its text says, whatever it means.
    """
    doubtful = illegible(own)
    if not doubtful or 2 * _visible(recognised) < _visible(doubtful):
        return False
    return not illegible(recognised) and not shows(recognised, doubtful)


def shows(recognised: str, doubtful: str) -> bool:
    """Whether most of the doubtful words occur in the recognised text of the page."""
    words = set(_WORD.findall(doubtful.lower()))
    seen = set(_WORD.findall(recognised.lower()))
    return bool(words) and 2 * len(words & seen) > len(words)


def _visible(text: str) -> int:
    return sum(map(len, text.split()))


def _doubtful(words: Sequence[str]) -> list[str]:
    """Return the words of the pieces without words that every text is full of."""
    found: list[str] = []
    for start in range(0, len(words), _WORDS_A_PIECE):
        piece = words[start : start + _WORDS_A_PIECE]
        if len(_COMMON.intersection(piece)) < _COMMON_IN_TEXT:
            found += piece
    return found


def _is_nonsense(words: Sequence[str]) -> bool:
    letters = "".join(words)
    if len(letters) < _LEAST_LETTERS or len(set(letters)) < _LEAST_ALPHABET:
        return False
    if not letters.isascii() and _is_unusual(letters):
        return True
    if len(_COMMON.intersection(words)) >= _COMMON_IN_TABLES:
        return False
    latin = [word for word in words if word.isascii() or _script(word[0]) == _LATIN]
    joined = "".join(latin)
    if len(latin) < _LEAST_WORDS or 2 * len(joined) < len(letters):
        return False
    if sum(not letter.isascii() for letter in joined) > _TOO_MANY_ACCENTS * len(joined):
        return True
    return language.is_none(" ".join(latin)[:_ENOUGH])


def _is_unusual(letters: str) -> bool:
    """Whether ideographs or syllables are such as hardly any text has."""
    return any(
        2 * len(found) >= len(letters) and sum(map(usual, found)) < _TOO_FEW_USUAL * len(found)
        for found, usual in (
            (_IDEOGRAPH.findall(letters), _is_everyday),
            (_SYLLABLE.findall(letters), _is_syllable_in_use),
        )
    )


def _is_mixed(words: Iterable[str]) -> bool:
    """Whether most words beyond ASCII mix letters of several scripts besides Latin ones."""
    found = [word for word in words if not word.isascii() and len(word) > 1]
    if len(found) < _LEAST_WORDS:
        return False
    scripts = ({_script(letter) for letter in word if letter.isalpha()} for word in found)
    mixed = [len(each - {_LATIN}) > 1 for each in scripts]
    return sum(compress(map(len, found), mixed)) > _TOO_MANY_MIXED * sum(map(len, found))


@lru_cache(maxsize=4096)
def _is_unmapped(character: str) -> bool:
    if character.isspace():
        return False
    return character == REPLACEMENT or unicodedata.category(character) in _NO_MEANING


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the script of a letter, as Unicode names it; those that are written together are one.

    Signs such as micro and the ordinals, which are letters too, belong to the Latin ones.
    """
    first = unicodedata.name(letter, "").split(" ", 1)[0].split("-", 1)[0]
    return _WRITTEN_AS.get(first, first)


_WRITTEN_AS = {
    **dict.fromkeys(("HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "HALFWIDTH", "FULLWIDTH",
                     "IDEOGRAPHIC"), "CJK"),
    **dict.fromkeys(("MICRO", "FEMININE", "MASCULINE", "MODIFIER"), _LATIN),
}  # fmt: skip


@lru_cache(maxsize=4096)
def _is_everyday(ideograph: str) -> bool:
    for standard, first, last in _EVERYDAY:
        code = ideograph.encode(standard, "ignore")
        if len(code) == 2 and first <= code[0] <= last:
            return True
    return False


@lru_cache(maxsize=4096)
def _is_syllable_in_use(syllable: str) -> bool:
    return len(syllable.encode("euc_kr", "ignore")) == 2  # the others take eight bytes
