"""The text of a Word document, as a person who reads it sees it.

Owns what the elements inside a paragraph mean. The library's own text of a paragraph leaves out
insertions that are still marked, content controls, text boxes, notes and formulas, keeps what is
hidden, and takes 28 s for 16,000 paragraphs that are read here in 0.4 s; so the text is read from
the elements that the library holds. Deletions, moved-away text, hidden text, codes of fields and
what is only there for old programs are left out; text boxes stand before the paragraph they hang
on, notes and comments after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.api.types import BlockKind
from indexer.extract.office.docx_styles import Numbering, Role, Styles
from indexer.extract.office.ooxml_parts import attribute, local

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.extract.page_writer import PageWriter

# Text that is struck out, moved elsewhere, written for old programs, or the reading of a sign;
# properties, which have names but no text.
_SKIPPED = frozenset({
    "del", "moveFrom", "Fallback", "rt", "instrText", "delText", "docPr", "pPr", "rPr", "sdtPr",
})  # fmt: skip
_SIGNS = {
    "tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011",
    "softHyphen": "\xad",
}  # fmt: skip
_REFERENCES = {"footnoteReference", "endnoteReference", "commentReference"}
_OFF = ("0", "false", "off")
_LONG_CELL = 1_000  # characters; such a cell is a page laid out by a table


@dataclass(slots=True)
class Paragraph:
    """What stands in a paragraph, and what hangs on it."""

    parts: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    turns_before: int = 0  # where Word last began new pages
    turns_after: int = 0

    @classmethod
    def of(cls, element: Any) -> Paragraph:
        paragraph = cls()
        paragraph.gather(element)
        return paragraph

    @property
    def text(self) -> str:
        return "".join(self.parts).strip()

    def gather(self, parent: Any) -> None:
        """Add what stands in an element."""
        for element in parent:
            name = local(element)
            if name == "t":
                self.parts.append(element.text or "")
            elif name in _SIGNS:
                self.parts.append(_SIGNS[name])
            elif name == "lastRenderedPageBreak":
                self._turn()
            elif name == "txbxContent":
                self.boxes.append(element)
            elif name in _REFERENCES:
                self.notes.append((name.removesuffix("Reference"), attribute(element, "id")))
            elif name not in _SKIPPED and not _is_hidden(element):
                self.gather(element)

    def _turn(self) -> None:
        """Note a new page; a paragraph belongs to the one its text begins on."""
        if any(part.strip() for part in self.parts):
            self.turns_after += 1
        else:
            self.turns_before += 1


def _is_hidden(element: Any) -> bool:
    hidden = element.find("{*}rPr/{*}vanish")
    return hidden is not None and attribute(hidden) not in _OFF


class Body:
    """Writes the text of a document.

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

    def write(self, body: Any) -> Iterator[None]:
        """Write paragraphs and tables, pausing after each so that pages can be handed on."""
        for element in _children(body, "p", "tbl"):
            if local(element) == "tbl":
                self._table(element)
            else:
                self._paragraph(element)
            yield

    def _paragraph(self, element: Any) -> None:
        paragraph = Paragraph.of(element)
        self._turn(paragraph.turns_before)
        for text, role in self._blocks(element, paragraph):
            self._writer.add(text, role.kind, role.level)
        self._turn(paragraph.turns_after)

    def _table(self, table: Any) -> None:
        for row in _children(table, "tr"):
            cells = [list(self._inside(cell)) for cell in _children(row, "tc")]
            filled = [cell for cell in cells if cell]
            longest = max((sum(len(text) for text, _ in cell) for cell in filled), default=0)
            if longest > _LONG_CELL or (len(cells) == 1 and filled and len(filled[0]) > 1):
                for text, role in (block for cell in filled for block in cell):
                    self._writer.add(text, role.kind, role.level)
            else:
                self._writer.row([" ".join(text for text, _ in cell) for cell in filled])
            if next(row.iter("{*}lastRenderedPageBreak"), None) is not None:
                self._turn(1)  # each cell of the row says so
        self._writer.end_table()

    def _turn(self, pages: int) -> None:
        if pages:
            self._writer.begin_page(self._writer.page + pages)

    def _inside(self, parent: Any) -> Iterator[tuple[str, Role]]:
        """Yield the blocks of a cell or a text box; a table in it belongs to the text around it."""
        for element in _children(parent, "p", "tbl"):
            if local(element) == "p":
                yield from self._blocks(element, Paragraph.of(element))
            else:
                for row in _children(element, "tr"):
                    for cell in _children(row, "tc"):
                        yield from self._inside(cell)

    def _blocks(self, element: Any, paragraph: Paragraph) -> Iterator[tuple[str, Role]]:
        """Yield a paragraph and what hangs on it, each with its role."""
        for box in paragraph.boxes:
            yield from self._inside(box)
        text, role = paragraph.text, self._styles.role(element.find("{*}pPr"))
        if text and role.numbering not in ("", "0"):
            label = self._numbering.label(role.numbering, role.depth)
            text = f"{label} {text}" if label else text
            if role.kind is BlockKind.PARAGRAPH:
                role = Role(BlockKind.LIST_ITEM)
        if text:
            yield text, role
        for note in paragraph.notes:
            if found := self._notes.get(note):
                yield found, Role()


def _children(parent: Any, *names: str) -> Iterator[Any]:
    """Yield the elements of some names, looking into what is only wrapped around them."""
    for element in parent:
        name = local(element)
        if name in names:
            yield element
        elif name not in _SKIPPED:
            yield from _children(element, *names)


def read_notes(root: Any, kind: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the notes of a part, by kind and identifier.

    Args:
        root: The part.
        kind: ``footnote``, ``endnote`` or ``comment``, the name of their elements.
    """
    for note in root.iter(f"{{*}}{kind}"):
        # Word's own lines above the notes have a type; what a person wrote has none.
        if attribute(note, "type") in ("", "normal"):
            texts = (Paragraph.of(each).text for each in note.iter("{*}p"))
            yield (kind, attribute(note, "id")), "\n".join(filter(None, texts))
