"""The lines of a PDF page, and its rows in reading order, from MuPDF's page dictionary.

Drawing order is the strongest evidence: it follows the columns of a text and the rows of a table,
which geometry alone cannot distinguish. It is kept while it goes downwards, and the runs between
upward jumps are ordered as a whole. Pure; imports no PDF library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

from msgspec import Struct

from indexer.extract.numerals import lowered, raised
from indexer.extract.pdf.glyphs import lines_of, spans_of
from indexer.ocr.layer import union
from indexer.text.view import without_surrogates

_DOWNWARDS = (0, 1)
FIRST_EAST_ASIAN = "\u2e80"
_OF_TEX = re.compile("[\x0b-\x16\x1b-\x1f]")  # letters in the encodings of TeX's fonts
_NO_SIZE = 2.0  # points, less than any printed letter
_APART = 3  # in type sizes, the most between glyphs of a column
_UPRIGHT = 3  # digits and letters that stand side by side in vertical text
# Superscripts are at most this share of the line's size, and by these shares higher or lower.
_SMALL, _RAISED, _LOWERED = 0.9, 0.1, 0.05
_BOLD_FLAG = 16
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi")


class Line(Struct):
    """A piece of text on one baseline, in points from the upper left corner of the page.

    Attributes:
        size: The type size of most of its characters, in points.
        bold: Whether most of its characters are bold.
        place: Its index among all lines of the page dictionary, including blank ones.
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


def lacks_sizes(content: dict[str, Any]) -> bool:
    """Return whether most of the text of a page has no size."""
    spans = [*spans_of(content)]
    small = [len(span["text"]) for span in spans if span["size"] < _NO_SIZE]
    return bool(small) and 2 * sum(small) > sum(len(span["text"]) for span in spans)


def read_lines(page: dict[str, Any]) -> list[Line]:
    """Return the lines of a page dictionary that are not blank, in drawing order.

    If most text is rotated, the boxes are turned until it runs to the right.
    """
    if _OF_TEX.search("".join([span["text"] for span in spans_of(page)])):
        from indexer.extract.pdf.bitmap_fonts import decode

        decode(page)
    found: list[tuple[Line, tuple[int, int]]] = []
    turns: dict[tuple[int, int], int] = {}
    for place, raw in enumerate(lines_of(page)):
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
    lines = [line for line, _ in found]
    if main == (1, 0) and (stacked := _stacked(lines)):
        for line in stacked:
            _turn(line, _DOWNWARDS, page["width"], page["height"])
        return _touching(stacked)
    if main in ((1, 0), (0, 0)) or (len(turns) > 1 and turns.get((1, 0), 0) * 2 > turns[main]):
        return lines
    for line in lines:
        _turn(line, main, page["width"], page["height"])
    return lines


def _stacked(lines: list[Line]) -> list[Line]:
    """Return in order the lines of vertical text that was drawn glyph by glyph, else none.

    Each ideograph or syllable is then a line, drawn column by column or row by row.
    """
    alone = sum(len(line.text) == 1 and line.text >= FIRST_EAST_ASIAN for line in lines)
    if 2 * alone < len(lines):
        return []
    by_column = sorted(lines, key=lambda line: (-round((line.x0 + line.x1) / line.size), line.y0))
    for ordered in (lines, by_column):
        below = sum(
            len(line.text) <= _UPRIGHT
            and abs(line.x0 + line.x1 - before.x0 - before.x1) < line.size
            and 0.5 * line.size < line.y0 - before.y0 < _APART * line.size
            for before, line in pairwise(ordered)
        )
        if 2 * below > sum(len(line.text) for line in lines):
            return ordered
    return []


def _touching(glyphs: list[Line]) -> list[Line]:
    """Extend each glyph of a turned column to the next, so that no gap parts them."""
    for before, glyph in pairwise(glyphs):
        if 0 < glyph.x0 - before.x0 < _APART * glyph.size:
            before.x1 = glyph.x0
    return glyphs


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
        if raw["dir"] == (1.0, 0.0) and "origin" in spans[0]:  # recognised text has no origin
            text = _with_positions(spans, size)
    if not text.isascii():
        text = without_surrogates(text)
    x0, y0, x1, y1 = raw["bbox"]
    tail = text.rstrip()
    stripped = tail.lstrip()
    skipped, spaced = len(tail) - len(stripped), len(tail) < len(text)
    return Line(x0, y0, x1, y1, stripped, size, bold, skipped=skipped, spaced=spaced)


