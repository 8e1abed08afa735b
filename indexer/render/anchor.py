"""Finds a passage in the text of its pages.

The index has the offset of a passage in its document, but to convert it to an offset in a page all
pages before would have to be read. The text is nearly always unique on its page, and finding it
verifies that the page still has the indexed text. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.extract.document import PAGE_JOINT

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Slice:
    """A range of the text of one page."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a passage was found on consecutive pages."""

    offset: int  # in the joined text of the pages
    unique: bool  # it occurs once, or its offset was known


def find_text(pages: Sequence[str], text: str, expected: int | None = None) -> Anchor | None:
    """Find a passage on its pages.

    Args:
        pages: The texts of its first page and of the following ones that it may extend to.
        text: The passage; it begins on the first of the pages.
        expected: Its offset in the text of the first page, if known.

    Returns:
        The occurrence nearest to ``expected``, else the first one; ``None`` if there is none.
    """
    whole = PAGE_JOINT.join(pages)
    if not text or not pages:
        return None
    places = []
    at = whole.find(text)
    while 0 <= at <= len(pages[0]):
        places.append(at)
        at = whole.find(text, at + 1)
    if not places:
        return None
    chosen = places[0] if expected is None else min(places, key=lambda at: abs(at - expected))
    return Anchor(chosen, unique=len(places) == 1 or expected is not None)


def slices(pages: Sequence[str], first: int, start: int, end: int) -> list[Slice]:
    """Split a range of the joined text of pages into ranges of single pages.

    Args:
        pages: The texts of consecutive pages.
        first: The number of the first page.
        start: Offset of the range in the joined text, in code points.
        end: Its end.
    """
    found = []
    offset = 0
    for number, text in enumerate(pages, first):
        low, high = max(start - offset, 0), min(end - offset, len(text))
        if low < high:
            found.append(Slice(number, low, high))
        offset += len(text) + len(PAGE_JOINT)
    return found
