"""Word documents (WordprocessingML): paragraphs, headings, lists, tables, notes.

Deleted, moved and hidden text, field codes and fallbacks for old programs are left out. The numbers
that Word displays before paragraphs are computed, as contracts are cited by them. Text boxes
precede the paragraph in which they are anchored, notes follow it, and comments follow the pages.
Pages are as in Word's last layout, or there is one if the file lacks it. Headers and footers are
read once, after the text.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.api.types import ANNOTATION_SIGN, BlockKind
from indexer.extract.embedded.office_objects import EMBEDDED, OfficeObjects
from indexer.extract.numerals import written_number
from indexer.extract.office.drawings import write_drawing
from indexer.extract.office.formulas import formula
from indexer.extract.office.office2003 import FlatDocument
from indexer.extract.office.ooxml import OfficePackage, OfficeSource
from indexer.extract.office.package import is_packed
from indexer.extract.office.symbols import readable, symbol
from indexer.extract.office.xml import (
    PAGE_NUMBER,
    attribute,
    description,
    local,
    paragraphs,
    text_position,
    whole_number,
)
from indexer.extract.page_writer import COMMENTS, PageWriter, part_page

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage

# The title of the document is level 1, so headings begin at level 2.
_BELOW_TITLE = 1
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop)\s*([1-9])$", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|table of figures|verzeichnis|index)\s*\d?$", re.IGNORECASE)
_LEVEL_NUMBER = re.compile(r"%([1-9])")
_MAX_ANCESTORS = 20


class ParagraphRole(Struct, frozen=True):
    """The kind of a paragraph, and the list that numbers it.

    ``numbering`` and ``depth`` are "" and -1 if they are not defined.
    """

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    numbering: str = ""
    depth: int = -1


class WordStyles:
    """The styles of a document, by their identifiers."""

    def __init__(self, styles: Iterable[Any] = ()) -> None:
        self._styles = {attribute(style, "styleId"): style for style in styles}
        self._roles = {"": ParagraphRole()}

    def role(self, properties: Any) -> ParagraphRole:
        """Return the role of a paragraph with the given properties (``pPr``), or ``None``."""
        own = _own_role(properties)
        identifier = _value(properties, "pStyle")
        if identifier not in self._roles:
            self._roles[identifier] = self._inherited(identifier)
        style = self._roles[identifier]
        kind = own if style.kind is BlockKind.PARAGRAPH else style
        return ParagraphRole(
            kind.kind,
            kind.level,
            own.numbering or style.numbering,
            own.depth if own.depth >= 0 else style.depth,
        )

    def _inherited(self, identifier: str) -> ParagraphRole:
        """Return the role of a style, as its nearest ancestors define it."""
        role = ParagraphRole()
        for _ in range(_MAX_ANCESTORS):
            style = self._styles.get(identifier)
            if style is None:
                # Without a styles part the built-in styles apply, and their ids are their names.
                return role if self._styles else _named(identifier) or role
            own = _own_role(style.find("{*}pPr"))
            if role.kind is BlockKind.PARAGRAPH:
                named = _named(_value(style, "name").strip()) or own
                role = replace(role, kind=named.kind, level=named.level)
            role = replace(role, numbering=role.numbering or own.numbering)
            if role.depth < 0:
                role = replace(role, depth=own.depth)
            identifier = _value(style, "basedOn")
        return role


def _own_role(properties: Any) -> ParagraphRole:
    """Return the role by a paragraph's own properties, without its style."""
    if properties is None:
        return ParagraphRole()
    list_of = properties.find("{*}numPr")
    numbering, depth = _value(list_of, "numId"), whole_number(_value(list_of, "ilvl"))
    outline = whole_number(_value(properties, "outlineLvl"))
    if 0 <= outline < 9:
        return ParagraphRole(BlockKind.HEADING, outline + 1 + _BELOW_TITLE, numbering, depth)
    return ParagraphRole(numbering=numbering, depth=depth)


def _named(name: str) -> ParagraphRole | None:
    """Return the role by the name of a style, if it is known."""
    if name.lower() == "title":
        return ParagraphRole(BlockKind.HEADING, 1)
    if found := _HEADING.match(name):
        return ParagraphRole(BlockKind.HEADING, int(found[1]) + _BELOW_TITLE)
    if _CONTENTS.match(name):
        return ParagraphRole(BlockKind.FURNITURE)
    return ParagraphRole(BlockKind.CAPTION) if name.lower() == "caption" else None