def _with_positions(spans: list[dict[str, Any]], size: float) -> str:
    """Return the text of a line to the right, with raised and lowered figures."""
    small = _SMALL * size
    if all(span["size"] > small for span in spans):
        return "".join([span["text"] for span in spans])
    base = next(span["origin"][1] for span in spans if span["size"] == size)
    parts = []
    for span in spans:
        text, above = span["text"], base - span["origin"][1]
        if span["size"] <= small and above > _RAISED * size:
            text = raised(text)
        elif span["size"] <= small and above < -_LOWERED * size:
            text = lowered(text)
        parts.append(text)
    return "".join(parts)


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
    elif direction == _DOWNWARDS:  # the right edge of the page is its top
        line.x0, line.y0, line.x1, line.y1 = y0, width - x1, y1, width - x0
    elif direction == (-1, 0):  # upside down
        line.x0, line.y0, line.x1, line.y1 = width - x1, height - y1, width - x0, height - y0


_SHORT_CELL_CHARS = 24
_MIN_ALIGNED_ROWS = 3
_MAX_LONG_SHARE = 0.2
_COLUMNS, _LEAST_FLOWING = 2, 4
_ALIKE = 0.7  # the least width of a column of text, as a share of the other


class TextRow:
    """Lines at one height as cells, which ``finalise`` sorts from left to right.

    ``size`` is the type size of the longest cell, and ``bold`` says whether every cell is bold.
    """

    __slots__ = ("bold", "cells", "characters", "size", "x0", "x1", "y0", "y1")

    def __init__(self, first: Line) -> None:
        self.cells = [first]
        self.x0, self.y0, self.x1, self.y1 = first.x0, first.y0, first.x1, first.y1
        self.size, self.bold, self.characters = first.size, first.bold, len(first.text)

    def add(self, line: Line) -> None:
        self.cells.append(line)
        self.x0, self.y0 = min(self.x0, line.x0), min(self.y0, line.y0)
        self.x1, self.y1 = max(self.x1, line.x1), max(self.y1, line.y1)

    def finalise(self) -> None:
        """Sort the cells, and set size, weight and length from all of them."""
        if len(self.cells) == 1:
            return
        self.cells.sort(key=lambda cell: cell.x0)
        self.size = max(self.cells, key=lambda cell: len(cell.text)).size
        self.bold = all(cell.bold for cell in self.cells if len(cell.text) > 1)
        self.characters = sum([len(cell.text) for cell in self.cells])


@dataclass(slots=True)
class RowRun:
    """Rows that were drawn consecutively without a jump upwards."""

    rows: list[TextRow]
    x0: float = field(init=False)
    y0: float = field(init=False)
    x1: float = field(init=False)
    y1: float = field(init=False)

    def __post_init__(self) -> None:
        boxes = [(row.x0, row.y0, row.x1, row.y1) for row in self.rows]
        self.x0, self.y0, self.x1, self.y1 = union(boxes)


def reading_order(lines: Sequence[Line]) -> list[RowRun]:
    """Arrange lines in drawing order into runs of rows in reading order."""
    return _arrange(_join_columns_of_tables(_runs(_by_column(_rows(lines)))))


def _rows(lines: Sequence[Line]) -> list[TextRow]:
    rows: list[TextRow] = []
    for line in lines:
        if rows and _on_same_row(rows[-1], line):
            rows[-1].add(line)
        else:
            rows.append(TextRow(line))
    for row in rows:
        row.finalise()
    return rows


def _by_column(rows: list[TextRow]) -> list[TextRow]:
    """Put two columns of running text one after the other if they were drawn row by row."""
    ordered: list[TextRow] = []
    at = 0
    while at < len(rows):
        end = at + 1
        if len(rows[at].cells) == _COLUMNS:
            while end < len(rows) and _goes_on(rows[at], rows[end - 1], rows[end]):
                end += 1
        span, at = rows[at:end], end
        if len(span) >= _LEAST_FLOWING:
            middle = span[0].cells[1].x0 - span[0].size
            cells = [cell for row in span for cell in row.cells]
            left = [cell for cell in cells if cell.x0 < middle]
            right = [cell for cell in cells if cell.x0 >= middle]
            if _flow_beside(left, right):
                span = [TextRow(cell) for cell in (*left, *right)]
        ordered += span
    return ordered


def _goes_on(first: TextRow, before: TextRow, row: TextRow) -> bool:
    """Return whether the cells of a row are in the two columns that ``first`` begins."""
    left, right = first.cells
    size = first.size
    if not 0 < row.y1 - before.y1 < 2 * size or abs(row.size - size) > 0.08 * size:
        return False
    places = [
        min(left, right, key=lambda column: abs(column.x0 - cell.x0)).x0 - cell.x0
        for cell in row.cells
    ]
    inside = row.cells[0].x0 > right.x0 - size or row.cells[0].x1 < right.x0
    return inside and len(row.cells) <= _COLUMNS and all(abs(place) < size for place in places)


