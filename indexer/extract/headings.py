"""Headings of laid-out documents: short blocks that stand out from the body of the text.

Owns the census of type styles and the decision what is a heading and how deep; it must not know
any format. Size and weight count only against the style in which most of the document is set, so
the decision needs the whole document. Pure: pages in, decisions out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from indexer.types import BlockKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.extract.base import RawBlock, RawPage, Style
    from indexer.types import OutlineEntry

MAX_LEVEL = 9
_STYLE_LEVELS = 5
_MAX_CHARS = 160
_MAX_WORDS = 22
_LARGER = 1.12  # times the body's size
_GRAND = re.compile(
    r"(?:part|article|chapter|book|appendix|annex|schedule|exhibit)\s+[\divxlcA-Z]+\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:item|section|§)\s*\d", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_ENDS_OPEN = re.compile(r"\b(?:and|or|the|of|a|an|to|in|for|with|by)$", re.IGNORECASE)
_CLOSING = frozenset(".)]?!\"'”’»*†‡%")
_SENTENCE_GOES_ON = re.compile(r"[a-z)”\"][.;]\s+\S+\s+\S+\s+\S+\s+\S")
_WORDLESS = re.compile(r"[\W\d_]*$")
# How a heading is written, the grandest first; it ranks headings of one type style.
_ARTICLE, _SECTION, _NUMBER, _CAPITALS, _CLAUSE, _SUBCLAUSE, _PLAIN = range(7)
_NUMBERED_FORMS = frozenset({_NUMBER, _CLAUSE, _SUBCLAUSE})
_TELLING = frozenset({_ARTICLE, _SECTION, _CAPITALS}) | _NUMBERED_FORMS  # needs no type of its own
_MAX_CLAUSE_WORDS = 9

StyleKey = tuple[float, bool, int]


class HeadingCensus:
    """Counts styles page by page; says what is a heading when all pages are seen."""

    def __init__(self, outline: Sequence[OutlineEntry] = ()) -> None:
        self._characters: Counter[tuple[float, bool]] = Counter()
        self._candidates: Counter[StyleKey] = Counter()
        self._last_page: dict[StyleKey, int] = {}
        self._outline: dict[tuple[int, str], int] = {}
        for entry in outline:
            self._outline[entry.page, _plain(entry.title)] = entry.level
        self._outline_depth = max((entry.level for entry in outline), default=0)
        self._levels: dict[StyleKey, int] | None = None

    def add(self, page: RawPage) -> None:
        listed = _listed(page)
        for block in page.blocks:
            if block.style is None or block.kind is BlockKind.TABLE:
                continue
            style = _style(block.style)
            self._characters[style] += block.end - block.start
            text = page.text[block.start : block.end]
            if block.start not in listed and _may_be_heading(text):
                key = (*style, _form(text))
                self._candidates[key] += 1
                self._last_page[key] = page.number

    def levels(self, page: RawPage, blocks: Sequence[RawBlock]) -> list[int]:
        """Return the level of the heading that each block of a page is, 0 if it is none."""
        listed = _listed(page)
        return [0 if block.start in listed else self._level_of(page, block) for block in blocks]

    def _level_of(self, page: RawPage, block: RawBlock) -> int:
        if block.style is None or block.kind in (BlockKind.TABLE, BlockKind.CAPTION):
            return 0
        text = page.text[block.start : block.end]
        if self._outline and (level := self._outline.get((page.number, _plain(text)), 0)):
            return min(level, MAX_LEVEL)
        if not _may_be_heading(text):
            return 0
        if self._levels is None:
            self._levels = self._rank()
        level = self._levels.get((*_style(block.style), _form(text)), 0)
        return min(level + self._outline_depth, MAX_LEVEL) if level else 0

    def _rank(self) -> dict[StyleKey, int]:
        """Give each style that stands out its level, the largest and boldest first.

        Only the styles of most headings open a level of their own; the others, of which long
        documents have dozens, join the level at which they would stand.
        """
        body = self._characters.most_common(1)[0][0] if self._characters else (0.0, False)
        standing_out = {key: n for key, n in self._candidates.items() if _stands_out(key, body)}
        if max(self._last_page.values(), default=0) > 3:
            # the cover's large type comes back nowhere and heads nothing
            large = _LARGER * body[0]
            standing_out = {
                key: count
                for key, count in standing_out.items()
                if key[0] < large or self._last_page[key] > 1
            }
        common = sorted(standing_out, key=lambda key: -standing_out[key])[:_STYLE_LEVELS]
        ranks = sorted(_rank_of(key) for key in common)
        return {
            key: min(1 + bisect_left(ranks, _rank_of(key)), _STYLE_LEVELS) for key in standing_out
        }


def _rank_of(key: StyleKey) -> tuple[float, bool, int]:
    size, bold, form = key
    return -size, not bold, form


def _style(style: Style) -> tuple[float, bool]:
    return round(style.size * 2) / 2, style.bold


def _stands_out(key: StyleKey, body: tuple[float, bool]) -> bool:
    size, bold, form = key
    if size >= _LARGER * body[0]:
        return True
    if size < 0.85 * body[0]:
        return False
    return (bold and not body[1]) or form in _TELLING


def _may_be_heading(text: str) -> bool:
    if len(text) > _MAX_CHARS or text.count("\n") > 2 or "\t" in text.partition("\t")[2]:
        return False
    if _WORDLESS.match(text) or _ENDS_OPEN.search(text):
        return False
    if not (text[-1].isalnum() or text[-1] in _CLOSING):
        return False
    if _SENTENCE_GOES_ON.search(text):
        return False
    if text.endswith(".") and not _NUMBERED.match(text) and not _ITEM.match(text):
        return False
    words = text.split()
    return len(words) <= _MAX_WORDS and (words[0][0].isupper() or not words[0][0].islower())


def _form(text: str) -> int:
    """Return how a heading is written."""
    if _GRAND.match(text):
        return _ARTICLE
    if _ITEM.match(text):
        return _SECTION
    numbered = _NUMBERED.match(text)
    if numbered is None:
        return _CAPITALS if text.upper() == text and text.lower() != text else _PLAIN
    if not _is_title_case(text[numbered.end() - 1 :]):
        return _PLAIN
    depth = numbered[1].count(".")
    return _NUMBER if depth == 0 else _CLAUSE if depth == 1 else _SUBCLAUSE


def _is_title_case(text: str) -> bool:
    """Tell whether all longer words begin with a capital, as in the title of a clause."""
    words = [word for word in text.split() if len(word) > 4 and word[0].isalpha()]
    return len(text.split()) <= _MAX_CLAUSE_WORDS and all(word[0].isupper() for word in words)


def _listed(page: RawPage) -> frozenset[int]:
    """Return the starts of numbered blocks that stand together: a list, not headings."""
    found: set[int] = set()
    for before, block in pairwise(page.blocks):
        if before.style is None or block.style is None or before.style.bold:
            continue
        forms = {_form(page.text[b.start : b.end]) for b in (before, block) if _is_short(b)}
        if len(forms) == 1 and forms <= _NUMBERED_FORMS and _is_short(before) and _is_short(block):
            found |= {before.start, block.start}
    return frozenset(found)


def _is_short(block: RawBlock) -> bool:
    return block.end - block.start <= _MAX_CHARS


def _plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())
