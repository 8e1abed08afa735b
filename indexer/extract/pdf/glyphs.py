"""Joins glyphs that a PDF draws apart, and detects text with a wrong or missing character map.

TeX draws "ö" as a diaeresis and an "o" in the same place, and a heading whose letters are set apart
comes with a blank after each. Only the places of glyphs show which belong together. So a page
dictionary with characters is changed, and with it the boxes by which a passage is outlined.

The text of a page alone decides whether it is legible, in any script. Doubtful texts (a table of
figures, source code, a list of names, a short text) are. Pure; imports no PDF library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress, groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.extract.plain.decode import is_common
from indexer.ocr.layer import DIRECTIONS, along, union
from indexer.text import language
from indexer.text.stop_words import ALL_STOP_WORDS

if TYPE_CHECKING:
    # A character of a page dictionary: "c" and "bbox".
    Character = dict[str, Any]


_ACCENTS = {
    "`": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "^": "\u0302", "\u02dc": "\u0303",
    "~": "\u0303", "\u00af": "\u0304", "\u02c9": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307",
    "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b", "\u02c7": "\u030c",
    "\u00b8": "\u0327", "\u02db": "\u0328",
    **{mark: mark for mark in map(chr, range(0x0300, 0x032A))},
}  # fmt: skip
_DOTTED = {"\u0131": "i", "\u0237": "j"}  # dotless letters, whose accent replaces the dot
_ACCENT = re.compile(f"[{re.escape(''.join(_ACCENTS))}]")
# Hebrew and Arabic, and the scripts of India and South-East Asia.
_COMPLEX = re.compile(
    "[\u0590-\u08ff\u0900-\u0dff\u0e80-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc]"
)
_TO_THE_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Single letters between blanks, in a line to which a blank was prepended.
_APART = re.compile(r" [^\W\d_] [^\W_] [^\W_] [^\W_](?= |$)", re.MULTILINE)
_LEAST_LETTERS = 5
_MOST_TOGETHER = 2  # letters that uneven spacing leaves together
_SINGLE_SHARE = 0.7
_WORD_GAP = 1.6  # in gaps between letters
_KERNED = 0.2  # in type sizes; a narrower gap does not count
_SIGNS = ".,:;!?&'\u2019()-\u2013"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LEAST_KINDS = 3  # of letters


def lines_of(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the lines of a page dictionary of MuPDF."""
    for block in content["blocks"]:
        yield from block.get("lines", ())


