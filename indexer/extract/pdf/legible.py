"""Detects text that was extracted with a wrong or missing character map.

It decides by the text of a page alone, in any script. In doubt a text is legible: a table of
figures, source code, a list of names, a short text. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING

from indexer.text import language
from indexer.text.stop_words import ALL_STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REPLACEMENT = "\ufffd"

# Control, private use, surrogate and unassigned characters. Soft hyphens, joiners and direction
# marks are of other categories.
_UNMAPPED_CATEGORIES = frozenset(("Cc", "Co", "Cs", "Cn"))
# Share of the visible characters; symbol fonts leave less unmapped.
_MAX_UNMAPPED_SHARE = 0.25
# Bullets, dot leaders and formula signs are few distinct characters.
FEW_UNMAPPED = 6
# Pieces are tested separately, as a page may have text in several fonts.
_WORDS_A_PIECE = 50
# A piece with this many distinct stop words is legible.
_COMMON_IN_TEXT = 2
_COMMON_IN_TABLES = 4  # in all pieces with fewer each
_COMMON = frozenset(word for word in ALL_STOP_WORDS if len(word) > 2)
_DOUBTFUL_SHARE = 0.3  # of a page's words; fewer may be names, figures and headings
# Without letters next to digits, which are part of a number or code.
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
_LETTER = re.compile(r"[^\W_]")
_LEAST_LETTERS = 80
_LEAST_WORDS = 12
# With fewer distinct letters it is no language, but a sequence of bases, pins or bits.
_LEAST_ALPHABET = 10
_ENOUGH = 600  # letters for the language classifier
# Vietnamese has most, about 0.35; another script decoded by a western code page is near 1.
_TOO_MANY_ACCENTS = 0.6
_TOO_MANY_MIXED = 0.5  # of the characters of non-ASCII words
_LATIN = "LATIN"
# The share of common ideographs or syllables; that of real text is above 0.95.
_TOO_FEW_USUAL = 0.7
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_SYLLABLE = re.compile("[\uac00-\ud7a3]")
# The first bytes of common ideographs in two-byte encodings.
_COMMON_IDEOGRAPHS = (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("euc_jp", 0xB0, 0xCF))


def has_letters(text: str) -> bool:
    """Whether a text has a letter or digit."""
    return _LETTER.search(text) is not None


def illegible(text: str) -> str:
    """Return the illegible part of a page's text, "" if it is legible.

    That is all of it if it is mostly unmapped characters, else the words that are of no language.
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
    """Whether a text has many and diverse unmapped characters.

    A replacement character alone counts as diverse, as it represents any unknown character.
    """
    kinds = [each for each in set(text) if _is_unmapped(each)]
    if len(kinds) <= FEW_UNMAPPED and REPLACEMENT not in kinds:
        return False
    return sum(map(text.count, kinds)) >= _MAX_UNMAPPED_SHARE * _visible(text)


def should_replace(recognised: str, own: str) -> bool:
    """Whether recognised text replaces a page's own text.

    Not if the page's text is legible, nor if the recognised text is short, illegible, or confirms
    the page's text.
    """
    doubtful = illegible(own)
    if not doubtful or 2 * _visible(recognised) < _visible(doubtful):
        return False
    return not illegible(recognised) and not shows(recognised, doubtful)


def shows(recognised: str, doubtful: str) -> bool:
    """Whether the recognised text has most of the doubtful words."""
    words = set(_WORD.findall(doubtful.lower()))
    seen = set(_WORD.findall(recognised.lower()))
    return bool(words) and 2 * len(words & seen) > len(words)


def _visible(text: str) -> int:
    return sum(map(len, text.split()))


def _doubtful(words: Sequence[str]) -> list[str]:
    """Return the words of the pieces with too few stop words."""
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
    """Whether too many ideographs or syllables are rare."""
    return any(
        2 * len(found) >= len(letters) and sum(map(usual, found)) < _TOO_FEW_USUAL * len(found)
        for found, usual in (
            (_IDEOGRAPH.findall(letters), _is_common_ideograph),
            (_SYLLABLE.findall(letters), _is_common_syllable),
        )
    )


def _is_mixed(words: Iterable[str]) -> bool:
    """Whether most non-ASCII words mix several scripts other than Latin."""
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
    return character == REPLACEMENT or unicodedata.category(character) in _UNMAPPED_CATEGORIES


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the script of a letter, by its Unicode name.

    East Asian scripts count as one, since they are mixed in a text, and letters such as the micro
    sign and ordinal indicators count as Latin.
    """
    first = unicodedata.name(letter, "").split(" ", 1)[0].split("-", 1)[0]
    return _WRITTEN_AS.get(first, first)


_WRITTEN_AS = {
    **dict.fromkeys(("HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "HALFWIDTH", "FULLWIDTH",
                     "IDEOGRAPHIC"), "CJK"),
    **dict.fromkeys(("MICRO", "FEMININE", "MASCULINE", "MODIFIER"), _LATIN),
}  # fmt: skip


@lru_cache(maxsize=4096)
def _is_common_ideograph(ideograph: str) -> bool:
    for encoding, first, last in _COMMON_IDEOGRAPHS:
        code = ideograph.encode(encoding, "ignore")
        if len(code) == 2 and first <= code[0] <= last:
            return True
    return False


@lru_cache(maxsize=4096)
def _is_common_syllable(syllable: str) -> bool:
    return len(syllable.encode("euc_kr", "ignore")) == 2  # rare ones take eight bytes
