"""OpenDocument texts: paragraphs, headings, lists, tables, notes.

Pages are those of the last layout if the file has it, else there is one. Heads and feet of
pages are read once, after the text.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS
from indexer.extract.office.odf import (
    DESCRIPTIONS,
    FORMULA,
    PARAGRAPHS,
    SKIPPED,
    Body,
    Positions,
    attribute,
    label,
    open_odf,
    position,
    read_paragraph,
    short,
    texts,
)
from indexer.extract.office.xml import PAGE_NUMBER, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.extract.page_writer import PageWriter

_INDEXES = frozenset({
    "text:table-of-content", "text:illustration-index", "text:table-index", "text:user-index",
    "text:alphabetical-index", "text:object-index",
})  # fmt: skip
_MARGINS = frozenset({
    f"style:{end}{pages}" for end in ("header", "footer") for pages in ("", "-left", "-first")
})  # fmt: skip
_BELOW_TITLE = 1
_LONG_CELL = 1_000
_MAX_STYLES = 50_000


class _Text(Body):
    """Writes the text of a document."""

    open = Body.open | {
        "office:automatic-styles", "office:text", "text:section", "table:table",
        "table:table-rows", "table:table-header-rows", "table:table-row-group",
    }  # fmt: skip

    def __init__(self, writer: PageWriter) -> None:
        super().__init__(writer)
        self._titles = {"Title"}
        self._captions = {"Caption", "Illustration", "Table", "Figure", "Drawing"}
        self._lists = 0
        self._indexes = 0
        self._page_breaks = 0
        self._positions: Positions = {}

    def page_count(self) -> int:
        return self.writer.page

    def handle(self, piece: Any) -> None:
        name = short(piece.tag)
        if name in PARAGRAPHS:
            self._paragraph(piece, name)
            self._break_page()
        elif name == "table:table-row":
            self._row(piece)
            self._break_page()
        elif name == "style:style":
            self._inherit(piece)
            if (found := position(piece)) and len(self._positions) < _MAX_STYLES:
                self._positions[attribute(piece, "style:name")] = found
        elif name == "text:soft-page-break":
            self._page_breaks += 1
            self._break_page()
        elif name in DESCRIPTIONS or name == FORMULA:
            self.writer.add(label(piece))
        elif name not in SKIPPED:
            self._lists += name == "text:list"
            self._indexes += name in _INDEXES
            for child in piece:
                self.handle(child)
            self._lists -= name == "text:list"
            self._indexes -= name in _INDEXES
            if name == "table:table":
                self.writer.end_table()

    def finish(self, styles: Iterator[Any]) -> None:
        seen: set[str] = set()
        for piece in styles:
            if short(piece.tag) in _MARGINS:
                numbered = next(piece.iter("{*}page-number"), None) is not None
                for text in texts(piece):
                    if text not in seen and not (numbered and PAGE_NUMBER.match(text)):
                        seen.add(text)
                        self.writer.add(text, BlockKind.BOILERPLATE)

    def _paragraph(self, element: Any, name: str) -> None:
        found = read_paragraph(element, self._positions)
        for drawn in found.drawn:
            self.handle(drawn)
        outline = attribute(element, "text:outline-level")
        level = whole_number(outline, 1) if name == "text:h" else 0
        self._write(found.text, level, attribute(element, "text:style-name"))
        for note in found.notes:
            self._write(note, 0, "")
        self._page_breaks += found.page_breaks

    def _write(self, text: str, level: int, style: str) -> None:
        if self._indexes:
            self.writer.add(text, BlockKind.FURNITURE)
        elif style in self._titles:
            self.writer.add(text, BlockKind.HEADING, 1)
        elif level:
            self.writer.add(text, BlockKind.HEADING, level + _BELOW_TITLE)
        elif style in self._captions:
            self.writer.add(text, BlockKind.CAPTION)
        elif self._lists and len(text) <= MAX_ITEM_CHARS:
            self.writer.add(text, BlockKind.LIST_ITEM)
        else:
            self.writer.add(text)

    def _inherit(self, style: Any) -> None:
        """Note automatic styles that are derived from those of titles and captions."""
        for known in (self._titles, self._captions):
            if attribute(style, "style:parent-style-name") in known and len(known) < _MAX_STYLES:
                known.add(attribute(style, "style:name"))

    def _row(self, row: Any) -> None:
        """Write a row; a nested table is text of its cell."""
        cells = [
            list(texts(cell, self._positions))
            for cell in row
            if short(cell.tag) == "table:table-cell"
        ]
        if any(sum(map(len, cell)) > _LONG_CELL for cell in cells):
            for text in (text for cell in cells for text in cell):
                self.writer.add(text)
        else:
            self.writer.row([" ".join(cell) for cell in cells])
        self._page_breaks += sum(1 for _ in row.iter("{*}soft-page-break"))

    def _break_page(self) -> None:
        if self._page_breaks:
            self.writer.begin_page(self.writer.page + self._page_breaks)
            self._page_breaks = 0


open_source = partial(open_odf, _Text)
