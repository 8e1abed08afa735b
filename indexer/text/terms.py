"""Tokenises, folds and stems words, in the same way for documents and for queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from itertools import chain
from typing import NamedTuple

from indexer.api.types import ANNOTATION_SIGN
from indexer.text.sentences import UNSPACED, lazy_pattern, run_spans, split_characters, split_runs
from indexer.text.stemmers import has_stemmer, language_of, stem_all, stems_of
from indexer.text.stop_words import STOP_WORDS

MAX_LENGTH = 40  # characters; longer words are cut, in documents and queries alike

# Vowel signs and other marks that are part of words but not ``str.isalpha``.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0900-\u0963\u0970-\u0dff\u0f18-\u0fbc\ua8e0-\ua8ff"
_PART = rf"(?![{UNSPACED}])[^\W_](?:(?![{UNSPACED}])(?:[^\W_]|[{_MARKS}]))*"
_WORD = lazy_pattern(rf"(?P<run>[{UNSPACED}]+)|(?P<word>{_PART}(?:[-_'.,@]{_PART})*\.?)")
_RUN = lazy_pattern(f"[{UNSPACED}]+")
# Marks inside words, which folding removes.
_TAKEN = "\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u200c\u200d"
_SHOWN = rf"(?:(?![{UNSPACED}])[\w{_MARKS}{_TAKEN}])+"
_SHOWN_WORD = lazy_pattern(
    rf"(?P<run>[{UNSPACED}]+)|{_SHOWN}(?:(?:['\u2019.,\-\u05f3\u05f4\u066b\u066c]|(?<=[\u05d0-\u05ea])\"){_SHOWN})*"
)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:[-_'.,@][a-z0-9]+)*")
_PARTICLE = re.compile("[\u3041-\u309f]{1,2}$")
# The last kana of a word in Chinese characters, if it is not a particle.
_ENDING = lazy_pattern("[\u3400-\u9fff](?![はがをにのでともへやか])[\u3041-\u309f]$")
# The prefix of terms that stand for all words that differ only in diacritics.
UNMARKED = "~"
_LANGUAGE_NAMES = re.compile(r"(?<!\w)[a-z](?:\+\+|#)(?!\w)")

# The result of the rules below for signs in most English texts; without these the text is ASCII.
_COMMON_SIGNS = (*((sign, "'") for sign in "\u2018\u2019"), *((sign, " ") for sign in
    "\u201c\u201d\u2013\u2014\u2022\u2026\xa0\xa7\xa9\xae\u20ac\u25cf\uf0b7"))  # fmt: skip

# Groups as in English, in India (12,34,567) and in Switzerland (1'234'567).
_GROUPED = re.compile(r"\d{1,3}(?:(?:,\d\d)*(?:,\d{3})+|(?:'\d{3})+)(?:\.\d+)?$")
_GROUPED_BY_DOTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+$")
_DOTTED = re.compile(r"\d+(?:\.\d+)+$")
_DATE, _DATE_ZEROS = re.compile(r"\d\d?\.\d\d?\.\d{4}$"), re.compile(r"\b0(?=\d\.)")
_THOUSANDS = re.compile(r"\d{4,}\.\d+$")
_BY_DOTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+$")
# A large number, plain or in groups of three, except those that may be years.
_LARGE = re.compile(
    r"(?<![\w.,'-])(?:(?!(?:1[5-9]|20)\d\d(?!\w|[.,]\d))[1-9]\d{3,11}"
    r"|[1-9]\d{0,2}([., ])\d{3}(?:\1\d{3})*)(?P<cents>[.,]\d\d?)?(?![\w'])(?![.,]\d)"
)
# Text that people write in groups: large numbers, card numbers, IBANs and telephone numbers.
_IN_GROUPS = lazy_pattern(
    r"(?<![\w.,+])(?:[1-9]\d{0,2}(?:[ \xa0\u2009\u202f]\d{3})+(?:[.,]\d{1,2}(?!\d))?"
    r"|(?!19|20)\d{4}(?:[ \xa0]\d{4}){2,4}(?:[ \xa0]\d{1,4})?|\d{4}[ \xa0]\d{6}[ \xa0]\d{5}"
    r"|[a-z]{2}\d\d[ \xa0][a-z\d]{4}(?:[ \xa0]\d{4}){1,6}(?:[ \xa0][a-z\d]{1,4})?)(?!\w)"
    r"|\+\d{1,3}(?:[ \xa0/-]\(?\d{2,8}\)?){1,4}(?!\w)",
    re.IGNORECASE,
)
_TWO_GROUPS = re.compile(r"\d(?=[ \xa0\u2009\u202f/-][\da-zA-Z(])")
_FIRST_GROUP = 3  # the most characters of the first group before its last one
_NO_FIGURE = re.compile(r"\W+")
# Pictographs, which people write in place of words.
_PICTOGRAPH = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf]")
_COMMA = re.compile(r"\d+,\d{1,2}$")
_ACRONYM = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\.?$")
_HARD_BREAK = re.compile(r"[.,@]")
_SOFT_BREAK = re.compile(r"[-_']")

# Trademark and numero signs are not letters, though NFKC makes them so: "№5" is not "No5".
_SIGNS = dict.fromkeys((0x2116, 0x2120, 0x2122), " ")
# Raised and lowered figures belong to the letter before them in chemistry and units (CO₂, m²).
# After a figure they are separate words (10⁶, section 14³), after other words marks of footnotes.
_RAISED, _LOWERED = "\u2070\xb9\xb2\xb3\u2074-\u207e", "\u2080-\u208e"
_LETTER = rf"[^\W\d_{_RAISED}{_LOWERED}]"
_SET = lazy_pattern(
    rf"(?P<joined>(?<={_LETTER})[{_LOWERED}]+"
    rf"|(?:(?<=\b{_LETTER})|(?<=\b[kcdmnhµμ]m)|(?<=\bft|\bin|\byd|\bmi))[{_RAISED}]+)"
    rf"|(?P<apart>(?<=\d)[{_RAISED}{_LOWERED}]+)|[{_RAISED}{_LOWERED}]+",
    re.IGNORECASE,
)
_FIGURES = re.compile(f"[{_RAISED}{_LOWERED}]")
_AFTER_FIGURE = re.compile(rf"(?<=\d)[{_RAISED}]+")
# Signs or quotes inside Hebrew words, for abbreviations and foreign sounds.
_HEBREW_QUOTE = re.compile("(?<=[\u05d0-\u05ea])[\"'\u05f3\u05f4](?=[\u05d0-\u05ea])")
# Thai and Lao vowels that NFKC decomposes but dictionaries do not.
_AM = (
    (re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32"), "\\1\u0e33"),
    (re.compile("\u0ecd([\u0ec8-\u0ecb]?)\u0eb2"), "\\1\u0eb3"),
)
_ZEROS = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xED0, 0x1040, 0x17E0)
# Apostrophes, hyphens and digits become ASCII. Joiners, kashida, niqqud and harakat are optional
# and removed.
_PLAIN: dict[int, str | None] = {
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **dict.fromkeys((0x2018, 0x2019, 0x02BC, 0x2032, 0xFF07), "'"),
    0x66B: ".",
    0x66C: ",",
    0x649: "\u064a",  # alef maqsura, often written as yeh
    0x130: "i",  # case folding would give it a second dot
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212), "-"),
    **dict.fromkeys(
        (0xAD, 0x0640, 0x0670, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF), None
    ),
    **dict.fromkeys((*range(0x0591, 0x05BE), 0x05BF, *range(0x05C1, 0x05C8)), None),
    **dict.fromkeys(range(0x064B, 0x0660), None),
}
# Patterns of the tables' characters, as ``str.translate`` looks up every character of a text.
_SIGN, _UNPLAIN = (re.compile(f"[{''.join(map(chr, table))}]") for table in (_SIGNS, _PLAIN))
# Punctuation that never occurs inside words. Without it most English text is ASCII.
_APART = lazy_pattern(rf"[^\x00-\x7f\w{_MARKS}{UNSPACED}]+")
_BASES = {"\u00e6": "ae", "\u0153": "oe", "\u00f8": "o", "\u0142": "l", "\u0111": "d",
          "\u00f0": "d", "\u00fe": "th", "\u0131": "i", "\u0451": "\u0435",
          # Arabic alef with and without hamza or madda; yeh and kaf of other keyboards.
          **dict.fromkeys("\u0622\u0623\u0625\u0671", "\u0627"), "\u06cc": "\u064a",
          "\u06a9": "\u0643",
          # Hindi candrabindu is also written as anusvara, and nukta is optional.
          "\u0901": "\u0902", "\u0929": "\u0928", "\u0931": "\u0930",
          "\u0934": "\u0933"}  # fmt: skip
# Not at the start of a word, where the sign would be lost; no word begins with it.
_NASAL = re.compile("(?<=.)[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])")


def _accents() -> dict[int, str | None]:
    """The table that maps letters with optional diacritics to their base letters.

    The diacritics of Cyrillic (except those of yo) and of other Indic scripts are not optional, as
    they make different letters.
    """
    table: dict[int, str | None] = {ord(char): base for char, base in _BASES.items()}
    for code in (*range(0xC0, 0x250), *range(0x370, 0x400), *range(0x1E00, 0x2000)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base != chr(code) and base.isalpha():
            table[code] = base
    table |= dict.fromkeys((0x93C, *range(0x300, 0x370)), None)
    return table


_ACCENTS = _accents()


# Vietnamese writes tones on the first or the last of these vowels: "hóa" and "hoá".
_TONE = re.compile("[òóỏõọ][ae]|[ùúủũụ]y")


def _on_last(vowels: re.Match[str]) -> str:
    apart = unicodedata.normalize("NFD", vowels[0])
    return apart[0] + unicodedata.normalize("NFC", apart[2] + apart[1])


class Forms(NamedTuple):
    """The terms of a word in the index.

    ``stems`` are its possible stems. ``marked`` are terms that distinguish the word from words with
    other diacritics, or that stand for all of these; they do not count as words.
    """

    stems: tuple[str, ...]
    marked: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    """The folded words of a text, in order and with repetitions.

    Compounds yield their parts and the whole ("10-K": 10, k, 10k), acronyms the whole ("U.S.": us),
    numbers lose their thousands separators ("1,234.5": 1234.5), and scripts without spaces are
    segmented by a dictionary. Numbers and IBANs in groups yield the groups and the whole ("12 500":
    12, 500, 12500), and so do numbers that dots may group ("12.500": 12.500, 12500).
    """
    return [fold(token) for token in tokens(text)] if not text.isascii() else tokens(text)


def sequence(text: str) -> list[str]:
    """The folded words of a text in the form for comparing phrases.

    Unlike ``words``, it does not yield whole compounds ("10-K": 10, k), and in scripts without
    spaces each character is a word.
    """
    found: list[str] = []
    for chunk in text.split():  # no word contains white space, and most chunks are in the cache
        found += (_known_side_by_side if len(chunk) <= _CACHED_LENGTH else _side_by_side)(chunk)
    return found


def tokens(text: str) -> list[str]:
    """The case-folded words of a text, before ``fold`` removes accents."""
    return _shortened(_tokens(text))


def fold(token: str) -> str:
    """Remove optional diacritics from a token."""
    if not token.isascii():
        token = token.translate(_ACCENTS)
        if "\u094d" in token:
            token = _NASAL.sub("\u0902", token)
    return token[:MAX_LENGTH]


def stems(text: str, language: str = "") -> str:
    """The stemmed, folded words of a text with their ``forms``, joined by spaces.

    The sign of a comment is a term too. Words in an unknown language, or in one without a stemmer,
    are not stemmed. Words in another script are stemmed by the script's language (ISO 639-1).
    """
    found = tokens(text)
    stemmed = stem_all(found, language)
    if not text.isascii():
        pairs = zip(found, stemmed, strict=True)
        stemmed = [
            form
            for token, stem in pairs
            for form in ((stem,) if token.isascii() else _all_forms(token, language))
        ]
        if text.startswith(ANNOTATION_SIGN):
            stemmed.append(ANNOTATION_SIGN)
    return " ".join(stemmed)


def iter_stems(text: str, language: str = "", *, groups: bool = True) -> Iterator[str]:
    """Iterate over the ``stems`` of a text; those that are written in ``groups``, if any, are last.

    The stems of the text between two spaces are cached.
    """
    known = _known_stems(language)
    found = chain.from_iterable(map(known.__getitem__, text.split()))
    return chain(found, wholes_of_groups(text)) if groups else found


class _KnownStems(dict[str, tuple[str, ...]]):
    """A cache from the text between two spaces to its stems, for texts in one language."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found = tuple(stems(chunk, self._language).split())
        if len(chunk) <= _CACHED_LENGTH:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[chunk] = found
        return found


