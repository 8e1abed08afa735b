"""Finds a passage in the text of its pages.

Owns mapping a passage's text to offsets in single pages, without any library. The index
has a passage's offset in its whole document; to use that, every page before it would
have to be read. The text itself is nearly always unique on its page, and finding it verifies
that the page still has the indexed text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.extract.document import PAGE_JOINT

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Slice:
    """A range of one page's own text."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """The text of a passage found on neighbouring pages: where, and whether only there."""

    offset: int  # in the text of the pages, joined
    unique: bool


def find_text(pages: Sequence[str], text: str, expected: int | None = None) -> Anchor | None:
    """Find a passage on its pages.

    Args:
        pages: The text of its first page and of those after it that it may reach into.
        text: The passage; it begins on the first of the pages.
        expected: Its offset in the first page's text, if known.

    Returns:
        The place nearest to what was expected, else the first one; ``None`` if there is none.
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
    """Part a range of neighbouring pages' joined text into one range a page.

    Args:
        pages: The texts of the pages.
        first: The number of the first of them.
        start: First code point of the range in the joined text.
        end: The one after its last.
    """
    found = []
    offset = 0
    for number, text in enumerate(pages, first):
        low, high = max(start - offset, 0), min(end - offset, len(text))
        if low < high:
            found.append(Slice(number, low, high))
        offset += len(text) + len(PAGE_JOINT)
    return found
