"""Detects furniture: running heads, running feet and page numbers.

A row is furniture if its text recurs at the same end (top or bottom) of enough pages, and if all
rows between it and that end of its page are furniture too. Its numbers must be equal, but one of
them may advance with the pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.extract.numerals import roman_value

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_ROMAN = re.compile(r"\W*([ivxlc]{1,7})\W*$")
_COUNTED = re.compile(r"\W*(?:page|seite|página|pagina)?\W*\d+\W*(?:of|von|de|di|sur|/)\W*\d+\W*$")

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
            for key in _keys(side, _folded(page, block), page.number):
                seen = self._seen.get(key)
                if seen is None:
                    self._seen[key] = _Recurrence(1, page.number, page.number)
                elif seen.last != page.number:
                    seen.pages += 1
                    seen.last = page.number
        if len(self._seen) > _MAX_REMEMBERED:
            self._forget(page.number)

    def furniture_of(self, page: RawPage) -> frozenset[int]:
        """Return the start offsets of the blocks of a page that are furniture."""
        found: set[int] = set()
        open_ends = {"head", "foot"}
        for side, block in _ends(page):
            if side not in open_ends:
                continue
            folded = _folded(page, block)
            counted = self._pages > 1 and _COUNTED.match(folded) is not None
            if counted or any(map(self._recurs, _keys(side, folded, page.number))):
                found.add(block.start)
            else:
                open_ends.discard(side)
        return frozenset(found)

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


def _folded(page: RawPage, block: RawBlock) -> str:
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