_known_stems = cache(_KnownStems)


def forms(token: str, language: str) -> Forms:
    """The terms of one of ``tokens`` in the index.

    >>> forms("running", "en"), forms("días", "es")
    (Forms(stems=('run',), marked=()), Forms(stems=('dias',), marked=('días',)))
    """
    plain = fold(token)
    if not has_stemmer(token, language):
        # All diacritics distinguish words: "sầu" is not "sau".
        return Forms((_TONE.sub(_on_last, token),), (UNMARKED + plain,) if plain != token else ())
    found = tuple(dict.fromkeys(map(fold, stems_of(token, language))))
    if plain == token:
        return Forms(found)
    unmarked = dict.fromkeys((*map(fold, stems_of(plain, language)), token))
    return Forms(found, tuple(form for form in unmarked if form not in found))


def stems_in(token: str, languages: Iterable[str]) -> set[str]:
    """The possible stems of one of ``tokens`` in any of some languages.

    Most languages share the stemmer of the token's script.

    >>> sorted(stems_in("москвы", ["en", "ru", "de"]))
    ['москв']
    """
    spoken = {language_of(token, one) for one in languages}
    return {stem for one in spoken for stem in forms(token, one).stems}


def query_forms(token: str, language: str, *, with_marks: bool) -> Forms:
    """The terms to search for one of ``tokens``; ``language`` as for ``stems``.

    ``with_marks`` says whether the query has diacritics; a person who types some types all.
    """
    found = forms(token, language)
    if has_stemmer(token, language):
        return found
    return Forms(found.stems, (UNMARKED + token,) if token.isascii() and not with_marks else ())


