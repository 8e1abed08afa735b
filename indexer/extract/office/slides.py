"""Writes a slide: the title, then list items, paragraphs and tables, then the notes.

Shared by all presentation formats. Dates, footers and slide numbers are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.api.types import NOTES_LEVEL, BlockKind
from indexer.extract.base import MAX_ITEM_CHARS

if TYPE_CHECKING:
    from indexer.extract.page_writer import PageWriter

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
# Placeholders whose paragraphs are list items.
_BODIES = frozenset({"body", "obj", ""})
_MAX_TITLE_CHARS = 200


class Shape(Struct):
    """One shape: the type of its placeholder, if it is one, and its paragraphs or its rows.

    ``levels`` has the list levels of its first paragraphs. The others have 0.
    """

    placeholder: str | None = None
    paragraphs: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)


def write_slide(shapes: Sequence[Shape], writer: PageWriter, number: int, *, opens: bool) -> None:
    """Write the text of a slide, whose shapes are in drawing order.

    ``number`` is for its default title. ``opens`` says that its title is the presentation's too.
    """
    shapes = [shape for shape in shapes if shape.placeholder not in _FURNITURE]
    title = _title(shapes)
    if not title and any(shape.paragraphs or shape.rows for shape in shapes):
        title = _lead(shapes) or f"Slide {number}"
    if title:
        writer.add_block(title, BlockKind.HEADING, 1 if opens else 2)
    for shape in shapes:
        if shape.placeholder in _TITLES:
            continue
        levels = list(shape.levels)
        for text in shape.paragraphs:
            level = levels.pop(0) if levels else 0
            if shape.placeholder in _BODIES and len(text) <= MAX_ITEM_CHARS:
                writer.add_block(text, BlockKind.LIST_ITEM, level)
            else:
                writer.add_block(text)
        for row in shape.rows:
            writer.add_row(row)
        writer.end_table()


def write_notes(shapes: Sequence[Shape], writer: PageWriter) -> None:
    """Write the speaker's notes of a slide, at level 1."""
    for shape in shapes:
        if shape.placeholder not in _FURNITURE:
            for text in shape.paragraphs:
                writer.add_block(text, BlockKind.PARAGRAPH, NOTES_LEVEL)


def _title(shapes: Sequence[Shape]) -> str:
    found = (" ".join(shape.paragraphs) for shape in shapes if shape.placeholder in _TITLES)
    return " ".join(next((text for text in found if text), "").split())


def _lead(shapes: Sequence[Shape]) -> str:
    """Remove and return the first paragraph, as the title of a slide that has none."""
    first = next((shape for shape in shapes if shape.paragraphs), None)
    if first is None or len(first.paragraphs[0]) > _MAX_TITLE_CHARS or first.rows:
        return ""
    del first.levels[:1]
    return first.paragraphs.pop(0)
