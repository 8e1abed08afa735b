"""Typesets the PDFs of the sample documents, line by line.

Their layout has what extraction must handle: columns, running heads, page numbers, hyphenation and
an outline. The output depends only on the texts and the version of PyMuPDF.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEXTS = Path(__file__).parent / "sample"
DOCUMENTS = Path(__file__).parents[1] / "resources" / "sample" / "documents"
DATE = "D:20250203120000Z"

ROMAN, BOLD, ITALIC = "tiro", "tibo", "tiit"
_VOWELS = "aeiouy"


@dataclass(frozen=True, slots=True)
class Layout:
    """The measures of a document, in points."""

    width: float
    height: float
    margin: float
    columns: int
    gap: float
    size: float
    leading: float

    @property
    def column_width(self) -> float:
        free = self.width - 2 * self.margin - (self.columns - 1) * self.gap
        return free / self.columns

    def left(self, column: int) -> float:
        return self.margin + column * (self.column_width + self.gap)

    @property
    def top(self) -> float:
        return self.margin + 14

    @property
    def bottom(self) -> float:
        return self.height - self.margin - 10


@dataclass(slots=True)
class Press:
    """A document while it is typeset, line by line, column by column."""

    layout: Layout
    head: str
    document: Any = field(default_factory=pymupdf.open)
    chapter: str = ""
    front: int = 0  # pages before page 1
    outline: list[list[Any]] = field(default_factory=list)
    _shape: Any = None
    _column: int = 0
    _y: float = 0.0
    _top: float = 0.0  # of the columns of this page; lower at the start of a chapter

    def new_page(self, *, bare: bool = False) -> None:
        self.finish_page()
        page = self.document.new_page(width=self.layout.width, height=self.layout.height)
        self._shape = page.new_shape()
        self._column, self._y, self._top = 0, self.layout.top, self.layout.top
        if not bare:
            self._furniture(page.number + 1)

    def finish_page(self) -> None:
        if self._shape is not None:
            self._shape.commit()
            self._shape = None

    def _furniture(self, number: int) -> None:
        """Add a running head (the book on even pages, else the chapter) and the page number."""
        text = self.head if number % 2 == 0 else self.chapter or self.head
        self.centred(text.upper(), self.layout.margin - 4, 7.5, ROMAN)
        self.centred(
            str(number - self.front), self.layout.height - self.layout.margin + 12, 8, ROMAN
        )

    def centred(self, text: str, y: float, size: float, font: str) -> None:
        x = (self.layout.width - width_of(text, font, size)) / 2
        self.put(text, x, y, size, font)

    def put(self, text: str, x: float, y: float, size: float, font: str) -> None:
        self._shape.insert_text((x, y), text, fontname=font, fontsize=size)

    @property
    def shape(self) -> Any:
        """The drawing of this page."""
        return self._shape

    @property
    def place(self) -> tuple[float, float]:
        """The start of the next line: left of its column, baseline."""
        return self.layout.left(self._column), self._y

    def next_column(self) -> None:
        self._column += 1
        self._y = self._top
        if self._column >= self.layout.columns:
            self.new_page()

    def line(self, text: str, indent: float = 0.0, font: str = ROMAN) -> None:
        if self._y > self.layout.bottom:
            self.next_column()
        x = self.layout.left(self._column) + indent
        self.put(text, x, self._y, self.layout.size, font)
        self._y += self.layout.leading

    def space(self, lines: float) -> None:
        self._y += lines * self.layout.leading

    def begin_columns(self, lower: float) -> None:
        """Leave lines free above all columns of this page."""
        self.space(lower)
        self._top = self._y

    def row(self, cells: list[str], font: str) -> None:
        """Typeset a row of a table."""
        for place, cell in enumerate(cells):
            x = self.layout.left(self._column) + 20 + 140 * place
            self.put(cell, x, self._y, self.layout.size, font)
        self.space(1)

    def room(self, lines: int) -> None:
        """Begin a new column unless a number of lines fits."""
        if self._y + lines * self.layout.leading > self.layout.bottom:
            self.next_column()

    def paragraph(self, text: str, indent: float) -> None:
        for number, line in enumerate(broken(text, self.layout, indent)):
            self.line(line, indent if number == 0 else 0.0)

    def mark(self, level: int, title: str) -> None:
        self.outline.append([level, title, self.document.page_count])

    def save(self, name: str | Path, title: str, author: str) -> None:
        """Save the document; a relative path lies in the folder of the sample documents."""
        self.finish_page()
        self.document.set_toc(self.outline)
        self.document.set_metadata(
            {"title": title, "author": author, "creationDate": DATE, "modDate": DATE,
             "producer": "PyMuPDF", "creator": "packaging/sample.py"}
        )  # fmt: skip
        path = DOCUMENTS / name
        # A new id would make the file differ each time.
        self.document.save(path, garbage=4, deflate=True, no_new_id=True)
        print(f"{path.name}: {self.document.page_count} pages, {path.stat().st_size:,} bytes")


def width_of(text: str, font: str, size: float) -> float:
    return float(pymupdf.get_text_length(text, fontname=font, fontsize=size))


def broken(text: str, layout: Layout, indent: float) -> Iterator[str]:
    """Break a paragraph into lines, with hyphenation."""
    line, words = "", text.split()[::-1]
    room = layout.column_width - indent
    while words:
        word = words.pop()
        longer = f"{line} {word}" if line else word
        if width_of(longer, ROMAN, layout.size) <= room:
            line = longer
            continue
        head = _syllables_that_fit(line, word, room, layout.size)
        yield f"{line} {head}-" if head else line
        words.append(word[len(head) :])
        line, room = "", layout.column_width
    if line:
        yield line


def _syllables_that_fit(line: str, word: str, room: float, size: float) -> str:
    """Return the longest part of a word before a hyphen that fits a line."""
    if not re.fullmatch(r"[a-z]{8,}[.,;:]?", word):
        return ""
    for end in range(len(word) - 4, 2, -1):
        between = word[end - 1] in _VOWELS and word[end] not in _VOWELS
        if between and width_of(f"{line} {word[:end]}-", ROMAN, size) <= room:
            return word[:end]
    return ""


def blocks_of(name: str, changes: Sequence[tuple[str, str]] = ()) -> list[str]:
    """Return the blocks of a text, with some words replaced by others."""
    text = (TEXTS / name).read_text(encoding="utf-8")
    for old, new in changes:
        text = text.replace(old, new)
    return [block.strip() for block in text.split("\n\n") if block.strip()]
