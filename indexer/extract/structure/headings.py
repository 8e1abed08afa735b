"""Detects headings of laid-out documents, and furniture: running heads and feet, page numbers.

A heading is a short block in another type style than the body text. Its size and weight are
compared with the style of most text, so the whole document must be read first.

A row is furniture if its text recurs at the same end (top or bottom) of enough pages, and if all
rows between it and that end of its page are furniture too. Its numbers must be equal, but one of
them may advance with the pages.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.api.types import BlockKind, OutlineEntry
from indexer.extract.numerals import roman_value
from indexer.extract.structure.titles import is_boilerplate

if TYPE_CHECKING:
    from indexer.extract.base import BlockStyle, RawBlock, RawPage

# The label of a speaker's turn ("Grad C: Nice."), or a name with a time beside it.
_TURN = re.compile(
    r"\W*(?P<label>[^\W\d_][^:\uff1a\n]{0,40}?)\s*"
    r"(?:[\[(]?\d{1,2}(?::\d\d)+[\])]?|(?::\s+|\uff1a)\S.*)\s*$"
)
_TURNS = 3  # a label of this many lines is a speaker
_RECENT = 40  # speakers alternate within this many possible headings
_LONGEST = 40  # characters of a name on its own line
_MAX_LABELS = 10_000  # if there are more, those that occurred once are dropped


class Turns(Struct):
    """Counts the labels of speakers' turns. Call ``begins`` after all lines were added."""

    _labels: Counter[str] = field(default_factory=Counter)
    _recent: deque[str] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _speakers: set[str] = field(default_factory=set)

    def add_line(self, line: str) -> None:
        """Add a line that may be or begin with a label."""
        if found := _TURN.match(line):
            self._labels[found["label"]] += 1
            if len(self._labels) > _MAX_LABELS:
                self._labels = Counter({k: n for k, n in self._labels.items() if n > 1})

    def add_alone(self, text: str) -> None:
        """Add a block that looks like a heading, but may be a name above its bearer's words.

        Some headings recur too ("Overview"), but between headings that do not. Names of speakers
        recur between each other.
        """
        self._recent.append(text if len(text) <= _LONGEST else "")
        recent = list(self._recent)
        often = {label for label, count in Counter(recent).items() if label and count >= _TURNS}
        if text in often:
            between = sum(
                one != text == middle != other and {one, other} <= often
                for one, middle, other in zip(recent, recent[1:], recent[2:], strict=False)
            )
            if between >= _TURNS - 1:
                self._speakers.add(text)

    def begins(self, line: str) -> bool:
        """Return whether a line begins a turn."""
        found = _TURN.match(line)
        return line in self._speakers or bool(found and self._labels[found["label"]] >= _TURNS)


