"""OpenDocument texts: paragraphs, headings, lists, tables, notes, on the pages last laid out.

Owns the structure of text documents; what they share with sheets and slides is in ``odf``. Pages
are counted where the file remembers its last layout, else there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.extract.base import MAX_ITEM_CHARS
from indexer.extract.odf_source import Body, open_odf
from indexer.types import BlockKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.extract.base import Limits
    from indexer.extract.odf_source import OdfSource
    from indexer.extract.page_writer import PageWriter

_INDEXES = frozenset({
    "text:table-of-content", "text:illustration-index", "text:table-index", "text:user-index",
    "text:alphabetical-index", "text:object-index",
})  # fmt: skip
_BELOW_TITLE = 1
_LONG_CELL = 1_000
_MAX_STYLES = 50_000


class _Body(Body):
    """Writes the text of a document."""

    def __init__(self, writer: PageWriter) -> None:
        super().__init__()
        self._writer = writer
        self._titles = {"Title"}
        self._captions = {"Caption", "Illustration", "Table", "Figure", "Drawing"}
        self._lists = 0
        self._indexes = 0
        self._tables: list[list[list[str]]] = []
        self._turns = 0

    def page_count(self) -> int:
        return self._writer.page

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "style:style":
            self._inherit(attributes)
        elif name == "text:soft-page-break":
            self._turns += 1
            if not self.inside_paragraph and not self._tables:
                self._turn()
        elif name == "text:list":
            self._lists += 1
        elif name in _INDEXES:
            self._indexes += 1
        elif name == "table:table":
            self._tables.append([])
        elif name == "table:table-cell" and self._tables:
            self._tables[-1].append([])

    def finish(self, name: str) -> None:
        if name == "text:list":
            self._lists -= 1
        elif name in _INDEXES:
            self._indexes -= 1
        elif name == "table:table-row" and self._tables:
            self._end_row()
        elif name == "table:table" and self._tables:
            self._tables.pop()
            if not self._tables:
                self._writer.end_table()

    def paragraph(self, text: str, level: int, style: str) -> None:
        if self._tables:
            if self._tables[-1]:
                self._tables[-1][-1].append(text)
            return
        kind, level = self._role(text, level, style)
        self._writer.add(text, kind, level)
        if not self.inside_paragraph:
            self._turn()

    def _role(self, text: str, level: int, style: str) -> tuple[BlockKind, int]:
        if self._indexes:
            return BlockKind.FURNITURE, 0
        if style in self._titles:
            return BlockKind.HEADING, 1
        if level:
            return BlockKind.HEADING, level + _BELOW_TITLE
        if style in self._captions:
            return BlockKind.CAPTION, 0
        if self._lists and len(text) <= MAX_ITEM_CHARS:
            return BlockKind.LIST_ITEM, 0
        return BlockKind.PARAGRAPH, 0

    def _inherit(self, attributes: Mapping[str, str]) -> None:
        """Remember what a style of this document alone is derived from."""
        name, parent = attributes.get("style:name", ""), attributes.get("style:parent-style-name")
        for known in (self._titles, self._captions):
            if parent in known and len(known) < _MAX_STYLES:
                known.add(name)

    def _end_row(self) -> None:
        cells = self._tables[-1].copy()
        self._tables[-1].clear()
        if len(self._tables) > 1:
            if self._tables[-2]:
                self._tables[-2][-1] += [text for cell in cells for text in cell]
            return
        if any(sum(map(len, cell)) > _LONG_CELL for cell in cells):
            for text in (text for cell in cells for text in cell):
                self._writer.add(text)
        else:
            self._writer.row([" ".join(cell) for cell in cells])
        self._turn()

    def _turn(self) -> None:
        if self._turns:
            self._writer.turn_to(self._writer.page + self._turns)
            self._turns = 0


def open_source(path: Path, password: str | None, limits: Limits) -> OdfSource:  # noqa: ARG001
    """Open a text document (``indexer.extract.base.Opener``)."""
    return open_odf(path, limits, _Body)
