"""Joins glyphs that a PDF draws apart: accents over their letters, letters of a spaced-out heading.

TeX draws "ö" as a diaeresis and an "o" in the same place, and a heading whose letters are set apart
comes with a blank after each. Which glyphs belong together only their places tell, so a page
dictionary with characters is changed, and with it the boxes by which a passage is outlined. Pure;
imports no PDF library.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Box = tuple[float, float, float, float]
    # A character of a page dictionary: "c" and "bbox".
    Character = dict[str, Any]

_ACCENTS = {
    "`": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "^": "\u0302", "\u02dc": "\u0303",
    "~": "\u0303", "\u00af": "\u0304", "\u02c9": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307",
    "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b", "\u02c7": "\u030c",
    "\u00b8": "\u0327", "\u02db": "\u0328",
    **{mark: mark for mark in map(chr, range(0x0300, 0x032A))},
}  # fmt: skip
_DOTTED = {"\u0131": "i", "\u0237": "j"}  # dotless letters, which have the accent for a dot
_ACCENT = re.compile(f"[{re.escape(''.join(_ACCENTS))}]")
# Single letters with blanks between; of a line, which begins with a blank here.
_APART = re.compile(r" [^\W\d_] [^\W_] [^\W_] [^\W_](?= |$)", re.MULTILINE)
_LEAST_LETTERS = 5
_MOST_TOGETHER = 2  # letters without a blank between, where the spacing is uneven
_SINGLE_SHARE = 0.7
_WORD_GAP = 1.6  # times the gap between letters
_KERNED = 0.2  # in type sizes; a narrower gap is none
_SIGNS = ".,:;!?&'\u2019()-\u2013"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LEAST_KINDS = 3  # of letters


def needs_joining(lines: Sequence[str]) -> bool:
    """Return whether glyphs of a page may belong together, by the texts of its lines."""
    text = " " + "\n ".join(lines)
    if "`" in text or (not text.isascii() and _ACCENT.search(text)):
        return True
    return _APART.search(text) is not None


def join_glyphs(content: dict[str, Any]) -> None:
    """Join the glyphs of a page dictionary with characters, and set the texts of its spans."""
    for block in content["blocks"]:
        for line in block.get("lines", ()):
            text = "".join(each["c"] for span in line["spans"] for each in span["chars"])
            glyphs = _glyphs(line)
            if _ACCENT.search(text):
                glyphs = _with_accents(glyphs)
            if _APART.search(f" {text}"):
                _set_words(glyphs)
            for span in line["spans"]:
                own = (glyph for glyph in glyphs if glyph.span is span)
                span["chars"] = [each for glyph in own for each in (*glyph.blanks, glyph.drawn)]
                span["text"] = "".join(each["c"] for each in span["chars"])


class _Glyph:
    """A visible character, where it starts and ends along its line, and the blanks before it."""

    __slots__ = ("accented", "blanks", "drawn", "end", "span", "start")

    def __init__(
        self,
        drawn: Character,
        span: dict[str, Any],
        place: tuple[float, float],
        blanks: Sequence[Character] = (),
    ) -> None:
        self.drawn = drawn
        self.span = span
        self.start, self.end = place
        self.blanks = tuple(blanks)
        self.accented = False  # by an accent that was drawn after it

    @property
    def text(self) -> str:
        return str(self.drawn["c"])

    def composed(self, accent: _Glyph) -> _Glyph | None:
        """Return the letter with an accent that stands over or under it, else None."""
        letter = _DOTTED.get(self.text, self.text)
        together = unicodedata.normalize("NFC", letter + _ACCENTS[accent.text])
        if len(together) != 1 or not self.start <= (accent.start + accent.end) / 2 <= self.end:
            return None
        first, second = self.drawn["bbox"], accent.drawn["bbox"]
        box = (*map(min, first[:2], second[:2]), *map(max, first[2:], second[2:]))
        drawn = {**self.drawn, "c": together, "bbox": box}
        return _Glyph(drawn, self.span, (self.start, self.end))

    def touches(self, after: _Glyph) -> bool:
        return after.start - self.end < _KERNED * float(self.span["size"])


def _glyphs(line: dict[str, Any]) -> list[_Glyph]:
    """Return the visible characters of a line; blanks at its end are left out."""
    found: list[_Glyph] = []
    blanks: list[Character] = []
    for span in line["spans"]:
        for each in span["chars"]:
            if each["c"].isspace():
                blanks.append(each)
            else:
                found.append(_Glyph(each, span, _along(each["bbox"], line["dir"]), blanks))
                blanks = []
    return found


def _along(box: Box, direction: tuple[float, float]) -> tuple[float, float]:
    """Return where a box starts and ends in the direction of its line."""
    match round(direction[0]), round(direction[1]):
        case (-1, 0):
            return -box[2], -box[0]
        case (0, 1):
            return box[1], box[3]
        case (0, -1):
            return -box[3], -box[1]
    return box[0], box[2]


def _with_accents(glyphs: list[_Glyph]) -> list[_Glyph]:
    """Compose accents with the letters that they are drawn over, before or after them."""
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


def _set_words(glyphs: list[_Glyph]) -> None:
    """Remove the blanks between the letters of words that are set apart."""
    for run in _runs(glyphs):
        gaps = [after.start - before.end for before, after in pairwise(run)]
        letters = "".join(glyph.text for glyph in run).upper()
        if letters in _ALPHABET or len(set(letters)) < _LEAST_KINDS:
            continue  # the labels or the ticks of a list
        usual = median(gap for gap, glyph in zip(gaps, run[1:], strict=True) if glyph.blanks)
        for gap, glyph in zip(gaps, run[1:], strict=True):
            glyph.blanks = glyph.blanks[:1] if gap > _WORD_GAP * usual else ()


def _runs(glyphs: list[_Glyph]) -> Iterator[list[_Glyph]]:
    """Yield the glyphs of words whose letters are set apart, one run for consecutive words."""
    tokens: list[list[_Glyph]] = []
    for glyph in glyphs:
        if glyph.blanks or not tokens:
            tokens.append([])
        tokens[-1].append(glyph)
    for apart, group in groupby(tokens, _is_apart):
        run = list(group)
        singles = [at for at, token in enumerate(run) if len(token) == 1]
        run = run[singles[0] : singles[-1] + 1] if singles else []
        if apart and len(run) >= _LEAST_LETTERS and len(singles) >= _SINGLE_SHARE * len(run):
            yield [glyph for token in run for glyph in token]


def _is_apart(token: list[_Glyph]) -> bool:
    """Return whether glyphs between blanks may be a letter of a word that is set apart."""
    letters = "".join(glyph.text for glyph in token).strip(_SIGNS)
    return len(letters) <= _MOST_TOGETHER and (letters.isalnum() or not letters)
