"""Builds the text and the blocks of a page (paragraphs, lists, tables, captions) from its rows.

Furniture and headings are detected later, over the whole document
(``indexer.extract.structure``). Pure; imports no PDF library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS, BlockStyle, RawBlock
from indexer.extract.pdf.glyphs import runs_to_the_left
from indexer.extract.pdf.lines import Line, TextRow, reading_order
from indexer.extract.structure.headings import EDGE_ROWS

_BULLET = r"[•◦▪■●○‣⁃]"
_MARKER = r"[·–—*o§-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,5})[.)]"
_LIST_ITEM = re.compile(rf"{_BULLET}\s*\S|(?:{_MARKER})\s+\S")
# "1.2 Standard of Service." begins a clause; "3.5 million" does not.
_CLAUSE = re.compile(
    r"(?:Section\s+)?\d{1,2}(?:\.\s?\d{1,2}){1,4}\.?\s+[\"“]?[A-Z]|(?:ARTICLE|Article)\s+[IVXL\d]+\b"
)
_ONLY_MARKER = re.compile(rf"(?:{_BULLET}|{_MARKER})$")
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|chart|exhibit|plate|abbildung|tabelle)\s*\d[\w.:-]*", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’)\]]*$")
_OPENERS = tuple("$€£¥(")
_CLOSERS = re.compile(r"[)%]+$")
_CELL_CHARS = 80
_LABEL_CHARS = 130  # in the label of a row, on its own line
_BESIDE_ROWS = 3  # rows from a cell to another at its height, as cells may have several lines
_INNER = 0.25  # share of the text's width for the first column
_CELL_GAP = 1.2  # in type sizes, wider than a space between words
_LEADING = (0.9, 3.2)  # the range of plausible line distances, in type sizes
_USUAL_LEADING = 1.25


def lay_out(lines: Sequence[Line], height: float) -> tuple[str, list[RawBlock]]:
    """Return a page's text, in reading order, and its blocks.

    ``lines`` are in drawing order, and ``height`` is the page's in points.
    """
    runs = reading_order(lines)
    rows = [row for run in runs for row in run.rows]
    if not rows:
        return "", []
    texts = [row_text(row) for row in rows]
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1)
    edges = _edge_rows(rows)
    blocks = []
    for first, last, kind in _blocks(rows, texts):
        for piece_first, piece_last in _pieces(first, last, edges):
            style = _style(rows[piece_first:piece_last], height)
            end = starts[piece_last] - 1
            split_off = piece_first > first
            blocks.append(RawBlock(starts[piece_first], end, kind, 0, style, split_off))
    return "\n".join(texts), blocks


def placements(lines: Sequence[Line]) -> list[tuple[int, Line]]:
    """Return the lines with their offsets in the text that ``lay_out`` returns."""
    found = []
    position = 0
    for run in reading_order(lines):
        for row in run.rows:
            for joint, cell in _joined(row):
                position += len(joint)
                found.append((position, cell))
                position += len(cell.text)
            position += 1
    return found


def row_text(row: TextRow) -> str:
    """Return the text of a row: tabs between cells, but no gap from a currency sign to a sum."""
    if len(row.cells) == 1:
        return row.cells[0].text
    return "".join([joint + cell.text for joint, cell in _joined(row)])


def _joined(row: TextRow) -> Iterator[tuple[str, Line]]:
    """Yield the cells of a row as they are read, each with the separator before it."""
    to_the_left = runs_to_the_left("".join([cell.text for cell in row.cells]))
    cells = row.cells[::-1] if to_the_left else row.cells
    yield "", cells[0]
    for before, cell in pairwise(cells):
        gap = before.x0 - cell.x1 if to_the_left else cell.x0 - before.x1
        touches = gap < 0.1 * cell.size and not (before.spaced or cell.skipped)
        if touches or before.text.endswith(_OPENERS) or _CLOSERS.match(cell.text):
            yield "", cell
        else:
            yield "\t" if gap > _CELL_GAP * cell.size else " ", cell


def _edge_rows(rows: list[TextRow]) -> set[int]:
    """Return the rows that may be running heads or feet: the outermost ones, at any height.

    On a page that ends early the foot may follow the last line.
    """
    order = sorted(range(len(rows)), key=lambda i: rows[i].y0)
    return {*order[:EDGE_ROWS], *order[-EDGE_ROWS:]}


def _pieces(first: int, last: int, edges: set[int]) -> list[tuple[int, int]]:
    """Split a block at rows that may be furniture."""
    cuts = [i for i in range(first + 1, last) if i in edges or i - 1 in edges]
    return list(zip([first, *cuts], [*cuts, last], strict=True))


def _style(rows: list[TextRow], height: float) -> BlockStyle:
    size = rows[0].size if len(rows) == 1 else median([row.size for row in rows])
    top, bottom = min(row.y0 for row in rows), max(row.y1 for row in rows)
    return BlockStyle(size, all(row.bold for row in rows), top / height, bottom / height)


def _blocks(rows: list[TextRow], texts: list[str]) -> list[tuple[int, int, BlockKind]]:
    """Split the rows into blocks, each with its first row, the row after its last, and its kind."""
    tables = _table_rows(rows, texts)
    leading = _typical_leading(rows, texts)
    found = []
    first = 0
    for i in range(1, len(rows) + 1):
        if i < len(rows) and not _breaks(rows, texts, (first, i), tables, leading):
            continue
        found.append((first, i, BlockKind.TABLE if tables[first] else _kind(texts[first:i])))
        first = i
    return found


def _kind(lines: list[str]) -> BlockKind:
    text = lines[0]
    if _LIST_ITEM.match(text):
        long = sum(map(len, lines)) > MAX_ITEM_CHARS
        return BlockKind.PARAGRAPH if long else BlockKind.LIST_ITEM
    if len(text) < 200 and _CAPTION.match(text):
        return BlockKind.CAPTION
    return BlockKind.PARAGRAPH


def _table_rows(rows: list[TextRow], texts: list[str]) -> list[bool]:
    """Return which rows belong to tables, as rows of cells, rows between these, or column heads."""
    inside = [False] * len(rows)
    margin = min(row.x0 for row in rows) + _INNER * max(row.x1 for row in rows)
    known = [i for i in range(len(rows)) if _is_tabular(rows, texts, i)]
    for here, there in pairwise(known):
        between = range(here + 1, there)
        inner = all(rows[i].x0 > margin for i in between)
        if len(between) > (8 if inner else 2) or not _is_continuous(rows[here : there + 1]):
            continue
        if all(len(texts[i]) <= _LABEL_CHARS for i in between):
            inside[here : there + 1] = [True] * (there - here + 1)
    for i in range(len(rows) - 2, -1, -1):  # column heads are above a table, off the margin
        head = inside[i + 1] and not inside[i] and rows[i].x0 > margin
        if head and len(texts[i]) <= _CELL_CHARS and _is_continuous(rows[i : i + 2]):
            inside[i] = not _SENTENCE_END.search(texts[i])
    return inside


def _is_tabular(rows: list[TextRow], texts: list[str], i: int) -> bool:
    """Return whether a row has several cells, or is a cell beside another row."""
    first, tab, _ = texts[i].partition("\t")
    if tab:
        return not _ONLY_MARKER.match(first)
    if len(texts[i]) > _CELL_CHARS:
        return False
    return any(
        k != i and len(texts[k]) <= 2 * _CELL_CHARS and _overlap(rows[i], rows[k])
        for k in range(max(i - _BESIDE_ROWS, 0), min(i + _BESIDE_ROWS + 1, len(rows)))
    )


def _overlap(row: TextRow, other: TextRow) -> bool:
    """Return whether rows are at one height with a gap between them (parts of formulas touch)."""
    if max(row.x0 - other.x1, other.x0 - row.x1) <= 0.8 * row.size:
        return False  # true of most rows, which are below each other
    shared = min(row.y1, other.y1) - max(row.y0, other.y0)
    return shared > 0.5 * min(row.y1 - row.y0, other.y1 - other.y0)


def _is_continuous(rows: list[TextRow]) -> bool:
    """Return whether rows are adjacent, allowing for cells of several lines."""
    return all(
        -8 * row.size < row.y0 - before.y1 < 3.0 * row.size for before, row in pairwise(rows)
    )


def _typical_leading(rows: list[TextRow], texts: list[str]) -> float:
    """Return the median distance between two lines of a paragraph, in type sizes.

    Only long lines that do not end a sentence count, as lines of double-spaced text may be as far
    apart as paragraphs elsewhere.
    """
    low, high = _LEADING
    full = 0.8 * max(row.x1 for row in rows)
    found = [
        distance
        for before, row, text in zip(rows, rows[1:], texts, strict=False)
        if low <= (distance := (row.y1 - before.y1) / max(row.size, 1.0)) <= high
        and before.x1 > full
        and not _SENTENCE_END.search(text)
    ]
    return median(found) if found else _USUAL_LEADING


def _breaks(
    rows: list[TextRow], texts: list[str], span: tuple[int, int], tables: list[bool], leading: float
) -> bool:
    """Return whether the block that began at row ``span[0]`` ends before row ``span[1]``."""
    first, i = span
    before, row = rows[i - 1], rows[i]
    if tables[i] != tables[i - 1]:
        return True
    if tables[i]:
        return not _is_continuous([before, row])
    step = row.y1 - before.y1
    if step < -0.5 * row.size or step > max(1.25 * leading, leading + 0.25) * row.size:
        return True
    if abs(row.size - before.size) > 0.08 * before.size or row.bold != before.bold:
        return True
    if any(begins.match(texts[i]) for begins in (_LIST_ITEM, _ONLY_MARKER, _CLAUSE)):
        return True
    if _LIST_ITEM.match(texts[first]):
        return _is_past_item(rows, texts, first, i)
    return _is_indented(rows, texts, first, i)


def _is_past_item(rows: list[TextRow], texts: list[str], first: int, i: int) -> bool:
    """Return whether a row begins left of the text of the list item before it."""
    item = rows[first]
    if i - first > 1:
        hang = rows[i - 1].x0
    elif len(item.cells) > 1:
        hang = item.cells[1].x0
    else:
        return False
    back = hang - rows[i].x0 > 0.7 * item.size
    return back and bool(_SENTENCE_END.search(texts[i - 1]))


def _is_indented(rows: list[TextRow], texts: list[str], first: int, i: int) -> bool:
    """Return whether a row begins a paragraph by its indentation."""
    if i - first < 2 and rows[first].x0 > rows[i].x0:
        return False
    step = rows[i].x0 - rows[i - 1].x0
    return 0.8 * rows[i].size < step < 5 * rows[i].size and bool(_SENTENCE_END.search(texts[i - 1]))