@lru_cache(maxsize=50_000)
def _all_forms(token: str, language: str) -> tuple[str, ...]:
    found = forms(token, language)
    return found.stems + found.marked


def without_particles(found: list[str]) -> list[str]:
    """Leave out ``tokens`` of scripts without spaces that have no meaning of their own.

    >>> without_particles(["折", "れ", "た", "車体"]), without_particles(["いぬ"])
    (['折', '車体'], ['いぬ'])
    """
    kept = [one for one in found if not (_PARTICLE.match(one) or one in STOP_WORDS["th"])]
    return kept or found


def word_spans(text: str) -> list[tuple[int, int]]:
    """The spans of a text's words, in order."""
    matches = list(_SHOWN_WORD.finditer(text))
    inside = run_spans(match for match in matches if match.lastgroup == "run")
    spans: list[tuple[int, int]] = []
    for match in matches:
        for start, end in next(inside) if match.lastgroup == "run" else [match.span()]:
            if spans and end - start == 1 and _ENDING.match(text[start - 1 : end]):
                spans[-1] = spans[-1][0], end
            else:
                spans.append((start, end))
    return spans


def stop_words(language: str) -> frozenset[str]:
    """Folded words that carry no meaning in a language; empty for an unknown language."""
    return STOP_WORDS.get(language, frozenset())


