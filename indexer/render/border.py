"""Checks a reader's answer about a document that is shown.

A hostile document may control its reader. The window makes lists, images and places from the
answers, so they must fit the request and be within bounds.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Any

from indexer.api.pages import (
    FindWords,
    FoundWords,
    GetMarks,
    GetSizes,
    GetText,
    Opened,
    OpenedPages,
    PageImage,
    PageLetters,
    PageRequest,
    PageSizes,
    PassageMarks,
    TextPart,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from indexer.api.pages import MarkBox, Size

# Limits above the pages and bookmarks of any real document, and the letters and boxes of a page.
_MOST_PAGES, _MOST_ENTRIES = 1 << 20, 100_000
_MOST_LETTERS, _MOST_BOXES = 1 << 19, 5_000
# A limit above the characters of a title, a page label, or the start of a line.
_MOST_NAME = 10_000
_MOST_NUMBER, _MOST_LEVEL = 2**31 - 1, 1_000
_MOST_POINTS = 1e7


def fits(request: PageRequest[Any], answer: object, data: bytes) -> bool:
    """Return whether an answer of the right type may be passed on."""
    match answer:
        case Opened(modified_ns=modified, pages=pages):
            return modified >= 0 and (pages is None or _are_pages(pages))
        case PageSizes(first, sizes):
            if not isinstance(request, GetSizes) or max(request.first, 1) != first:
                return False
            return len(sizes) <= request.count and all(map(_is_size, sizes))
        case PageImage(columns, height, top, rows, stride):
            within = min(columns, top, rows) >= 0 and top + rows <= height <= _MOST_NUMBER
            return within and 3 * columns <= stride <= _MOST_NUMBER and rows * stride <= len(data)
        case PassageMarks(found, _, spans, margin):
            asked = isinstance(request, GetMarks) and (not found or bool(spans))
            return asked and 0 <= margin <= _MOST_POINTS and _are_boxes(spans)
        case PageLetters(text):
            finite = math.isfinite(sum(array("f", data[: len(data) // 4 * 4])))
            return finite and len(text) <= _MOST_LETTERS
        case FoundWords(page, spans, texts):
            # The window continues after this page, up to the last one.
            onward = isinstance(request, FindWords) and request.page <= page <= _MOST_PAGES
            return onward and len(texts) == len(spans) and _are_boxes(spans)
        case TextPart():
            return isinstance(request, GetText) and _is_text(request, answer, data)
        case tuple():  # an outline
            numbers = all(
                0 <= entry.level <= _MOST_LEVEL
                and 0 <= entry.page <= _MOST_PAGES
                and len(entry.title) <= _MOST_NAME
                for entry in answer
            )
            return numbers and len(answer) <= _MOST_ENTRIES
    return True


def _is_text(request: GetText, part: TextPart, data: bytes) -> bool:
    # The requested text, from the start of its first line.
    most = max(request.end - max(request.start, 0), 0) + 2 * max(request.room, 0) + _MOST_NAME
    places = [part.offset, *part.pages]
    for block in part.blocks:
        places += (block.start, block.end)
    return (
        max(len(data) / 4, len(part.blocks), len(part.pages)) <= most
        and all(0 <= block.level <= _MOST_LEVEL for block in part.blocks)
        and all(0 <= at <= _MOST_NUMBER for at in places)
    )


def _are_pages(pages: OpenedPages) -> bool:
    return (
        0 < pages.page <= pages.count <= _MOST_PAGES
        and len(pages.sizes) <= pages.count
        and len(pages.labels) <= pages.count
        and max(map(len, pages.labels), default=0) <= _MOST_NAME
        and all(map(_is_size, (pages.size, *pages.sizes)))
    )


def _is_size(size: Size) -> bool:
    return all(0 <= side <= _MOST_POINTS for side in size)


def _are_boxes(spans: Collection[Collection[MarkBox]]) -> bool:
    return max(len(spans), sum(map(len, spans))) <= _MOST_BOXES and all(
        0 <= box.page <= _MOST_PAGES
        and all(abs(side) <= _MOST_POINTS for side in (box.x0, box.y0, box.x1, box.y1))
        for span in spans
        for box in span
    )
