"""OpenDocument presentations and drawings: each slide is a page, with its title, then its notes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from indexer.extract.office.odf import SKIPPED, Body, attribute, open_odf, short, texts
from indexer.extract.office.slides import Shape, write_notes, write_slide

if TYPE_CHECKING:
    from indexer.extract.page_writer import PageWriter

_SHAPES = frozenset({
    "draw:frame", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:line", "draw:polygon",
    "draw:path", "draw:connector", "draw:caption",
})  # fmt: skip
# The classes of frames, mapped to types of PowerPoint's placeholders.
_CLASSES = {
    "title": "title", "subtitle": "subTitle", "outline": "body", "notes": "body",
    "footer": "ftr", "header": "hdr", "date-time": "dt", "page-number": "sldNum", "page": "sldImg",
}  # fmt: skip


class _Slides(Body):
    """Writes the slides of a presentation, or the pages of a drawing."""

    open = Body.open | {"office:presentation", "office:drawing"}

    def __init__(self, writer: PageWriter) -> None:
        super().__init__(writer)
        self._number = 0

    def handle(self, piece: Any) -> None:
        if short(piece.tag) != "draw:page":
            return
        self._number += 1
        self.writer.begin_page(self._number)
        shapes = list(_shapes(piece))
        opens = self._number == 1 and any(shape.placeholder == "subTitle" for shape in shapes)
        write_slide(shapes, self.writer, self._number, opens=opens)
        for child in piece:
            if short(child.tag) == "presentation:notes":
                write_notes(list(_shapes(child)), self.writer)


def _shapes(element: Any) -> Iterator[Shape]:
    """Yield the shapes of a slide or of its notes."""
    for child in element:
        name = short(child.tag)
        if name in _SHAPES:
            yield _shape(child)
        elif name not in SKIPPED and name != "presentation:notes":
            yield from _shapes(child)


def _shape(element: Any) -> Shape:
    kind = attribute(element, "presentation:class")
    shape = Shape(_CLASSES.get(kind, "other") if kind else None)
    for child in element:
        if short(child.tag) == "table:table":
            for row in child.iter("{*}table-row"):
                cells = (each for each in row if short(each.tag) == "table:table-cell")
                shape.rows.append([" ".join(texts(cell)) for cell in cells])
    if not shape.rows:
        shape.paragraphs += texts(element)
    return shape


open_source = partial(open_odf, _Slides)
