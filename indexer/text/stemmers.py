"""Stemmers by language and script.

Most stemmers are Snowball's. A word in another script than that of its document's language is
stemmed by the main language of its script. Korean and Hebrew have no stemmer of reasonable size
(the models of kiwipiepy take 88 MB). Their particles, clitics and plurals are few, and rules remove
them. If the analysis is ambiguous, the word itself is kept too. Functions are pure, with caches.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

from indexer.text.sentences import lazy_pattern

_SNOWBALL = {code: code for code in (
    "ar", "ca", "cs", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi", "fr", "ga", "hi",
    "hu", "hy", "id", "it", "lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "tr",
    "yi",
)} | {"nb": "no", "nn": "no"}  # fmt: skip
# The characters and the languages of scripts other than Latin. The first language is assumed for a
# word in a text of another script.
_SCRIPTS = tuple(
    (lazy_pattern(f"[{characters}]"), tuple(languages.split()))
    for characters, languages in (
        ("\u0370-\u03ff\u1f00-\u1fff", "el"),
        ("\u0400-\u052f", "ru uk be bg sr mk kk ky mn tg tt"),
        ("\u0530-\u058f", "hy"),
        ("\u0590-\u05ff", "he yi"),
        ("\u0600-\u06ff\u0750-\u077f", "ar fa ur ps ug sd ckb"),
        ("\u0900-\u097f", "hi mr ne sa"),
        ("\u0b80-\u0bff", "ta"),
        ("\uac00-\ud7a3", "ko"),
    )
)
_NOT_LATIN = {one for _, languages in _SCRIPTS for one in languages} | {
    "zh", "ja", "th", "lo", "my", "km", "ka", "am", "bo", "bn", "pa", "gu", "or", "te", "kn", "ml",
    "si",
}  # fmt: skip

# Japanese writes the root of a word in Chinese characters and its inflection in kana.
_JAPANESE = lazy_pattern("([\u3400-\u9fff]+)[\u3041-\u309f]+$")

_local = threading.local()
_KEPT = 30_000  # stems of a language


def language_of(word: str, language: str) -> str:
    """The language of the stemmer for a word in a text in ``language``.

    >>> language_of("Москва", "en"), language_of("running", "zh"), language_of("Київ", "uk")
    ('ru', 'en', 'uk')
    """
    if word.isascii() or word < "\u0370":
        return "en" if language in _NOT_LATIN else language
    for script, languages in _SCRIPTS:
        if script.match(word):
            return language if language in languages else languages[0]
    return language


def is_hangul(word: str) -> bool:
    """Whether a word is Korean."""
    return language_of(word, "") == "ko"


def has_stemmer(word: str, language: str) -> bool:
    """Whether there is a stemmer for a word."""
    spoken = language_of(word, language)
    return spoken in _SNOWBALL or spoken in _OURS or _JAPANESE.match(word) is not None


def stem_all(words: list[str], language: str) -> list[str]:
    """Stem words in Latin letters from a text in ``language``."""
    stem = _snowball(language_of("", language))
    return words if stem is None else stem(words)


def stems_of(word: str, language: str) -> tuple[str, ...]:
    """The possible stems of a case-folded word, the most likely first."""
    inflected = _JAPANESE.match(word)
    if inflected is not None:
        return (inflected[1],)
    spoken = language_of(word, language)
    if spoken in _OURS:
        return _OURS[spoken](word)
    stem = _snowball(spoken)
    return (word,) if stem is None else (stem([word])[0],)


def _snowball(language: str) -> Callable[[list[str]], list[str]] | None:
    """The stemmer of a language, one per thread, since stemmers are not thread-safe."""
    name = _SNOWBALL.get(language)
    if name is None:
        return None
    known: dict[str, _Stems] = _local.__dict__.setdefault("stemmers", {})
    if name not in known:
        known[name] = _Stems(name)
    return known[name].of


class _Stems(dict[str, str]):
    """A cache of stems. The stemmer's own cache is slower."""

    def __init__(self, name: str) -> None:
        import Stemmer

        super().__init__()
        stemmer: Any = Stemmer.Stemmer(name, 0)
        self._stem: Callable[[str], str] = stemmer.stemWord

    def of(self, words: list[str]) -> list[str]:
        return list(map(self.__getitem__, words))

    def __missing__(self, word: str) -> str:
        if len(self) >= _KEPT:
            self.clear()
        stem = self[word] = self._stem(word)
        return stem


# One particle. A word may have several: "from the schools" is school-s-from.
_PARTICLE = lazy_pattern(
    "(?:에서|에게서?|한테서?|께서?|으?로서?|으?로써|이?랑|하고|부터|까지|처럼|보다|마다|조차|밖에|대로"
    "|이라도|이라고|이라는|이란|이든지?|이나|이며|이고|입니다|이다|이었다|였다|[은는이가을를의에도만와과들]"
    "|(?<=..)(?:습니다|니다|다|고|며|면|지만?)|(?<=...)나)$"
)
_BEFORE_PARTICLE = lazy_pattern("(?:에서|에게|한테|까지|부터|처럼|보다|으로|[들에만로와과])$")
# Verbs and adjectives that are a noun with any form of "to do" or "to become".
_VERB = lazy_pattern(
    "(.{2,}?)(?:하|했|합|한|할|함|해|되|됐|된|될|됨|돼)"
    "[다는고며면여서도지게던기였었겠을음은니까요습야라자네]*$"
)


def _korean(word: str) -> tuple[str, ...]:
    found = [word]
    verb = _VERB.match(word)
    if verb is not None:
        found.append(verb[1])
    for particle in (_PARTICLE, _BEFORE_PARTICLE):
        shorter = particle.sub("", found[-1])
        if shorter:
            found.append(shorter)
    return tuple(dict.fromkeys(reversed(found)))


_FINALS = str.maketrans("ךםןףץ", "כמנפצ")
_CLITICS = "ושהכלבמ"
_MOST_CLITICS = 3
_ENDING = re.compile("(?:ימ|יות|ות|י|ה|ת)$")
_SHORTEST = 3  # letters that must remain without an ending; without a clitic one more


def _hebrew(word: str) -> tuple[str, ...]:
    word = word.translate(_FINALS)
    found = [word]
    while len(found) <= _MOST_CLITICS and len(found[-1]) > _SHORTEST and found[-1][0] in _CLITICS:
        found.append(found[-1][1:])
    return tuple(dict.fromkeys(_without_ending(one) for one in found))


def _without_ending(word: str) -> str:
    shorter = _ENDING.sub("", word)
    return shorter if len(shorter) >= _SHORTEST else word


# The article with the prefixes "and", "so", "with", "like" or "for".
_ARTICLE = re.compile("[وف]?(?:[بك]?ال|لل)(?=...)")


def _arabic(word: str) -> tuple[str, ...]:
    stem = _snowball("ar")
    bare = _ARTICLE.sub("", word, count=1) if _ARTICLE.match(word) else word
    return (word,) if stem is None else tuple(dict.fromkeys(stem([word, bare])))


_OURS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "ar": _arabic, "he": _hebrew, "ko": _korean,
}  # fmt: skip
