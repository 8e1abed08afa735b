"""Headings of laid-out documents: short blocks that stand out from the body of the text.

Owns the census of type styles and the decision what is a heading and how deep; it must not know
any format. Size and weight count only against the style in which most of the document is set, so
the decision needs the whole document. Pure: pages in, decisions out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
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
_ENDS_OPEN = re.compile(r"[,;:–—-]$|\b(?:and|or|the|of|a|an|to|in|for|with|by)$", re.IGNORECASE)
_SENTENCE_GOES_ON = re.compile(r"[a-z)”\"][.;]\s+\S+\s+\S+\s+\S+\s+\S")
_WORDLESS = re.compile(r"[\W\d_]*$")
# How deep a kind of heading stands among those of one style: ARTICLE I, Item 1, 1., 1.1, PLAIN.
_FORMS = 7

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
        for block in page.blocks:
            if block.style is None or block.kind is BlockKind.TABLE:
                continue
            style = _style(block.style)
            self._characters[style] += block.end - block.start
            text = page.text[block.start : block.end]
            if _may_be_heading(text):
                key = (*style, _form(text))
                self._candidates[key] += 1
                self._last_page[key] = page.number

    def level_of(self, page: RawPage, block: RawBlock) -> int:
        """Return the level of the heading that a block is, or 0 if it is none."""
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
            # the cover's type comes back nowhere and heads nothing
            standing_out = {k: n for k, n in standing_out.items() if self._last_page[k] > 1}
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
    return (bold and not body[1]) or form < 2 or form == 3


def _may_be_heading(text: str) -> bool:
    if len(text) > _MAX_CHARS or text.count("\n") > 2 or "\t" in text.partition("\t")[2]:
        return False
    if _WORDLESS.match(text) or _ENDS_OPEN.search(text):
        return False
    if _SENTENCE_GOES_ON.search(text):
        return False
    if text.endswith(".") and not _NUMBERED.match(text) and not _ITEM.match(text):
        return False
    words = text.split()
    return len(words) <= _MAX_WORDS and (words[0][0].isupper() or not words[0][0].islower())


def _form(text: str) -> int:
    """Return how a heading is written, from the grandest form (0) to the plainest."""
    if _GRAND.match(text):
        return 0
    if _ITEM.match(text):
        return 1
    numbered = _NUMBERED.match(text)
    if numbered:
        return 2 if "." not in numbered[1] else 4 + (numbered[1].count(".") > 1)
    return 3 if text.upper() == text and text.lower() != text else 6


def _plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())
