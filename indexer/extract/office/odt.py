"""OpenDocument texts: paragraphs, headings, lists, tables, notes.

Pages are as in the last layout, or there is one if the file lacks it. Heads and feet of pages are
read once, after the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS
from indexer.extract.numerals import FORMS, written_number
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
from indexer.extract.office.xml import whole_number

if TYPE_CHECKING:
    from indexer.extract.page_writer import PageWriter

_INDEXES = frozenset({
    "text:table-of-content", "text:illustration-index", "text:table-index", "text:user-index",
    "text:alphabetical-index", "text:object-index",
})  # fmt: skip
_HEADINGS = "text:outline-style"
_NUMBERINGS = frozenset({"text:list-style", _HEADINGS})
_MAX_LABEL = 40
_BELOW_TITLE = 1
_LONG_CELL = 1_000
_MAX_STYLES = 50_000


class _OdtLevel(Struct, frozen=True):
    """How one level of a list is numbered. ``form`` is as in HTML's lists, "" for a bullet."""

    form: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1  # levels in its label, with a full stop between


class _OdtNumbers:
    """The lists and headings of a document, and their counters."""

    def __init__(self) -> None:
        self._styles: dict[str, dict[int, _OdtLevel]] = {}
        self._counts: dict[str, dict[int, int]] = {}  # by style, as its last list ended
        self._open: list[str] = []  # the styles of the lists around an item

    def learn(self, style: Any) -> None:
        """Note a list style, or the style of headings, which is kept by its element's name."""
        name = short(style.tag)
        if name in _NUMBERINGS and len(self._styles) < _MAX_STYLES:
            own = attribute(style, "style:name") if name != _HEADINGS else name
            self._styles[own] = {
                whole_number(attribute(level, "text:level"), 1): _OdtLevel(
                    attribute(level, "style:num-format"),
                    attribute(level, "style:num-prefix"),
                    attribute(level, "style:num-suffix"),
                    whole_number(attribute(level, "text:start-value"), 1),
                    whole_number(attribute(level, "text:display-levels"), 1),
                )
                for level in style
            }

    @contextmanager
    def inside(self, element: Any) -> Iterator[None]:
        """Count the items of a list while the block runs."""
        style = attribute(element, "text:style-name") or (self._open[-1] if self._open else "")
        goes_on = attribute(element, "text:continue-numbering") == "true"
        goes_on |= bool(attribute(element, "text:continue-list"))
        if not self._open and not goes_on:
            self._counts.pop(style, None)
        self._open.append(style)
        try:
            yield
        finally:
            self._open.pop()

    def label(self, item: Any) -> str:
        """Count an item of the list, and return its label, "" for a bullet or the list's title."""
        if short(item.tag) != "text:list-item" or not self._open[-1]:
            return ""
        start = whole_number(attribute(item, "text:start-value"), -1)
        return self._next(self._open[-1], len(self._open), start)

    def heading(self, level: int) -> str:
        """Count a heading, and return its label."""
        return self._next(_HEADINGS, level)

    def _next(self, style: str, depth: int, start: int = -1) -> str:
        levels, counts = self._styles.get(style, {}), self._counts.setdefault(style, {})
        level = levels.get(depth, _OdtLevel())
        counts[depth] = start if start >= 0 else counts.get(depth, level.start - 1) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        if not level.form:
            return ""
        shown = range(max(1, depth - level.shown + 1), depth + 1)
        known = [(counts.get(at, 1), levels.get(at, _OdtLevel()).form) for at in shown]
        numbers = [written_number(value, FORMS.get(form, "")) for value, form in known if form]
        return f"{level.prefix}{'.'.join(numbers)}{level.suffix}"[:_MAX_LABEL].strip()


class _Text(Body):
    """Writes the text of a document."""

    open = Body.open | {
        "office:styles", "office:automatic-styles", "office:text", "text:section", "table:table",
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
        self._numbers = _OdtNumbers()
        self._label = ""  # of the next paragraph

    def learn_style(self, style: Any) -> None:
        self._numbers.learn(style)
        super().learn_style(style)

    def handle(self, piece: Any) -> None:
        name = short(piece.tag)
        if name in PARAGRAPHS:
            self._paragraph(piece, name)
            self._break_page()
        elif name == "table:table-row":
            self._row(piece)
            self._break_page()
        elif name == "style:style" or name in _NUMBERINGS:
            self._learn(piece)
        elif name == "text:list":
            self._list(piece)
        elif name == "text:soft-page-break":
            self._page_breaks += 1
            self._break_page()
        elif name in DESCRIPTIONS or name == FORMULA:
            self.writer.add_block(label(piece))
        elif name not in SKIPPED:
            self._indexes += name in _INDEXES
            for child in piece:
                self.handle(child)
            self._indexes -= name in _INDEXES
            if name == "table:table":
                self.writer.end_table()

    def _list(self, element: Any) -> None:
        self._lists += 1
        with self._numbers.inside(element):
            for item in element:
                self._label = self._numbers.label(item)
                for child in item:
                    self.handle(child)
                self._label = ""
        self._lists -= 1

    def _paragraph(self, element: Any, name: str) -> None:
        label, self._label = self._label, ""
        found = read_paragraph(element, self._positions)
        for drawn in found.drawn:
            self.handle(drawn)
        outline = attribute(element, "text:outline-level")
        level = whole_number(outline, 1) if name == "text:h" else 0
        if level and not self._lists and attribute(element, "text:is-list-header") != "true":
            label = self._numbers.heading(level)
        text = f"{label} {found.text}" if label and found.text else found.text
        self._write(text, level, attribute(element, "text:style-name"))
        for note in found.notes:
            self._write(note, 0, "")
        self._page_breaks += found.page_breaks

    def _write(self, text: str, level: int, style: str) -> None:
        if self._indexes:
            self.writer.add_block(text, BlockKind.FURNITURE)
        elif style in self._titles:
            self.writer.add_block(text, BlockKind.HEADING, 1)
        elif level:
            self.writer.add_block(text, BlockKind.HEADING, level + _BELOW_TITLE)
        elif style in self._captions:
            self.writer.add_block(text, BlockKind.CAPTION)
        elif self._lists and len(text) <= MAX_ITEM_CHARS:
            self.writer.add_block(text, BlockKind.LIST_ITEM)
        else:
            self.writer.add_block(text)

    def _learn(self, style: Any) -> None:
        """Note a style of lists or of raised figures, or one derived from titles or captions."""
        self._numbers.learn(style)
        if (found := position(style)) and len(self._positions) < _MAX_STYLES:
            self._positions[attribute(style, "style:name")] = found
        for known in (self._titles, self._captions):
            if attribute(style, "style:parent-style-name") in known and len(known) < _MAX_STYLES:
                known.add(attribute(style, "style:name"))

    def _row(self, row: Any) -> None:
        """Write a row, with a nested table as text of its cell."""
        cells = [
            list(texts(cell, self._positions))
            for cell in row
            if short(cell.tag) == "table:table-cell"
        ]
        if any(sum(map(len, cell)) > _LONG_CELL for cell in cells):
            for text in (text for cell in cells for text in cell):
                self.writer.add_block(text)
        else:
            self.writer.add_row([" ".join(cell) for cell in cells])
        self._page_breaks += sum(1 for _ in row.iter("{*}soft-page-break"))

    def _break_page(self) -> None:
        if self._page_breaks:
            self.writer.begin_page(self.writer.page + self._page_breaks)
            self._page_breaks = 0


open_source = partial(open_odf, _Text)
