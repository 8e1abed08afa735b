"""Scanned pages with a little real text on them: a page number, a stamp, a line about a download.

The text of such a page is in its picture. It is recognised, and the real text is kept. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.ocr.layer import RecognisedLine, transformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.ocr.layer import Box, Matrix

MOST_CHARS = 600
_PICTURES = frozenset({"fill-image", "fill-imgmask"})
_TEXTS = frozenset({"fill-text", "stroke-text", "clip-text"})
_HIDDEN = "ignore-text"  # that of an earlier recognition
_LEAST_PICTURE, _MOST_TEXT = 0.6, 0.12  # shares of the page


def is_stamped(drawn: Iterable[tuple[Any, ...]], page: Box) -> bool:
    """Return whether a picture fills a page, and little text was drawn over it.

    Text below a picture is what somebody recognised on it.

    Args:
        drawn: The kind and the box of everything on the page, in drawing order.
        page: The box of the page.
    """
    area = _shared(page, page)
    pictured = written = 0.0
    for kind, box, *_ in drawn:
        if kind in _PICTURES:
            pictured += _shared(box, page)
        elif kind == _HIDDEN or (kind in _TEXTS and pictured < _LEAST_PICTURE * area):
            return False
        elif kind in _TEXTS:
            written += _shared(box, page)
    return pictured >= _LEAST_PICTURE * area and written <= _MOST_TEXT * area


def beside(
    lines: Sequence[RecognisedLine], own: dict[str, Any], matrix: Matrix
) -> list[RecognisedLine]:
    """Return recognised lines without the words at the places of a page's own lines.

    ``own`` is the page dictionary, ``matrix`` transforms its points to those of the page as shown.
    """
    boxes = [
        transformed(line["bbox"], matrix)
        for block in own["blocks"]
        for line in block.get("lines", ())
        if any(span["text"].strip() for span in line["spans"])
    ]
    found = []
    for line in lines:
        words = [word for word in line.words if not any(_covers(box, word.box) for box in boxes)]
        if words:
            found.append(RecognisedLine(tuple(words), line.size, line.turn))
    return found


def _covers(box: Box, word: Box) -> bool:
    """Return whether a box has the middle of a word."""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _shared(box: Box, page: Box) -> float:
    width = min(box[2], page[2]) - max(box[0], page[0])
    height = min(box[3], page[3]) - max(box[1], page[1])
    return max(width, 0.0) * max(height, 0.0)