def _tokens(text: str) -> list[str]:
    """Case-folded words with their accents."""
    plain = _plain(text)
    found = _scan(plain, _parts, split_runs)
    if "+" in plain or "#" in plain:
        found.extend(_LANGUAGE_NAMES.findall(plain))
    if not text.isascii():
        found.extend(_PICTOGRAPH.findall(text))
    return [*found, *wholes_of_groups(text)]


def wholes_of_groups(text: str) -> dict[str, str]:
    """Find text in groups, such as numbers; return each as one word and as it is written.

    Only these words may contain white space.

    >>> wholes_of_groups("pay 12 500 to DE89 3704 0044 0532 0130 00")
    {'12500': '12 500', 'de89370400440532013000': 'DE89 3704 0044 0532 0130 00'}
    >>> wholes_of_groups("1 234,50")
    {'1234.5': '1 234,50'}
    """
    return {_whole_of(group): group for group in _in_groups(text)}


def _whole_of(group: str) -> str:
    figures, _, cents = group.replace(",", ".").partition(".")
    whole = _NO_FIGURE.sub("", figures.translate(_PLAIN)).lower()[:MAX_LENGTH]
    return _without_zeros(f"{whole}.{cents}") if cents else whole


def _in_groups(text: str) -> Iterator[str]:
    after = 0
    for gap in _TWO_GROUPS.finditer(text):  # far faster than trying every place
        for start in range(max(gap.start() - _FIRST_GROUP, after), gap.end()):
            if found := _IN_GROUPS.match(text, start):
                yield found[0]
                after = found.end()
                break


def _shortened(found: list[str]) -> list[str]:
    if max(map(len, found), default=0) > MAX_LENGTH:
        found = [token[:MAX_LENGTH] for token in found]
    return found


