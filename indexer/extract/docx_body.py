"""The text of a Word document's parts, as a person who reads it sees it.

Owns what the elements of WordprocessingML mean. Deletions, moved-away text, hidden text, codes of
fields and what is only there for old programs are left out; text boxes, the results of fields,
footnotes, endnotes and comments are found, right after the paragraph they belong to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.extract.docx_styles import Numbering, Role, Styles, heading, number
from indexer.types import BlockKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.extract.page_writer import PageWriter

# Text that is struck out, moved elsewhere, written for old programs, or the reading of a sign.
# Properties as they were before a change are no properties.
_SKIPPED = frozenset({
    "del", "moveFrom", "Fallback", "rt", "instrText", "delText", "docPr", "pPrChange", "rPrChange",
    "tblPrChange", "sectPrChange", "numberingChange",
})  # fmt: skip
_SIGNS = {
    "tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011",
    "softHyphen": "\xad",
}  # fmt: skip
_LONG_CELL = 1_000  # characters; such a cell is a page laid out by a table


@dataclass(slots=True)
class _Paragraph:
    """A paragraph under way."""

    parts: list[str] = field(default_factory=list)
    style: str = ""
    outline: int = -1
    numbering: str = ""
    depth: int = -1
    notes: list[tuple[str, str]] = field(default_factory=list)
    hidden: bool = False


@dataclass(slots=True)
class _Table:
    """The row of a table under way: its cells, each a list of blocks."""

    cells: list[list[tuple[str, Role]]] = field(default_factory=list)


class Body:
    """Writes the text of a part.

    Args:
        writer: Where the text goes.
        styles: The document's styles.
        numbering: Its lists.
        notes: The text of its notes and comments by kind and identifier.
    """

    def __init__(
        self,
        writer: PageWriter,
        styles: Styles,
        numbering: Numbering,
        notes: Mapping[tuple[str, str], str],
    ) -> None:
        self._writer = writer
        self._styles = styles
        self._numbering = numbering
        self._notes = notes
        self._open: list[_Paragraph] = []
        self._tables: list[_Table] = []
        self._skipping = 0
        self._texts = 0
        self._turns = 0  # new pages that begin after the paragraph or row under way

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipping or name in _SKIPPED:
            self._skipping += 1
            return
        if name == "p":
            self._open.append(_Paragraph())
        elif name == "tbl":
            self._tables.append(_Table())
        elif name == "tc" and self._tables:
            self._tables[-1].cells.append([])
        elif name == "lastRenderedPageBreak":
            self._break_page()
        elif self._open:
            self._inside(self._open[-1], name, attributes)

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif name == "t":
            self._texts -= 1
        elif name == "r" and self._open:
            self._open[-1].hidden = False
        elif name == "p" and self._open:
            self._end_paragraph(self._open.pop())
        elif name == "tr" and self._tables:
            self._end_row(self._tables[-1])
        elif name == "tbl" and self._tables:
            self._tables.pop()
            if not self._tables:
                self._writer.end_table()

    def text(self, data: str) -> None:
        if self._texts and not self._skipping and self._open and not self._open[-1].hidden:
            self._open[-1].parts.append(data)

    def _inside(self, paragraph: _Paragraph, name: str, attributes: Mapping[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "t":
            self._texts += 1
        elif name in _SIGNS and "pos" not in attributes:  # else the place of a tab stop
            paragraph.parts.append(_SIGNS[name])
        elif name == "pStyle":
            paragraph.style = value
        elif name == "outlineLvl":
            paragraph.outline = number(value)
        elif name == "numId":
            paragraph.numbering = value
        elif name == "ilvl":
            paragraph.depth = number(value)
        elif name == "vanish":
            paragraph.hidden = value not in ("0", "false", "off")
        elif name in ("footnoteReference", "endnoteReference", "commentReference"):
            kind = name.removesuffix("Reference")
            paragraph.notes.append((kind, attributes.get("id", "")))

    def _break_page(self) -> None:
        """Note where Word last began a new page; a paragraph belongs to the one it begins on."""
        if self._tables:
            self._turns = 1  # each cell of the row says so
            return
        self._turns += 1
        if not any(part.strip() for paragraph in self._open for part in paragraph.parts):
            self._turn()

    def _turn(self) -> None:
        if self._turns:
            self._writer.turn_to(self._writer.page + self._turns)
            self._turns = 0

    def _end_paragraph(self, paragraph: _Paragraph) -> None:
        text = "".join(paragraph.parts).strip()
        role = self._styles.role(paragraph.style)
        if 0 <= paragraph.outline < 9 and role.kind is BlockKind.PARAGRAPH:
            role = heading(paragraph.outline)
        numbering = paragraph.numbering or role.numbering
        if text and numbering not in ("", "0"):
            depth = paragraph.depth if paragraph.depth >= 0 else role.depth
            label = self._numbering.label(numbering, depth)
            text = f"{label} {text}" if label else text
            if role.kind is BlockKind.PARAGRAPH:
                role = Role(BlockKind.LIST_ITEM)
        self._put(text, role)
        for note in paragraph.notes:
            self._put(self._notes.get(note, ""), Role())
        if not self._tables and not self._open:
            self._turn()

    def _put(self, text: str, role: Role) -> None:
        if not text:
            return
        if not self._tables:
            self._writer.add(text, role.kind, role.level)
        elif self._tables[-1].cells:
            self._tables[-1].cells[-1].append((text, role))

    def _end_row(self, table: _Table) -> None:
        cells, table.cells = table.cells, []
        if len(self._tables) > 1:  # a table in a table: its text belongs to the cell around it
            outer = self._tables[-2].cells
            if outer:
                outer[-1] += [block for cell in cells for block in cell]
            return
        filled = [cell for cell in cells if cell]
        sizes = [sum(len(text) for text, _ in cell) for cell in filled]
        laid_out = max(sizes, default=0) > _LONG_CELL or (
            len(cells) == 1 and len(filled) == 1 and len(filled[0]) > 1
        )
        if laid_out:
            for cell in filled:
                for text, role in cell:
                    self._writer.add(text, role.kind, role.level)
        else:
            self._writer.row([" ".join(text for text, _ in cell) for cell in filled])
        self._turn()


class Notes:
    """Collects footnotes, endnotes and comments: their text by kind and identifier.

    Args:
        kind: ``footnote``, ``endnote`` or ``comment``, the name of their elements.
        found: Filled with them.
    """

    def __init__(self, kind: str, found: dict[tuple[str, str], str]) -> None:
        self._kind = kind
        self._found = found
        self._parts: list[str] = []
        self._identifier = ""
        self._skipping = 0
        self._texts = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipping or name in _SKIPPED:
            self._skipping += 1
        elif name == self._kind:
            # Word's own lines above the notes have a type; what a person wrote has none.
            own = attributes.get("type", "normal") == "normal"
            self._identifier = attributes.get("id", "") if own else ""
            self._parts = []
        elif name == "t":
            self._texts += 1
        elif name in _SIGNS:
            self._parts.append(_SIGNS[name])

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif name == "t":
            self._texts -= 1
        elif name == "p":
            self._parts.append("\n")
        elif name == self._kind and self._identifier:
            self._found[self._kind, self._identifier] = "".join(self._parts).strip()

    def text(self, data: str) -> None:
        if self._texts and not self._skipping:
            self._parts.append(data)