def _value(parent: Any, name: str) -> str:
    """Return the value of a child element, "" if it is missing."""
    child = None if parent is None else parent.find(f"{{*}}{name}")
    return "" if child is None else attribute(child)


class _Level(Struct):
    start: int = 1
    form: str = "decimal"
    pattern: str = ""


class _List(Struct):
    """An abstract list, or an instance of one, which may override levels."""

    levels: dict[int, _Level] = field(default_factory=dict)
    abstract: str = ""


class WordNumbering:
    """The lists of a document, and their counters, from its numbering part, if any."""

    def __init__(self, root: Any = None) -> None:
        self._abstract: dict[str, _List] = {}
        self._uses: dict[str, _List] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for element in () if root is None else root:
            if local(element) == "abstractNum":
                self._abstract[attribute(element, "abstractNumId")] = _list(element)
            elif local(element) == "num":
                self._uses[attribute(element, "numId")] = _list(element)

    def label(self, numbering: str, depth: int) -> str:
        """Count a paragraph of a list, and return the label that Word displays before it."""
        use = self._uses.get(numbering)
        if use is None:
            return ""
        depth = min(max(depth, 0), 8)
        counts = self._counts.setdefault(use.abstract, {})
        counts[depth] = counts.get(depth, self._level(use, depth).start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        level = self._level(use, depth)
        if level.form in ("bullet", "none"):
            return ""

        def shown(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            value = counts.get(at, self._level(use, at).start)
            return written_number(value, self._level(use, at).form)

        return _LEVEL_NUMBER.sub(shown, level.pattern)[:40].strip()

    def _level(self, use: _List, depth: int) -> _Level:
        inherited = self._abstract.get(use.abstract, use)
        return use.levels.get(depth) or inherited.levels.get(depth) or _Level()


def _list(element: Any) -> _List:
    """Read an abstract list or an instance."""
    levels = {
        whole_number(attribute(level, "ilvl"), 0): _Level(
            whole_number(_value(level, "start"), 1),
            _value(level, "numFmt") or "decimal",
            _value(level, "lvlText"),
        )
        for level in element.iter("{*}lvl")
    }
    return _List(levels, _value(element, "abstractNumId"))


_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
# These elements are read piece by piece, such as a paragraph or a row at a time.
_CONTAINERS = frozenset({"document", "body", "tbl", "sdt", "sdtContent", "customXml"})
# Deleted and moved text, fallbacks for old programs, phonetic text, properties.
_SKIPPED = frozenset({
    "del", "moveFrom", "Fallback", "rt", "instrText", "delText", "pPr", "rPr", "sdtPr",
})  # fmt: skip
_SYMBOLS = {
    "tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011",
    "softHyphen": "\xad",
}  # fmt: skip
_INNER = frozenset({"txbxContent", "footnote", "endnote"})  # Word 2003 writes notes in the text
_DRAWINGS = {"chart": "id", "relIds": "dm"}  # the attribute that names the part's relationship
_REFERENCES = {"footnoteReference", "endnoteReference", "commentReference"}
_OFF = ("0", "false", "off")
_CODE = re.compile("[0-9A-Fa-f]{1,5}")
_LONG_CELL = 1_000  # characters; a table with a longer cell is used for layout


class DocxSource(OfficeSource):
    """An open Word document."""

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        package, main = self._package, self._package.main
        parts = package.related(main, "styles")[:1]
        styles = [style for part in parts for style in package.elements(part, "style")]
        lists = [package.tree(part)[0] for part in package.related(main, "numbering")]
        body = _Body(writer, WordStyles(styles), WordNumbering(*lists[:1]), self._notes(),
                     partial(self._drawing, writer))  # fmt: skip
        objects = OfficeObjects(package, writer, self.on_page)
        chunks = bool(package.related(main, "aFChunk"))
        try:
            for piece in package.pieces(main, _CONTAINERS):
                body.write(piece)
                for chunk in piece.iter("{*}altChunk") if chunks else ():
                    if part := package.part(main, attribute(chunk, "id")):
                        yield from objects.objects([part], imported=True)
                yield from writer.completed()
        finally:
            self.page_count = writer.page
        self._margins(writer)
        yield from writer.finish()
        for page, texts in groupby(body.comments, key=itemgetter(0)):
            yield part_page(page, (text for _, text in texts), COMMENTS)
        yield from objects.objects(package.related(main, *EMBEDDED))

    def _drawing(self, writer: PageWriter, relation: str) -> None:
        if part := self._package.part(self._package.main, relation):
            write_drawing(self._package, part, writer)

    def _notes(self) -> dict[tuple[str, str], str]:
        """Return the texts of notes and comments, by kind and identifier."""
        found = {}
        for part_kind, kind in _NOTES.items():
            for part in self._package.related(self._package.main, part_kind):
                for note in self._package.elements(part, kind):
                    # Separators between text and notes have another type.
                    if attribute(note, "type") in ("", "normal"):
                        texts = (_WordParagraph.from_element(p).text for p in note.iter("{*}p"))
                        text = "\n".join(filter(None, texts))
                        shown = _annotation(note, text) if kind == "comment" and text else text
                        found[kind, attribute(note, "id")] = shown
        return found

    def _margins(self, writer: PageWriter) -> None:
        """Write the headers and footers, each text once."""
        seen: set[str] = set()
        for part in self._package.related(self._package.main, "header", "footer"):
            root, _ = self._package.tree(part)
            numbered = _numbers_pages(root)
            for text in paragraphs(root):
                if text not in seen and not (numbered and PAGE_NUMBER.match(text)):
                    seen.add(text)
                    writer.add_block(text, BlockKind.BOILERPLATE)


def _annotation(comment: Any, text: str) -> str:
    """Return a comment in the form of a PDF's: with its author, its date and its text."""
    about = ("Comment", attribute(comment, "author").strip()[:100], attribute(comment, "date")[:10])
    return f"{ANNOTATION_SIGN} {', '.join(filter(None, about))}: {text}"


def _numbers_pages(root: Any) -> bool:
    """Return whether a header or footer shows the page number."""
    for element in () if root is None else root.iter("{*}instrText", "{*}fldSimple", "{*}pgNum"):
        field = (element.text or "") + attribute(element, "instr")
        if local(element) == "pgNum" or "PAGE" in field.upper():
            return True
    return False


def open_source(path: Path, password: str | None, limits: Limits) -> DocxSource | FlatDocument:
    """Open a Word document (``indexer.extract.base.Opener``)."""
    if is_packed(path):
        return DocxSource(OfficePackage(path, limits, "word/document.xml", "no_text_part"))
    return FlatDocument(path, limits, lambda writer, styles: _Body(
        writer, WordStyles(styles), WordNumbering(), {}, lambda _relation: None))  # fmt: skip


class _WordParagraph(Struct):
    """The text of a paragraph, its references to notes, and the text boxes anchored in it."""

    parts: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    drawings: list[str] = field(default_factory=list)  # relationships of diagrams and charts
    breaks_before: int = 0  # page breaks of Word's last layout
    breaks_after: int = 0

    @classmethod
    def from_element(cls, element: Any) -> _WordParagraph:
        paragraph = cls()
        paragraph._gather(element)
        return paragraph

    @property
    def text(self) -> str:
        return "".join(self.parts).strip()

    def _gather(self, parent: Any) -> None:
        shown = text_position(parent)
        for element in parent:
            name = local(element)
            if name in _WRITTEN:
                self.parts.append(shown(_WRITTEN[name](element)))
            elif name in _DRAWINGS:
                self.drawings.append(attribute(element, _DRAWINGS[name]))
            elif name in _SYMBOLS:
                self.parts.append(_SYMBOLS[name])
            elif name == "lastRenderedPageBreak":  # a paragraph belongs to the page it starts on
                inside = any(part.strip() for part in self.parts)
                self.breaks_after += inside
                self.breaks_before += not inside
            elif name in _INNER:
                self.boxes.append(element)
            elif name in _REFERENCES:
                self.notes.append((name.removesuffix("Reference"), attribute(element, "id")))
            elif name not in _SKIPPED and not _is_hidden(element):
                if shape := element.get("alt"):  # older programs write pictures so
                    self.parts.append(f" {shape} ")
                self._gather(element)


def _text(element: Any) -> str:
    """Return the text of a ``t``, also of one in codes of a symbol font."""
    text = element.text or ""
    if text.isascii():
        return text
    fonts = element.getparent().find("{*}rPr/{*}rFonts")
    return readable(text, "" if fonts is None else attribute(fonts, "ascii"))


def _sign(element: Any) -> str:
    code = attribute(element, "char")
    return symbol(attribute(element, "font"), int(code, 16)) if _CODE.fullmatch(code) else ""


def _chosen(field_data: Any) -> str:
    """Return the choice in a drop-down field of a form, or the mark of a check box."""
    for choice in field_data.iter("{*}ddList"):
        entries = [attribute(entry) for entry in choice.iterchildren("{*}listEntry")]
        default = whole_number(_value(choice, "default"), 0)
        return "".join(entries[whole_number(_value(choice, "result"), default) :][:1])
    for box in field_data.iter("{*}checkBox"):
        state = next((box.find(f"{{*}}{name}") for name in ("checked", "default")
                      if box.find(f"{{*}}{name}") is not None), None)  # fmt: skip
        return "\u2610" if state is None or attribute(state) in _OFF else "\u2612"
    return ""


# Give the displayed text of elements inside paragraphs.
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "t": _text, "sym": _sign, "ffData": _chosen, "oMath": formula, "oMathPara": formula,
    "textpath": lambda art: art.get("string", ""),
    "docPr": lambda drawing: f" {description(drawing)} ",
}  # fmt: skip


def _is_hidden(element: Any) -> bool:
    hidden = element.find("{*}rPr/{*}vanish")
    return hidden is not None and attribute(hidden) not in _OFF


class _Body(Struct, frozen=True):
    """Writes the text of a document. ``notes`` has its notes and comments by kind and id.

    Comments are collected with their pages.
    """

    writer: PageWriter
    styles: WordStyles
    numbering: WordNumbering
    notes: Mapping[tuple[str, str], str]
    draw: Callable[[str], None]  # writes the drawing behind a relationship
    comments: list[tuple[int, str]] = field(default_factory=list)

    def write(self, element: Any) -> None:
        """Write a paragraph or row, end a table, or write the contents of a wrapper."""
        name = local(element)
        if name == "p":
            paragraph = _WordParagraph.from_element(element)
            self._break(paragraph.breaks_before)
            self._add(self._blocks(element, paragraph))
            self._draw(paragraph.drawings)
            self._break(paragraph.breaks_after)
        elif name == "tr":
            self._row(element)
        elif name not in _SKIPPED:
            for child in element:
                self.write(child)
            if name == "tbl":
                self.writer.end_table()

    def _row(self, row: Any) -> None:
        cells = [list(self._inside(cell)) for cell in _children(row, "tc")]
        filled = [cell for cell in cells if cell]
        longest = max((sum(len(text) for text, _ in cell) for cell in filled), default=0)
        if longest > _LONG_CELL or (len(cells) == 1 and filled and len(filled[0]) > 1):
            self._add(block for cell in filled for block in cell)
        else:
            self.writer.add_row([" ".join(text for text, _ in cell) for cell in filled])
        for name, relation in _DRAWINGS.items():
            self._draw(attribute(each, relation) for each in row.iter(f"{{*}}{name}"))
        if next(row.iter("{*}lastRenderedPageBreak"), None) is not None:
            self._break(1)  # the break occurs in each cell of the row

    def _draw(self, relations: Iterable[str]) -> None:
        for relation in relations:
            self.draw(relation)

    def _add(self, blocks: Iterator[tuple[str, ParagraphRole]]) -> None:
        for text, role in blocks:
            self.writer.add_block(text, role.kind, role.level)

    def _break(self, pages: int) -> None:
        if pages:
            self.writer.begin_page(self.writer.page + pages)

    def _inside(self, parent: Any) -> Iterator[tuple[str, ParagraphRole]]:
        """Yield the blocks of a cell or a text box, also of the cells of nested tables."""
        for element in _children(parent, "p", "tbl"):
            if local(element) == "p":
                yield from self._blocks(element, _WordParagraph.from_element(element))
            else:
                for row in _children(element, "tr"):
                    for cell in _children(row, "tc"):
                        yield from self._inside(cell)

    def _blocks(
        self, element: Any, paragraph: _WordParagraph
    ) -> Iterator[tuple[str, ParagraphRole]]:
        """Yield a paragraph with its text boxes and notes, each with its role."""
        for box in paragraph.boxes:
            yield from self._inside(box)
        text, role = paragraph.text, self.styles.role(element.find("{*}pPr"))
        if text and role.numbering not in ("", "0"):
            label = self.numbering.label(role.numbering, role.depth)
            text = f"{label} {text}" if label else text
            if role.kind is BlockKind.PARAGRAPH:
                role = ParagraphRole(BlockKind.LIST_ITEM)
        if text:
            yield text, role
        for note in paragraph.notes:
            found = self.notes.get(note)
            if found and note[0] == "comment":
                self.comments.append((self.writer.page, found))
            elif found:
                yield found, ParagraphRole()


def _children(parent: Any, *names: str) -> Iterator[Any]:
    """Yield the children with some names, also those in wrappers."""
    for element in parent:
        name = local(element)
        if name in names:
            yield element
        elif name not in _SKIPPED:
            yield from _children(element, *names)
