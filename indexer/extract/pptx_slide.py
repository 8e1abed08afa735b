"""The text of a slide, of its notes and of what is drawn on it.

Owns what the elements of PresentationML and DrawingML mean. Dates, feet and slide numbers stand on
every slide and are left out; the title comes first, wherever it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.extract.base import MAX_ITEM_CHARS
from indexer.types import BlockKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.extract.page_writer import PageWriter

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
# Shapes that the layout makes for running text, whose paragraphs are points.
_BODIES = frozenset({"body", "obj", ""})
_SKIPPED = frozenset({"Fallback", "rt"})
_SHAPES = frozenset({"sp", "graphicFrame", "cxnSp", "txSp"})
_MAX_TITLE_CHARS = 200


@dataclass(slots=True)
class Shape:
    """What is written in one shape: the type of its placeholder, its paragraphs or its rows."""

    placeholder: str | None = None
    paragraphs: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


class SlideText:
    """Collects the shapes of a slide, in the order in which they are drawn."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self._open: list[Shape] = []
        self._paragraph: list[str] = []
        self._cell: list[str] | None = None
        self._skipping = 0
        self._texts = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipping or name in _SKIPPED or attributes.get("type") == "slidenum":
            self._skipping += 1
        elif name in _SHAPES:
            shape = Shape()
            self.shapes.append(shape)
            self._open.append(shape)
        elif name == "ph" and self._open:
            self._open[-1].placeholder = attributes.get("type", "")
        elif name == "p":
            self._paragraph = []
        elif name == "t":
            self._texts += 1
        elif name in ("br", "tab"):
            self._paragraph.append(" " if name == "tab" else "\n")
        elif name == "tr" and self._open:
            self._open[-1].rows.append([])
        elif name == "tc":
            self._cell = []

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif name == "t":
            self._texts -= 1
        elif name == "p":
            self._end_paragraph("".join(self._paragraph).strip())
            self._paragraph = []
        elif name == "tc" and self._cell is not None:
            if self._open and self._open[-1].rows:
                self._open[-1].rows[-1].append(" ".join(self._cell))
            self._cell = None
        elif name in _SHAPES and self._open:
            self._open.pop()

    def text(self, data: str) -> None:
        if self._texts and not self._skipping:
            self._paragraph.append(data)

    def _end_paragraph(self, text: str) -> None:
        if not text:
            return
        if self._cell is not None:
            self._cell.append(text)
        elif self._open:
            self._open[-1].paragraphs.append(text)

    @property
    def title(self) -> str:
        """The slide's title, or ""."""
        found = (" ".join(s.paragraphs) for s in self.shapes if s.placeholder in _TITLES)
        return " ".join(next((text for text in found if text), "").split())

    @property
    def is_opening(self) -> bool:
        """Whether the slide is laid out as the first of a presentation."""
        return any(shape.placeholder == "ctrTitle" for shape in self.shapes)


def write_slide(slide: SlideText, writer: PageWriter, number: int, *, opens: bool) -> None:
    """Write the text of a slide.

    Args:
        slide: Its shapes.
        writer: Where the text goes.
        number: The slide's number, which names it if nothing else does.
        opens: Whether its title is that of the whole presentation.
    """
    shapes = [s for s in slide.shapes if s.placeholder not in _FURNITURE]
    title = slide.title
    if not title and any(shape.paragraphs or shape.rows for shape in shapes):
        title = _lead(shapes) or f"Slide {number}"
    if title:
        writer.add(title, BlockKind.HEADING, 1 if opens else 2)
    for shape in shapes:
        if shape.placeholder in _TITLES:
            continue
        for text in shape.paragraphs:
            point = shape.placeholder in _BODIES and len(text) <= MAX_ITEM_CHARS
            writer.add(text, BlockKind.LIST_ITEM if point else BlockKind.PARAGRAPH)
        for row in shape.rows:
            writer.row(row)
        writer.end_table()


def write_notes(notes: SlideText, writer: PageWriter) -> None:
    """Write what the speaker noted below a slide."""
    for shape in notes.shapes:
        if shape.placeholder not in _FURNITURE:
            for text in shape.paragraphs:
                writer.add(text)


def _lead(shapes: list[Shape]) -> str:
    """Take the first line of the text as the title of a slide that has none."""
    first = next((shape for shape in shapes if shape.paragraphs), None)
    if first is None or len(first.paragraphs[0]) > _MAX_TITLE_CHARS or first.rows:
        return ""
    return first.paragraphs.pop(0)