def _flow_beside(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Return whether lines are two columns of running text of about the same width."""
    if not (_flow(left) and _flow(right)):
        return False
    widths = [median([line.x1 - line.x0 for line in lines]) for lines in (left, right)]
    return min(widths) > _ALIKE * max(widths)


def _flow(lines: Sequence[Line]) -> bool:
    """Return whether lines are running text, in which most sentences go on in the next line."""
    if len(lines) < _LEAST_FLOWING or sum(len(line.text) for line in lines) < 15 * len(lines):
        return False
    goes_on = sum(line.text[0].islower() for line in lines[1:])
    return 2 * goes_on >= len(lines) - 1


def _on_same_row(row: TextRow, line: Line) -> bool:
    """Return whether a line belongs to a row, being at its height and not over its cells."""
    if line.y0 > row.y1:
        return False
    shared = min(row.y1, line.y1) - max(row.y0, line.y0)
    if shared < 0.5 * min(row.y1 - row.y0, line.y1 - line.y0):
        return False
    slack = 0.2 * line.size
    return line.x0 >= row.x1 - slack or line.x1 <= row.x0 + slack


def _runs(rows: list[TextRow]) -> list[RowRun]:
    if not rows:
        return []
    groups = [[rows[0]]]
    for before, row in pairwise(rows):
        if row.y0 < before.y0 - 0.6 * max(row.y1 - row.y0, 1.0):
            groups.append([row])
        else:
            groups[-1].append(row)
    return [RowRun(group) for group in groups]


def _join_columns_of_tables(runs: list[RowRun]) -> list[RowRun]:
    """Join the columns of tables that were drawn column by column."""
    joined = runs[:1]
    for run in runs[1:]:
        if _are_columns_of_one_table(joined[-1], run):
            joined[-1] = RowRun(_merge_rows(joined[-1].rows, run.rows))
        else:
            joined.append(run)
    return joined


def _are_columns_of_one_table(left: RowRun, right: RowRun) -> bool:
    """Return whether most rows of the shorter run are beside a row of the other.

    Columns of prose may be aligned too, but then both rows of most pairs are long.
    """
    fewer = min(len(left.rows), len(right.rows))
    if fewer < _MIN_ALIGNED_ROWS:
        return False
    one_each = all(len(row.cells) == 1 for run in (left, right) for row in run.rows)
    if one_each and _flow_beside(*([row.cells[0] for row in run.rows] for run in (left, right))):
        return False
    aligned = prose = 0
    for row in right.rows:
        near = [other for other in left.rows if abs(row.y1 - other.y1) < 0.3 * row.size]
        if any(row.x0 < other.x1 - 1 and other.x0 < row.x1 - 1 for other in near):
            return False
        aligned += bool(near)
        long_pair = row.characters > _SHORT_CELL_CHARS
        prose += long_pair and any(other.characters > _SHORT_CELL_CHARS for other in near)
    return aligned >= 0.6 * fewer and prose <= _MAX_LONG_SHARE * aligned


def _merge_rows(left: list[TextRow], right: list[TextRow]) -> list[TextRow]:
    merged: list[TextRow] = []
    for row in sorted([*left, *right], key=lambda row: (row.y1, row.x0)):
        if merged and all(_on_same_row(merged[-1], cell) for cell in row.cells):
            for cell in row.cells:
                merged[-1].add(cell)
        else:
            merged.append(row)
    for row in merged:
        row.finalise()
    return merged


def _arrange(runs: list[RowRun]) -> list[RowRun]:
    """Order runs recursively by the gaps between them, horizontal ones first (XY-cut)."""
    if len(runs) < 2:
        return runs
    for low, high in (("y0", "y1"), ("x0", "x1")):
        parts = _split(runs, low, high)
        if len(parts) > 1:
            return [run for part in parts for run in _arrange(part)]
    return runs  # without gaps the drawing order is kept


def _split(runs: list[RowRun], low: str, high: str) -> list[list[RowRun]]:
    """Split runs at gaps along one axis, keeping the drawing order in each part."""
    places = {id(run): place for place, run in enumerate(runs)}
    parts: list[list[RowRun]] = []
    edge = float("-inf")
    for run in sorted(runs, key=lambda run: getattr(run, low)):
        if not parts or getattr(run, low) >= edge - 1.0:
            parts.append([])
        parts[-1].append(run)
        edge = max(edge, getattr(run, high))
    for part in parts:
        part.sort(key=lambda run: places[id(run)])
    return parts