MAX_LEVEL = 9
_STYLE_LEVELS = 5
_MAX_CHARS = 160
_MAX_WORDS = 22
_LARGER = 1.12  # times the size of body text
_SMALLER = 0.85
_TOP = re.compile(
    r"(?:part|article|chapter|book|appendix|annex|schedule|exhibit)\s+[\divxlcA-Z]+\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:item|section|§)\s*\d", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_ENDS_OPEN = re.compile(r"\b(?:and|or|the|of|a|an|to|in|for|with|by)$", re.IGNORECASE)
_OPENING = frozenset("\"'“‘„«§¿¡")
_CLOSING = frozenset(".)]?!\"'”’»*†‡")
_SENTENCE_GOES_ON = re.compile(r"[a-z)”\"][.;]\s+\S+\s+\S+\s+\S+\s+\S")
_WORDLESS = re.compile(r"[\W\d_]*$")
_LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
# Forms of headings, the highest first. They rank headings in one type style.
_ARTICLE, _SECTION, _NUMBER, _CAPITALS, _CLAUSE, _SUBCLAUSE, _PLAIN = range(7)
_NUMBERED_FORMS = frozenset({_NUMBER, _CLAUSE, _SUBCLAUSE})
# Headings of these forms may have the type style of the body text.
_DISTINCTIVE = frozenset({_ARTICLE, _SECTION, _CAPITALS}) | _NUMBERED_FORMS
_MAX_CLAUSE_WORDS = 9

_TOP_FORMS = frozenset({_ARTICLE, _SECTION})
_STRETCH = 8  # pages whose styles are counted together
_TYPES_KEPT = 8
_COVERED_PAGES = 3  # a longer document may have a cover

_Type = tuple[float, bool]  # size in points, and whether it is bold
_Rank = tuple[float, bool, int]  # sorts higher headings first


class HeadingDetector:
    """Counts type styles page by page. Call ``levels`` after all pages were added.

    A document may have parts in different styles, such as a report and its exhibits. So styles are
    compared with the body text of a stretch of pages and its two neighbours.
    """

    def __init__(self, outline: Sequence[OutlineEntry] = ()) -> None:
        self._pages = 0
        self._body: dict[int, Counter[_Type]] = {}
        self._candidates: Counter[tuple[int, _Type, int]] = Counter()
        self._last_page: dict[tuple[int, _Type, int], int] = {}
        self._outline: dict[tuple[int, str], int] = {}
        for entry in outline:
            self._outline[entry.page, _plain(entry.title)] = entry.level
        self._outline_depth = max((entry.level for entry in outline), default=0)
        self._turns = Turns()
        self._levels: dict[_Rank, int] | None = None
        self._bodies: dict[int, _Type] = {}

    def add_page(self, page: RawPage) -> None:
        self._pages += 1
        stretch = page.number // _STRETCH
        if stretch not in self._body and (before := self._body.get(stretch - 1)):
            # Only the most frequent styles are kept, so that memory does not grow with the pages.
            self._body[stretch - 1] = Counter(dict(before.most_common(_TYPES_KEPT)))
        body = self._body.setdefault(stretch, Counter())
        ruled_out = _ruled_out(page)
        for block in page.blocks:
            if block.style is None or block.kind is BlockKind.TABLE:
                continue
            style = _type(block.style)
            body[style] += block.end - block.start
            text = page.text[block.start : block.end]
            self._turns.add_line(text)
            if block.start not in ruled_out and _may_be_heading(text, page.number):
                self._turns.add_alone(text)
                key = stretch, style, _form(text)
                self._candidates[key] += 1
                self._last_page[key] = page.number

    def levels(self, page: RawPage, blocks: Sequence[RawBlock]) -> list[int]:
        """Return the heading level of each block of a page, 0 for other blocks."""
        ruled_out = _ruled_out(page)
        return [0 if block.start in ruled_out else self._level_of(page, block) for block in blocks]

    def _level_of(self, page: RawPage, block: RawBlock) -> int:
        if block.style is None or block.kind in (BlockKind.TABLE, BlockKind.CAPTION):
            return 0
        text = page.text[block.start : block.end]
        if self._outline and (level := self._outline.get((page.number, _plain(text)), 0)):
            return min(level, MAX_LEVEL)
        if not _may_be_heading(text, page.number) or self._turns.begins(text):
            return 0
        if self._levels is None:
            self._levels = self._rank()
        rank = self._rank_of(page.number // _STRETCH, _type(block.style), _form(text))
        level = self._levels.get(rank, 0) if rank else 0
        return min(level + self._outline_depth, MAX_LEVEL) if level else 0

    def _body_of(self, stretch: int) -> _Type:
        """Return the style of most text in a stretch and its neighbours."""
        if stretch not in self._bodies:
            around: Counter[_Type] = Counter()
            for near in (stretch - 1, stretch, stretch + 1):
                around.update(self._body.get(near, {}))
            self._bodies[stretch] = around.most_common(1)[0][0] if around else (0.0, False)
        return self._bodies[stretch]

    def _rank_of(self, stretch: int, style: _Type, form: int) -> _Rank | None:
        """Return the rank of a style and form, or None for body text."""
        body = self._body_of(stretch)
        size = style[0] / body[0] if body[0] else 1.0
        bold = style[1] and not body[1]
        if size >= _LARGER or (size >= _SMALLER and (bold or form in _DISTINCTIVE)):
            return -round(size, 1), not bold, form
        return None

    def _rank(self) -> dict[_Rank, int]:
        """Map ranks to levels.

        Only the most frequent ranks, and those of articles and sections, get their own level. Long
        documents have dozens of others, which share the level that is next in rank.
        """
        counts: Counter[_Rank] = Counter()
        last: dict[_Rank, int] = {}
        for (stretch, style, form), count in self._candidates.items():
            if rank := self._rank_of(stretch, style, form):
                counts[rank] += count
                page = self._last_page[stretch, style, form]
                last[rank] = max(last.get(rank, 0), page)
        if self._pages > _COVERED_PAGES:
            # Ranks that occur only on the cover are not headings.
            counts = Counter({rank: count for rank, count in counts.items() if last[rank] > 1})
        common = {rank for rank, _ in counts.most_common(_STYLE_LEVELS)}
        distinctive = {
            rank for rank, count in counts.items() if count > 1 and rank[2] in _TOP_FORMS
        }
        ranks = sorted(common | distinctive)
        return {rank: min(1 + bisect_left(ranks, rank), len(ranks)) for rank in counts}


def _type(style: BlockStyle) -> _Type:
    return round(style.size * 2) / 2, style.bold


def _may_be_heading(text: str, page: int) -> bool:
    if page == 1 and is_boilerplate(" ".join(text.split())):
        return False
    if not (text[0].isalnum() or text[0] in _OPENING):
        return False
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
    """Return the form of a heading."""
    if _TOP.match(text):
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
    """Return whether all longer words are capitalised, as in the title of a clause."""
    words = [word for word in text.split() if len(word) > 4 and word[0].isalpha()]
    return len(text.split()) <= _MAX_CLAUSE_WORDS and all(word[0].isupper() for word in words)


def _ruled_out(page: RawPage) -> frozenset[int]:
    """Return the starts of blocks whose neighbours show that they are not headings.

    Adjacent numbered blocks are a list. A block before one that begins with a lower-case letter is
    the bold start of a paragraph.
    """
    found: set[int] = set()
    whole = [block for block in page.blocks if not block.split_off]
    for before, block in pairwise(whole):
        if page.text[block.start].islower():
            found.add(before.start)
        if before.style is None or block.style is None or before.style.bold:
            continue
        if _is_short(before) and _is_short(block):
            forms = {_form(page.text[b.start : b.end]) for b in (before, block)}
            if len(forms) == 1 and forms <= _NUMBERED_FORMS:
                found |= {before.start, block.start}
    return frozenset(found)


def _is_short(block: RawBlock) -> bool:
    return block.end - block.start <= _MAX_CHARS


def _plain(text: str) -> str:
    return " ".join(_LETTERS_AND_DIGITS.findall(text.casefold()))


EDGE_ROWS = 3  # rows at each end of a page that may be furniture
_MAX_ROW_CHARS = 200
_MIN_PAGES = 3
_MIN_ROWS = 3  # on a page with fewer, a row may be its text
_MAX_NEEDED = 8  # recurrences that suffice in any document
_NEEDED_SHARE = 0.05
_MIN_DENSITY = 0.4  # of pages from the first to the last one; left pages are half
_MAX_REMEMBERED = 50_000
_MAX_NUMBERS = 4
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]")
_MAX_AROUND = 500_000  # characters of all texts around a document
_ROMAN = re.compile(r"\W*([ivxlc]{1,7})\W*$")
_COUNTED = re.compile(r"\W*(?:page|seite|página|pagina)?\W*\d+\W*(?:of|von|de|di|sur|/)\W*\d+\W*$")

# A number that counts pages, with at most one short word, as in "page #" and "# of #".
_PAGE_NUMBER = re.compile(
    r"roman$|(?=.*#)\W*(?:[^\W\d]{1,8}\W{0,3})?#\W*(?:[^\W\d]{1,5}\W{0,3}#\W*)?$|\W*$"
)

# Rows with equal keys recur. A key has the end of the page, the text with masked numbers, the index
# of the number that advances with the pages (-1: none), and its distance to the page number.
Key = tuple[str, str, int, int]


class _Recurrence(Struct):
    """A row that recurs on ``pages`` pages between ``first`` and ``last``."""

    pages: int
    first: int
    last: int


class FurnitureDetector:
    """Counts rows at the ends of pages. Call ``furniture_of`` after all pages were added."""

    def __init__(self) -> None:
        self._seen: dict[Key, _Recurrence] = {}
        self._pages = 0

    def add_page(self, page: RawPage) -> None:
        self._pages += 1
        if len(page.blocks) < _MIN_ROWS:
            return
        for side, block in _ends(page):
            for key in _keys(side, folded(page, block), page.number):
                seen = self._seen.get(key)
                if seen is None:
                    self._seen[key] = _Recurrence(1, page.number, page.number)
                elif seen.last != page.number:
                    seen.pages += 1
                    seen.last = page.number
        if len(self._seen) > _MAX_REMEMBERED:
            self._forget(page.number)

    def furniture_of(self, page: RawPage) -> dict[int, str]:
        """Return where the furniture blocks of a page start, with the text that recurs.

        This text has no number that counts pages, and is "" for a page number alone.
        """
        found: dict[int, str] = {}
        open_ends = {"head", "foot"}
        for side, block in _ends(page):
            if side not in open_ends:
                continue
            row = folded(page, block)
            counted = self._pages > 1 and _COUNTED.match(row) is not None
            key = next(filter(self._recurs, _keys(side, row, page.number)), None)
            if counted or key is not None:
                counts = key is None or counted or _PAGE_NUMBER.match(key[1])
                found[block.start] = "" if key is None or counts else key[1]
            else:
                open_ends.discard(side)
        return found

    def _recurs(self, key: Key) -> bool:
        seen = self._seen.get(key)
        if seen is None or self._pages < _MIN_PAGES:
            return False
        needed = max(_MIN_PAGES, min(_MAX_NEEDED, _NEEDED_SHARE * self._pages))
        return seen.pages >= needed and seen.pages >= _MIN_DENSITY * (seen.last - seen.first + 1)

    def _forget(self, page: int) -> None:
        """Drop rows that occurred once, 50 pages ago, so that memory does not grow with pages."""
        self._seen = {
            key: seen for key, seen in self._seen.items() if seen.pages > 1 or seen.last > page - 50
        }


def _ends(page: RawPage) -> Iterator[tuple[str, RawBlock]]:
    """Yield the rows at both ends of a page, from the edge inwards, with heads first."""
    placed = [(block.style.top, block) for block in page.blocks if block.style is not None]
    placed.sort(key=lambda item: item[0])
    blocks = [block for _, block in placed]
    half = (len(blocks) + 1) // 2
    heads = blocks[: min(EDGE_ROWS, half)]
    feet = blocks[: -min(EDGE_ROWS, len(blocks) - 1) - 1 : -1]
    for side, rows in (("head", heads), ("foot", feet)):
        short = takewhile(lambda block: block.end - block.start <= _MAX_ROW_CHARS, rows)
        yield from ((side, block) for block in short)


def folded(page: RawPage, block: RawBlock) -> str:
    """Return the text of a block in small letters, with single spaces."""
    return " ".join(page.text[block.start : block.end].casefold().split())


def _keys(side: str, folded: str, page: int) -> Iterator[Key]:
    """Yield all keys of a row."""
    yield side, folded, -1, 0
    if roman := _ROMAN.match(folded):
        yield side, "roman", 0, roman_value(roman[1]) - page
    numbers = _DIGITS.findall(folded)
    if numbers and len(numbers) <= _MAX_NUMBERS:
        masked = _DIGITS.sub("#", folded)
        for place, number in enumerate(numbers):
            yield side, masked, place, int(number[:9]) - page


class FirstOccurrences:
    """Collects each text around a document once: running heads, navigation and the like.

    Those whose words are also in the document's own text are left out.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}  # recurring texts, and their words when first seen
        self._length = 0

    def __bool__(self) -> bool:
        """Whether any text is left."""
        return bool(self._waiting)

    def add_furniture(self, page: RawPage, furniture: Mapping[int, str]) -> None:
        """Add the furniture of a page."""
        for block in page.blocks:
            recurs = _recurs(page, block, furniture)
            if recurs and recurs not in self._waiting and self._length < _MAX_AROUND:
                self._waiting[recurs] = folded(page, block)
                self._length += len(recurs)

    def compare(self, page: RawPage, furniture: Mapping[int, str]) -> None:
        """Drop texts that a page's own text has too. Call this after all furniture was added."""
        if not self._waiting:
            return
        text = " ".join(
            folded(page, block)
            for block in page.blocks
            if not _recurs(page, block, furniture) and block.start not in furniture
        )
        self._waiting = {recurs: row for recurs, row in self._waiting.items() if row not in text}

    def take(self, page: RawPage, block: RawBlock, furniture: Mapping[int, str]) -> bool:
        """Return whether a block is the first with a kept text. Ask for blocks in order."""
        recurs = _recurs(page, block, furniture)
        return bool(recurs) and self._waiting.pop(recurs, None) is not None


def _recurs(page: RawPage, block: RawBlock, furniture: Mapping[int, str]) -> str:
    """Return the recurring text of a block, "" for own text and page numbers."""
    if block.kind is BlockKind.BOILERPLATE:
        row = folded(page, block)
        return row if _WORD.search(row) else ""
    return furniture.get(block.start, "")
