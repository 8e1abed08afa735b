"""The lines of a PDF page, with their boxes and styles, from MuPDF's page dictionary.

It must not know reading order or blocks, and imports no PDF library.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from indexer.extract.plain.decode import without_surrogates

_BOLD_FLAG = 16
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi")


@dataclass(slots=True)
class Line:
    """A piece of text on one baseline, in points from the upper left corner of the page.

    Attributes:
        size: The type size of most of its characters, in points.
        bold: Whether most of its characters are bold.
        place: Its index among all lines of the page dictionary, blank ones too.
        skipped: The number of blanks before its text in the dictionary.
        spaced: Whether blanks followed its text.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    bold: bool
    place: int = -1
    skipped: int = 0
    spaced: bool = False

    @property
    def height(self) -> float:
        return self.y1 - self.y0


def read_lines(page: dict[str, Any]) -> list[Line]:
    """Return the lines of a page dictionary that are not blank, in drawing order.

    If most text is rotated, the boxes are turned until it runs to the right.
    """
    found: list[tuple[Line, tuple[int, int]]] = []
    turns: dict[tuple[int, int], int] = {}
    place = -1
    for block in page["blocks"]:
        for raw in block.get("lines", ()):
            place += 1
            line = _line(raw)
            if line is None:
                continue
            line.place = place
            across, down = raw["dir"]
            direction = (round(across), round(down))
            turns[direction] = turns.get(direction, 0) + len(line.text)
            found.append((line, direction))
    if not found:
        return []
    main = max(turns, key=lambda direction: turns[direction])
    if main in ((1, 0), (0, 0)) or (len(turns) > 1 and turns.get((1, 0), 0) * 2 > turns[main]):
        return [line for line, _ in found]
    for line, _ in found:
        _turn(line, main, page["width"], page["height"])
    return [line for line, _ in found]


def _line(raw: dict[str, Any]) -> Line | None:
    spans = raw["spans"]
    if len(spans) == 1:
        span = spans[0]
        text = span["text"]
        if text.isspace() or not text:
            return None
        size, bold = span["size"], _is_bold(span)
    else:
        text = "".join([span["text"] for span in spans])
        if text.isspace() or not text:
            return None
        size, bold = _main_style(spans)
    if not text.isascii():
        text = without_surrogates(text)
    x0, y0, x1, y1 = raw["bbox"]
    tail = text.rstrip()
    stripped = tail.lstrip()
    skipped, spaced = len(tail) - len(stripped), len(tail) < len(text)
    return Line(x0, y0, x1, y1, stripped, size, bold, skipped=skipped, spaced=spaced)


def _main_style(spans: list[dict[str, Any]]) -> tuple[float, bool]:
    sizes: dict[float, int] = {}
    bold = total = 0
    for span in spans:
        count = len(span["text"].strip())
        sizes[span["size"]] = sizes.get(span["size"], 0) + count
        total += count
        if _is_bold(span):
            bold += count
    return max(sizes, key=lambda size: sizes[size]), bold * 2 > total


def _is_bold(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & _BOLD_FLAG) or _is_bold_name(span["font"])


@lru_cache(maxsize=1024)
def _is_bold_name(font: str) -> bool:
    name = font.lower()
    return any(part in name for part in _BOLD_NAMES)


def _turn(line: Line, direction: tuple[int, int], width: float, height: float) -> None:
    """Turn the box of a line so that text in a direction runs to the right."""
    x0, y0, x1, y1 = line.x0, line.y0, line.x1, line.y1
    if direction == (0, -1):  # upwards: the left edge of the page is its top
        line.x0, line.y0, line.x1, line.y1 = height - y1, x0, height - y0, x1
    elif direction == (0, 1):  # downwards: the right edge is its top
        line.x0, line.y0, line.x1, line.y1 = y0, width - x1, y1, width - x0
    elif direction == (-1, 0):  # upside down
        line.x0, line.y0, line.x1, line.y1 = width - x1, height - y1, width - x0, height - y0
