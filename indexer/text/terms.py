"""Tokenised, folded and stemmed words: the same function for documents and for queries.

Pure but for caches; it must not know where the words are stored or how they are weighted.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from indexer.text.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LENGTH = 40  # characters; longer words are cut, in documents and queries alike

# Scripts written without spaces, and Korean, whose words end in particles: pairs of characters.
_RUN_ON = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and other marks that are part of words but not letters to Python.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0900-\u0963\u0970-\u0dff\u0f18-\u0fbc\ua8e0-\ua8ff"
_PART = rf"(?![{_RUN_ON}])[^\W_](?:(?![{_RUN_ON}])(?:[^\W_]|[{_MARKS}]))*"
_WORD = re.compile(rf"(?P<run>[{_RUN_ON}]+)|(?P<word>{_PART}(?:[-_'.,@]{_PART})*\.?)")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:[-_'.,@][a-z0-9]+)*\.?")
_LANGUAGE_NAMES = re.compile(r"(?<!\w)[a-z](?:\+\+|#)(?!\w)")

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_GROUPED_BY_DOTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+$")
_DOTTED = re.compile(r"\d+(?:\.\d+)+$")
_COMMA = re.compile(r"\d+,\d{1,2}$")
_ACRONYM = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\.?$")
_HARD_BREAK = re.compile(r"[.,@]")
_SOFT_BREAK = re.compile(r"[-_']")

# Superscripts are footnote marks and trademark signs no letters, whatever NFKC makes of them.
_SIGNS = dict.fromkeys((0xB2, 0xB3, 0xB9, 0x2070, *range(0x2074, 0x207F), 0x2120, 0x2122), " ")
# Apostrophes and hyphens become the plain ones; joiners, kashida, niqqud and harakat go, which
# writers may leave out.
_PLAIN: dict[int, str | None] = {
    **dict.fromkeys((0x2018, 0x2019, 0x02BC, 0x2032, 0xFF07), "'"),
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212), "-"),
    **dict.fromkeys(
        (0xAD, 0x0640, 0x0670, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF), None
    ),
    **dict.fromkeys((*range(0x0591, 0x05BE), 0x05BF, *range(0x05C1, 0x05C8)), None),
    **dict.fromkeys(range(0x064B, 0x0660), None),
}
_BASES = {"\u00e6": "ae", "\u0153": "oe", "\u00f8": "o", "\u0142": "l", "\u0111": "d",
          "\u00f0": "d", "\u00fe": "th", "\u0131": "i", "\u0451": "\u0435"}  # fmt: skip


def _accents() -> dict[int, str | None]:
    """What folds an accented letter to its base; Latin and Greek only.

    Cyrillic and Indic marks tell letters apart that are not variants of each other.
    """
    table: dict[int, str | None] = {ord(char): base for char, base in _BASES.items()}
    for code in (*range(0xC0, 0x250), *range(0x370, 0x400), *range(0x1E00, 0x2000)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base != chr(code) and base.isalpha():
            table[code] = base
    table |= dict.fromkeys(range(0x300, 0x370), None)
    return table


_ACCENTS = _accents()


def words(text: str) -> list[str]:
    """The folded words of a text, in order, repetitions kept.

    Compounds give their parts and the whole ("10-K": 10, k, 10k), acronyms the whole ("U.S.":
    us), numbers lose the marks between thousands ("1,234.5": 1234.5), and scripts without spaces
    give pairs of characters.
    """
    return _folded(_tokens(text), text)


def stems(text: str, language: str = "") -> str:
    """The stemmed, folded words of a text, joined by spaces.

    Args:
        text: Any text.
        language: ISO 639-1 code; words of an unknown language, or of one without a stemmer, stay
            as they are.
    """
    tokens = _tokens(text)
    if max(map(len, tokens), default=0) > MAX_LENGTH:
        tokens = [token[:MAX_LENGTH] for token in tokens]
    stem = _stemmer(language)
    return " ".join(_folded(tokens if stem is None else stem(tokens), text))


def stop_words(language: str) -> frozenset[str]:
    """Folded words that carry no meaning in a language; empty for one we do not know."""
    return STOP_WORDS.get(language, frozenset())


def _folded(found: list[str], text: str) -> list[str]:
    """Fold the words found in a text; most texts have nothing to fold."""
    if text.isascii() and max(map(len, found), default=0) <= MAX_LENGTH:
        return found
    return [_fold(word) for word in found]


def _fold(word: str) -> str:
    if not word.isascii():
        word = word.translate(_ACCENTS)
    return word[:MAX_LENGTH]


def _tokens(text: str) -> list[str]:
    """Case-folded words, accents kept."""
    found: list[str] = []
    if text.isascii():
        text = text.lower()
        for token in _ASCII_WORD.findall(text):
            if token.isalnum():
                found.append(token)
            else:
                found.extend(_parts(token))
    else:
        text = unicodedata.normalize("NFKC", text.translate(_SIGNS))
        text = text.translate(_PLAIN).casefold()
        text = unicodedata.normalize("NFC", text)
        for match in _WORD.finditer(text):
            token = match[0]
            if match.lastgroup == "run":
                found.extend(_pairs(token))
            elif token.isalnum():
                found.append(token)
            else:
                found.extend(_parts(token))
    if "+" in text or "#" in text:
        found.extend(_LANGUAGE_NAMES.findall(text))
    return found


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def _parts(token: str) -> tuple[str, ...]:
    """What a token with punctuation in it stands for."""
    return _known_parts(token) if len(token) <= _CACHED_LENGTH else _split_token(token)


def _split_token(token: str) -> tuple[str, ...]:
    if _ACRONYM.match(token):
        return (token.replace(".", ""),)
    token = token.rstrip(".")
    if _GROUPED.match(token):
        return (token.replace(",", ""),)
    if _GROUPED_BY_DOTS.match(token):
        return (token.replace(".", "").replace(",", "."),)
    if _COMMA.match(token):
        return (token.replace(",", "."),)
    if _DOTTED.match(token):
        return (token,)
    found: list[str] = []
    for compound in _HARD_BREAK.split(token):
        parts = [part for part in _SOFT_BREAK.split(compound) if part]
        if len(parts) > 1 and compound.endswith("'s"):
            parts.pop()
        if len(parts) > 1 and len(parts[-1]) <= 2 and compound[-len(parts[-1]) - 1] == "'":
            parts[-2:] = [parts[-2] + parts[-1]]  # don't, we'll
        found.extend(parts)
        if len(parts) > 1:
            found.append("".join(parts))
    return tuple(found)


_known_parts = lru_cache(maxsize=20_000)(_split_token)
_CACHED_LENGTH = 60  # characters; longer tokens are seldom met twice


_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip
_local = threading.local()


def _stemmer(language: str) -> Callable[[list[str]], list[str]] | None:
    """The stemmer of a language; one for each thread, since they keep state while they work."""
    name = _SNOWBALL.get(language)
    if name is None:
        return None
    known: dict[str, Callable[[list[str]], list[str]]] = _local.__dict__.setdefault("stemmers", {})
    if name not in known:
        import Stemmer

        stemmer: Any = Stemmer.Stemmer(name, 30_000)
        known[name] = stemmer.stemWords
    return known[name]
