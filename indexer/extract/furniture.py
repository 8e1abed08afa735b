"""Running heads, running feet and page numbers, recognised over a whole document.

Owns the census of what stands at the ends of pages and the decision what of it is furniture; it
must not know any format. A row is furniture if its text recurs at the same end of enough pages,
its numbers either staying the same or advancing with the pages, and if everything between it and
the end of its page is furniture too. Pure: pages in, decisions out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.extract.base import RawBlock, RawPage

EDGE_ROWS = 3  # rows at each end of a page that may be furniture
_MAX_CHARS = 200
_MIN_PAGES = 3
_MAX_NEEDED = 8  # recurrences that are enough in any document, however long
_NEEDED_SHARE = 0.05
_MIN_DENSITY = 0.4  # share of the pages in its stretch; every other page is half of them
_MAX_REMEMBERED = 50_000
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"\W*([ivxlc]{1,7})\W*$", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_COUNTED = re.compile(r"\W*(?:page|seite|página|pagina)?\W*#\W*(?:of|von|de|di|sur|/)\W*#\W*$")

Key = tuple[str, str]


@dataclass(slots=True)
class _Recurrence:
    """How often a text came back: ``pages`` pages between ``first`` and ``last``."""

    pages: int
    first: int
    last: int
    numbers: tuple[int, ...]


class FurnitureCensus:
    """Counts what recurs at the ends of pages; asked for a verdict when all pages are seen."""

    def __init__(self) -> None:
        self._seen: dict[Key, _Recurrence] = {}
        self._pages = 0

    def add(self, page: RawPage) -> None:
        self._pages += 1
        counted = set()
        for side, block in _ends(page):
            key, numbers = _key(side, page.text[block.start : block.end])
            if key not in counted:
                counted.add(key)
                self._count(key, numbers, page.number)
        if len(self._seen) > _MAX_REMEMBERED:
            self._forget(page.number)

    def furniture_of(self, page: RawPage) -> frozenset[int]:
        """Return the starts of the page's blocks that are furniture."""
        found: set[int] = set()
        open_ends = {"head", "foot"}
        for side, block in _ends(page):
            if side not in open_ends:
                continue
            key, _ = _key(side, page.text[block.start : block.end])
            if self._is_furniture(key):
                found.add(block.start)
            else:
                open_ends.discard(side)
        return frozenset(found)

    def _count(self, key: Key, numbers: tuple[int, ...], page: int) -> None:
        before = self._seen.get(key)
        if before is None:
            self._seen[key] = _Recurrence(1, page, page, numbers)
            return
        if _advances(before.numbers, numbers, page - before.last):
            before.pages += 1
        before.last, before.numbers = page, numbers

    def _is_furniture(self, key: Key) -> bool:
        seen = self._seen.get(key)
        if _COUNTED.match(key[1]) and self._pages > 1:
            return True
        if seen is None or self._pages < _MIN_PAGES:
            return False
        needed = max(_MIN_PAGES, min(_MAX_NEEDED, _NEEDED_SHARE * self._pages))
        return seen.pages >= needed and seen.pages >= _MIN_DENSITY * (seen.last - seen.first + 1)

    def _forget(self, page: int) -> None:
        """Drop what was seen once, long ago: memory must not grow with the pages."""
        self._seen = {
            key: seen for key, seen in self._seen.items() if seen.pages > 1 or seen.last > page - 50
        }


def _ends(page: RawPage) -> Iterator[tuple[str, RawBlock]]:
    """Yield the rows at both ends of a page, from the outside inwards, heads first."""
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


def _key(side: str, text: str) -> tuple[Key, tuple[int, ...]]:
    """Return what makes two rows the same, and the numbers in which they may differ."""
    folded = " ".join(text.casefold().split())
    if roman := _ROMAN.match(folded):
        return (side, "roman"), (_roman_value(roman[1].lower()),)
    numbers = tuple(int(number[:9]) for number in _NUMBER.findall(folded)[:20])
    return (side, _NUMBER.sub("#", folded)), numbers


def _advances(before: tuple[int, ...], now: tuple[int, ...], step: int) -> bool:
    """Tell whether numbers stayed the same or went on with the pages."""
    return len(before) == len(now) and all(
        b - a in (0, step) for a, b in zip(before, now, strict=True)
    )


def _roman_value(text: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
