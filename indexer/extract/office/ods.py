"""OpenDocument spreadsheets: each sheet is a page, with its rows as a table.

The text of a cell is its displayed value. Repeated rows are read once, and repeated cells at most
``_MAX_COPIES`` times.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from indexer.extract.office.odf import Body, attribute, open_odf, short, texts
from indexer.extract.office.sheets import SheetWriter
from indexer.extract.office.xml import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.extract.page_writer import PageWriter

_CELLS = frozenset({"table:table-cell", "table:covered-table-cell"})
_MAX_COPIES = 16
_LONG_NUMBER = 20
_SEPARATORS = dict.fromkeys(map(ord, ",.' \xa0\u2009\u202f"))
_MAX_CELLS = 20_000


class _Book(Body):
    """Writes the sheets of a workbook."""

    open = Body.open | {
        "office:spreadsheet", "table:table", "table:table-rows", "table:table-header-rows",
        "table:table-row-group",
    }  # fmt: skip

    def __init__(self, writer: PageWriter) -> None:
        super().__init__(writer)
        self._number = 0
        self._sheet: SheetWriter | None = None
        self._drawn: list[str] = []  # texts of the drawings on the sheet

    def handle(self, piece: Any) -> None:
        name = short(piece.tag)
        if name == "table:table":
            self._opened(piece).finish()
            for text in self._drawn:
                self.writer.add_block(text)
            self._sheet, self._drawn = None, []
        elif name == "table:table-row":
            table = next(piece.iterancestors("{*}table"))
            self._opened(table).add_row(list(_cells(piece)))
        elif name == "table:shapes":
            self._drawn += texts(piece)

    def _opened(self, table: Any) -> SheetWriter:
        """Return the current sheet, begun at its first row or, if it has none, at its end."""
        if self._sheet is None:
            self._number += 1
            self.writer.begin_page(self._number)
            self._sheet = SheetWriter(self.writer, attribute(table, "table:name"))
        return self._sheet


def _cells(row: Any) -> Iterator[str]:
    """Yield the displayed values of a row."""
    count = 0
    for cell in row:
        text = _shown(cell) if short(cell.tag) in _CELLS else ""
        if text and count < _MAX_CELLS:
            copies = whole_number(attribute(cell, "table:number-columns-repeated"), 1)
            copies = min(max(copies, 1), _MAX_COPIES)
            count += copies
            yield from [text] * copies


def _shown(cell: Any) -> str:
    """Return the displayed text of a cell, with its stored date or number if that differs."""
    text = " ".join(texts(cell))
    date = attribute(cell, "office:date-value").removesuffix("T00:00:00").replace("T", " ")
    stored = date or attribute(cell, "office:value")
    figures = text.translate(_SEPARATORS)
    known = stored in text or stored.translate(_SEPARATORS) in figures or len(stored) > _LONG_NUMBER
    shown_as_share = attribute(cell, "office:value-type") == "percentage"
    return text if not text or known or shown_as_share else f"{text} ({stored})"


open_source = partial(open_odf, _Book)
