"""OpenDocument spreadsheets: each sheet a page, its rows the lines of a table.

Owns the structure of sheets; what they share with texts and slides is in ``odf``. Cells say what
they show. A cell or row that claims to be repeated a million times is read once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.extract.docx_styles import number
from indexer.extract.odf_source import Body, open_odf
from indexer.extract.sheets import SheetWriter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.extract.base import Limits
    from indexer.extract.odf_source import OdfSource
    from indexer.extract.page_writer import PageWriter

_MAX_COPIES = 16
_MAX_CELLS = 20_000


class _Book(Body):
    """Writes sheet after sheet."""

    def __init__(self, writer: PageWriter) -> None:
        super().__init__()
        self.number = 0
        self._writer = writer
        self._rows = SheetWriter(writer)
        self._tables = 0
        self._cells: list[str] = []
        self._copies = 1
        self._cell: list[str] | None = None
        self._aside: list[str] = []  # what is drawn on the sheet

    def page_count(self) -> int:
        return max(self.number, 1)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "table:table":
            self._tables += 1
            if self._tables == 1:
                self.number += 1
                if self.number > 1:
                    self._writer.turn_to(self.number)
                self._rows = SheetWriter(self._writer, attributes.get("table:name", ""))
        elif name == "table:table-row":
            self._cells = []
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._cell = []
            copies = number(attributes.get("table:number-columns-repeated", ""), 1)
            self._copies = min(max(copies, 1), _MAX_COPIES)

    def finish(self, name: str) -> None:
        if name in ("table:table-cell", "table:covered-table-cell") and self._cell is not None:
            text, self._cell = " ".join(self._cell), None
            if text and len(self._cells) < _MAX_CELLS:
                self._cells += [text] * self._copies
        elif name == "table:table-row" and self._tables == 1:
            self._rows.row(self._cells)
            self._cells = []
        elif name == "table:table":
            self._tables -= 1
            if not self._tables:
                self._end_sheet()

    def paragraph(self, text: str, level: int, style: str) -> None:  # noqa: ARG002
        if self._cell is not None:
            self._cell.append(text)
        else:
            self._aside.append(text)

    def _end_sheet(self) -> None:
        self._rows.finish()
        for text in self._aside:
            self._writer.add(text)
        self._aside = []


def open_source(path: Path, password: str | None, limits: Limits) -> OdfSource:  # noqa: ARG001
    """Open a spreadsheet (``indexer.extract.base.Opener``)."""
    return open_odf(path, limits, _Book)
