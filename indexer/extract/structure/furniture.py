"""Detects furniture: running heads, running feet and page numbers.

A row is furniture if its text recurs at the same end (top or bottom) of enough pages, and if all
rows between it and that end of its page are furniture too. Its numbers must be equal, but one of
them may advance with the pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.numerals import roman_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.extract.base import RawBlock, RawPage

EDGE_ROWS = 3  # rows at each end of a page that may be furniture
_MAX_CHARS = 200
_MIN_PAGES = 3
_MIN_ROWS = 3  # of a page: on a shorter one a row may be all its text
_MAX_NEEDED = 8  # recurrences that are enough in a document of any length
_NEEDED_SHARE = 0.05
_MIN_DENSITY = 0.4  # share of the pages between the first and last one; left pages are half
_MAX_REMEMBERED = 50_000
_MAX_NUMBERS = 4
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W_]")
_MAX_AROUND = 500_000  # characters of what stands around the text of a document
_ROMAN = re.compile(r"\W*([ivxlc]{1,7})\W*$")
_COUNTED = re.compile(r"\W*(?:page|seite|página|pagina)?\W*\d+\W*(?:of|von|de|di|sur|/)\W*\d+\W*$")

# A number that counts pages, with a short word or none: "page #", "# of #".
_PAGE_NUMBER = re.compile(
    r"roman$|(?=.*#)\W*(?:[^\W\d]{1,8}\W{0,3})?#\W*(?:[^\W\d]{1,5}\W{0,3}#\W*)?$|\W*$"
)

# Rows with an equal key recur: the end of the page, the text with numbers masked, which of the
# numbers advances with the pages (-1: none), and its difference from the number of the page.
Key = tuple[str, str, int, int]


@dataclass(slots=True)
class _Recurrence:
    """The recurrence of a row: on ``pages`` pages between ``first`` and ``last``."""

    pages: int
    first: int
    last: int


class FurnitureDetector:
    """Counts rows at the ends of pages; ``furniture_of`` is valid when all pages were added."""

    def __init__(self) -> None:
        self._seen: dict[Key, _Recurrence] = {}
        self._pages = 0

    def add(self, page: RawPage) -> None:
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
        """Return the blocks of a page that are furniture: where each starts, and what recurs.

        What recurs has no number that counts pages; it is "" for a page number alone.
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
        """Drop rows that occurred once, 50 pages ago: memory must not grow with the pages."""
        self._seen = {
            key: seen for key, seen in self._seen.items() if seen.pages > 1 or seen.last > page - 50
        }


def _ends(page: RawPage) -> Iterator[tuple[str, RawBlock]]:
    """Yield the rows at both ends of a page, from the border inwards, heads first."""
    placed = [(block.style.top, block) for block in page.blocks if block.style is not None]
    placed.sort(key=lambda item: item[0])
    blocks = [block for _, block in placed]
    half = (len(blocks) + 1) // 2
    for block in blocks[: min(EDGE_ROWS, half)]:
        if block.end - block.start <= _MAX_CHARS:
            yield "head", block
        else:
            break
    for block in blocks[: -min(EDGE_ROWS, len(blocks) - 1) - 1 : -1]:
        if block.end - block.start <= _MAX_CHARS:
            yield "foot", block
        else:
            break


def folded(page: RawPage, block: RawBlock) -> str:
    """Return the text of a block in small letters, with single spaces."""
    return " ".join(page.text[block.start : block.end].casefold().split())


def _keys(side: str, folded: str, page: int) -> Iterator[Key]:
    """Yield all keys of a row."""
    yield side, folded, -1, 0
    if roman := _ROMAN.match(folded):
        yield side, "roman", 0, roman_value(roman[1]) - page
    numbers = _NUMBER.findall(folded)
    if numbers and len(numbers) <= _MAX_NUMBERS:
        masked = _NUMBER.sub("#", folded)
        for place, number in enumerate(numbers):
            yield side, masked, place, int(number[:9]) - page


class FirstOccurrences:
    """What stands around the text of a document, once each: running heads, navigation and the like.

    Where the words of one stand in the text as well, it is left out: they are found there.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}  # what recurs, and its words where it comes first
        self._length = 0

    def __bool__(self) -> bool:
        """Whether any is left."""
        return bool(self._waiting)

    def add(self, page: RawPage, furniture: Mapping[int, str]) -> None:
        """Add the furniture of a page."""
        for block in page.blocks:
            recurs = _recurs(page, block, furniture)
            if recurs and recurs not in self._waiting and self._length < _MAX_AROUND:
                self._waiting[recurs] = folded(page, block)
                self._length += len(recurs)

    def compare(self, page: RawPage, furniture: Mapping[int, str]) -> None:
        """Leave out what stands in the text of a page; all of them were added before."""
        if not self._waiting:
            return
        text = " ".join(
            folded(page, block)
            for block in page.blocks
            if not _recurs(page, block, furniture) and block.start not in furniture
        )
        self._waiting = {recurs: row for recurs, row in self._waiting.items() if row not in text}

    def take(self, page: RawPage, block: RawBlock, furniture: Mapping[int, str]) -> bool:
        """Return whether a block is the first of those that are kept; it is asked in order."""
        recurs = _recurs(page, block, furniture)
        return bool(recurs) and self._waiting.pop(recurs, None) is not None


def _recurs(page: RawPage, block: RawBlock, furniture: Mapping[int, str]) -> str:
    """Return what a block around the text repeats, "" of text and of page numbers."""
    if block.kind is BlockKind.BOILERPLATE:
        row = folded(page, block)
        return row if _WORD.search(row) else ""
    return furniture.get(block.start, "")