def _plain(text: str) -> str:
    """A text in small letters, without characters that searches ignore."""
    if not text.isascii():
        for sign, plain in _COMMON_SIGNS:
            text = text.replace(sign, plain)
    if text.isascii():
        return text.lower()
    if _FIGURES.search(text):
        text = _SET.sub(_set_figures, text)
    text = unicodedata.normalize("NFKC", _SIGN.sub(" ", text))
    text = _UNPLAIN.sub(lambda found: _PLAIN[ord(found[0])] or "", text).casefold()
    text = unicodedata.normalize("NFC", text)
    text = _HEBREW_QUOTE.sub("", text)
    for apart, vowel in _AM:
        text = apart.sub(vowel, text)
    return _APART.sub(" ", text)


def _set_figures(found: re.Match[str]) -> str:
    return found[0] if found["joined"] else f" {found[0]}" if found["apart"] else " "


def without_note_marks(text: str) -> str:
    """Remove raised figures after figures, which may be marks of footnotes."""
    return _AFTER_FIGURE.sub("", text)


def _scan(
    text: str,
    parts: Callable[[str], tuple[str, ...]],
    split: Callable[[Iterable[str]], Iterator[list[str]]],
) -> list[str]:
    """The words of a plain text; ``parts`` splits tokens, ``split`` runs of unspaced characters."""
    found: list[str] = []
    if text.isascii():
        for token in _ASCII_WORD.findall(text):
            if token.isalnum():
                found.append(token)
            else:
                found.extend(parts(token))
        return found
    inside = split(_RUN.findall(text))
    for match in _WORD.finditer(text):
        found.extend(next(inside) if match.lastgroup == "run" else parts(match[0]))
    return found


def _side_by_side(text: str) -> tuple[str, ...]:
    found = _shortened(_scan(_plain(text), _split_token, split_characters))
    return tuple(filter(None, map(fold, found)))


def _parts(token: str) -> tuple[str, ...]:
    """The words of a token with punctuation inside, and the whole tokens made of them."""
    return (_known_parts if len(token) <= _CACHED_LENGTH else _parts_and_wholes)(token)


def _without_zeros(number: str) -> str:
    """Remove final zeros from numbers above a thousand: 1,234.50 is 1234.5, but 2.10 stays."""
    return number.rstrip("0").rstrip(".") if _THOUSANDS.match(number) else number


def number_ways(phrase: str) -> list[str]:
    """Return other spellings of a phrase with large numbers: 12500, 12,500, 12.500 and 12 500.

    Spellings with a comma have the same words as those without. Possible years stay.
    """
    own, found = sequence(phrase), []
    for sign in ",. ":
        way = _LARGE.sub(partial(_regrouped, sign), phrase)
        if way != phrase and sequence(way) != own:
            found.append(way)
    return found


def _regrouped(sign: str, number: re.Match[str]) -> str:
    cents = number["cents"] or ""
    whole = int(_NO_FIGURE.sub("", number[0].removesuffix(cents)))
    return f"{whole:,}".replace(",", sign) + (cents and "{}{}".format(",."[sign == ","], cents[1:]))


def _split_token(token: str, *, wholes: bool = False) -> tuple[str, ...]:
    if _ACRONYM.match(token):
        return (token.replace(".", ""),)
    token = token.rstrip(".")
    if _GROUPED.match(token):
        return (_without_zeros(token.replace(",", "").replace("'", "")),)
    if _GROUPED_BY_DOTS.match(token):
        return (_without_zeros(token.replace(".", "").replace(",", ".")),)
    if _COMMA.match(token):
        return (_without_zeros(token.replace(",", ".")),)
    if _DOTTED.match(token):
        token = _DATE_ZEROS.sub("", token) if _DATE.match(token) else token
        whole = (token.replace(".", ""),) if wholes and _BY_DOTS.match(token) else ()
        return (_without_zeros(token), *whole)
    found: list[str] = []
    for compound in _HARD_BREAK.split(token):
        parts = [part for part in _SOFT_BREAK.split(compound) if part]
        if len(parts) > 1 and compound.endswith("'s"):
            parts.pop()
        short = len(parts[-1]) <= 2 and parts[-1].isascii() if parts else False
        if len(parts) > 1 and short and compound[-len(parts[-1]) - 1] == "'":
            parts[-2:] = [parts[-2] + parts[-1]]  # don't, we'll
        found.extend(parts)
        if wholes and len(parts) > 1:
            found.append("".join(parts))
    return tuple(found)


_parts_and_wholes = partial(_split_token, wholes=True)
_known_parts, _known_side_by_side = (
    lru_cache(maxsize=20_000)(split) for split in (_parts_and_wholes, _side_by_side)
)
_CACHED_LENGTH = 60  # characters; longer tokens are seldom met twice
_MOST_KNOWN = 50_000  # of each language