def spans_of(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the spans of a page dictionary of MuPDF."""
    for block in content["blocks"]:
        for line in block.get("lines", ()):
            yield from line["spans"]


def characters_of(line: dict[str, Any]) -> list[Character]:
    """Return the characters of a line of a page dictionary."""
    return [each for span in line["spans"] for each in span["chars"]]


def baseline_of(line: dict[str, Any]) -> float:
    """Return the height of the baseline of a line's first character, in points."""
    return float(characters_of(line)[0]["origin"][1])


def set_texts(content: dict[str, Any]) -> None:
    """Set the texts of the spans of a page dictionary by their characters."""
    for span in spans_of(content):
        span["text"] = "".join([each["c"] for each in span["chars"]])


def without_lines(content: dict[str, Any], gone: Collection[int]) -> None:
    """Remove lines from a page dictionary by their ids, and set the texts of the others."""
    for block in content["blocks"]:
        if "lines" in block:
            block["lines"] = [line for line in block["lines"] if id(line) not in gone]
    set_texts(content)


def has_complex_script(lines: Sequence[str]) -> bool:
    """Return whether lines have letters of a script in which MuPDF's order may be wrong."""
    return any(not line.isascii() and _COMPLEX.search(line) for line in lines)


def runs_to_the_left(text: str) -> bool:
    """Return whether most letters of a text are Arabic, Hebrew or of a similar script."""
    count = 0 if text.isascii() else len(_TO_THE_LEFT.findall(text))
    return count > 0 and 2 * count > sum(map(str.isalpha, text))


def needs_joining(lines: Sequence[str]) -> bool:
    """Return whether glyphs of a page may belong together, by the texts of its lines."""
    text = " " + "\n ".join(lines)
    if "`" in text or (not text.isascii() and _ACCENT.search(text)):
        return True
    return _APART.search(text) is not None


def join_glyphs(content: dict[str, Any]) -> None:
    """Join the glyphs of a page dictionary with characters, and set the texts of its spans."""
    for _, row in groupby(lines_of(content), _row_of):
        lines = list(row)
        texts = ["".join([each["c"] for each in characters_of(line)]) for line in lines]
        found = [
            _with_accents(_glyphs(line)) if _ACCENT.search(text) else _glyphs(line)
            for line, text in zip(lines, texts, strict=True)
        ]
        if any(_APART.search(f" {text}") for text in texts):
            _set_words(found)
        for line, glyphs in zip(lines, found, strict=True):
            for span in line["spans"]:
                own = (glyph for glyph in glyphs if glyph.span is span)
                span["chars"] = [each for glyph in own for each in (*glyph.blanks, glyph.drawn)]
    set_texts(content)


def _row_of(line: dict[str, Any]) -> tuple[Any, ...]:
    """Return an equal key for lines in one row, unless they have figures, which are table cells."""
    figures = any(each["c"].isdigit() for each in characters_of(line))
    return line["dir"], line["bbox"][1::2], figures and id(line)


class _Glyph(Struct):
    """A visible character, its start and end along its line, and the blanks before it."""

    drawn: Character
    span: dict[str, Any]
    start: float
    end: float
    blanks: Sequence[Character] = ()
    accented: bool = False  # whether its accent was drawn after it

    @property
    def text(self) -> str:
        return str(self.drawn["c"])

    def composed(self, accent: _Glyph) -> _Glyph | None:
        """Return the letter with an accent if that is over or under it, else None."""
        letter = _DOTTED.get(self.text, self.text)
        together = unicodedata.normalize("NFC", letter + _ACCENTS[accent.text])
        if len(together) != 1 or not self.start <= (accent.start + accent.end) / 2 <= self.end:
            return None
        box = union([self.drawn["bbox"], accent.drawn["bbox"]])
        drawn = {**self.drawn, "c": together, "bbox": box}
        return _Glyph(drawn, self.span, self.start, self.end)

    def touches(self, after: _Glyph) -> bool:
        return after.start - self.end < _KERNED * float(self.span["size"])


def _glyphs(line: dict[str, Any]) -> list[_Glyph]:
    """Return the visible characters of a line, without the blanks at its end."""
    found: list[_Glyph] = []
    blanks: list[Character] = []
    direction = round(line["dir"][0]), round(line["dir"][1])
    turn = DIRECTIONS.index(direction) if direction in DIRECTIONS else 0
    for span in line["spans"]:
        for each in span["chars"]:
            if each["c"].isspace():
                blanks.append(each)
            else:
                found.append(_Glyph(each, span, *along(each["bbox"], turn), blanks))
                blanks = []
    return found


def _with_accents(glyphs: list[_Glyph]) -> list[_Glyph]:
    """Compose accents with their letters, which are drawn just before or after them."""
    found: list[_Glyph] = []
    waiting: _Glyph | None = None  # an accent for the next letter
    for glyph in glyphs:
        if waiting is not None:
            made = glyph.composed(waiting)
            if made is not None:
                made.blanks = () if found and found[-1].touches(made) else waiting.blanks
                found.append(made)
                waiting = None
                continue
            found.append(waiting)
            waiting = None
        if glyph.text not in _ACCENTS:
            if found and found[-1].accented and found[-1].touches(glyph):
                glyph.blanks = ()
            found.append(glyph)
        elif found and (made := found[-1].composed(glyph)) is not None:
            made.blanks = found[-1].blanks
            made.accented = True
            found[-1] = made
        else:
            waiting = glyph
    return found if waiting is None else [*found, waiting]


def _set_words(row: list[list[_Glyph]]) -> None:
    """Remove the blanks inside words whose letters are set apart, in the lines of one row."""
    for run in _runs(row):
        gaps = [after.start - before.end for before, after in pairwise(run)]
        blank = [gap for gap, glyph in zip(gaps, run[1:], strict=True) if glyph.blanks]
        letters = "".join(glyph.text for glyph in run).upper()
        if not blank or letters in _ALPHABET or len(set(letters)) < _LEAST_KINDS:
            continue  # labels or ticks of a list
        usual = median(blank)
        for gap, glyph in zip(gaps, run[1:], strict=True):
            glyph.blanks = glyph.blanks[:1] if gap > _WORD_GAP * usual else ()


def _runs(row: list[list[_Glyph]]) -> Iterator[list[_Glyph]]:
    """Yield runs of consecutive words whose letters are set apart, as glyphs."""
    tokens: list[list[_Glyph]] = []
    for glyphs in row:
        for at, glyph in enumerate(glyphs):
            if glyph.blanks or at == 0:
                tokens.append([])
            tokens[-1].append(glyph)
    for apart, group in groupby(tokens, _is_apart):
        run = list(group)
        singles = [at for at, token in enumerate(run) if len(token) == 1]
        run = run[singles[0] : singles[-1] + 1] if singles else []
        if apart and len(run) >= _LEAST_LETTERS and len(singles) >= _SINGLE_SHARE * len(run):
            yield [glyph for token in run for glyph in token]


def _is_apart(token: list[_Glyph]) -> bool:
    """Return whether glyphs between blanks may be a letter of a word set apart."""
    letters = "".join(glyph.text for glyph in token).strip(_SIGNS)
    return len(letters) <= _MOST_TOGETHER and (letters.isalnum() or not letters)


REPLACEMENT = "\ufffd"

# Control, private use, surrogate and unassigned characters. Soft hyphens, joiners and direction
# marks have other categories.
_UNMAPPED_CATEGORIES = frozenset(("Cc", "Co", "Cs", "Cn"))
# As a share of the visible characters. Symbol fonts leave fewer unmapped.
_MAX_UNMAPPED_SHARE = 0.25
# Bullets, dot leaders and formula signs are at most this many distinct characters.
FEW_UNMAPPED = 6
# Pieces are tested separately, as a page may have text in several fonts.
_WORDS_A_PIECE = 50
# A piece with this many distinct stop words is legible.
_COMMON_IN_TEXT = 2
_COMMON_IN_TABLES = 4  # in all pieces that have fewer each
_COMMON = frozenset(word for word in ALL_STOP_WORDS if len(word) > 2)
_DOUBTFUL_SHARE = 0.3  # of the words of a page; less may be names, figures and headings
# Letters next to digits are excluded, as part of a number or code.
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
_LETTER = re.compile(r"[^\W_]")
_LEAST_JUDGED = 80
_LEAST_WORDS = 12
# A text with fewer distinct letters is not a language, but a sequence of bases, pins or bits.
_LEAST_ALPHABET = 10
_ENOUGH = 600  # letters for the language classifier
# Vietnamese has the most, about 0.35. Another script in a western code page is near 1.
_TOO_MANY_ACCENTS = 0.6
_TOO_MANY_MIXED = 0.5  # of the characters of non-ASCII words
_LATIN = "LATIN"
# The share of common ideographs or syllables, which is above 0.95 in real text.
_TOO_FEW_USUAL = 0.7
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_SYLLABLE = re.compile("[\uac00-\ud7a3]")


def has_letters(text: str) -> bool:
    """Whether a text has a letter or digit."""
    return _LETTER.search(text) is not None


def illegible(text: str) -> str:
    """Return the illegible part of a page's text, "" if it is legible.

    If most characters are unmapped, it is the whole text, otherwise the words of no language.
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

    It does not if the page's text is legible, nor if the recognised text is short, illegible, or
    confirms the page's text.
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
    if len(letters) < _LEAST_JUDGED or len(set(letters)) < _LEAST_ALPHABET:
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
        2 * len(found) >= len(letters) and sum(map(_is_common, found)) < _TOO_FEW_USUAL * len(found)
        for found in (_IDEOGRAPH.findall(letters), _SYLLABLE.findall(letters))
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


_is_common = lru_cache(maxsize=4096)(is_common)
