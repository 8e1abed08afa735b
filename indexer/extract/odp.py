"""OpenDocument presentations: each slide a page, its title the heading, its notes below it.

Owns the structure of slides; what they share with texts and sheets is in ``odf``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.extract.odf_source import Body, open_odf
from indexer.extract.pptx_slide import Shape, SlideText, write_notes, write_slide

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.extract.base import Limits
    from indexer.extract.odf_source import OdfSource
    from indexer.extract.page_writer import PageWriter

_SHAPES = frozenset({
    "drawing:frame", "drawing:custom-shape", "drawing:rect", "drawing:ellipse", "drawing:line",
    "drawing:polygon", "drawing:path", "drawing:connector", "drawing:caption",
})  # fmt: skip
# The classes of frames, as the shapes of PowerPoint call them.
_CLASSES = {
    "title": "title", "subtitle": "subTitle", "outline": "body", "notes": "body",
    "footer": "ftr", "header": "hdr", "date-time": "dt", "page-number": "sldNum", "page": "sldImg",
}  # fmt: skip


class _Slides(Body):
    """Writes slide after slide."""

    def __init__(self, writer: PageWriter) -> None:
        super().__init__()
        self.number = 0
        self._writer = writer
        self._slide = SlideText()
        self._speaker = SlideText()
        self._in_notes = 0
        self._shapes: list[Shape] = []
        self._cell: list[str] | None = None

    def page_count(self) -> int:
        return max(self.number, 1)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "drawing:page":
            self.number += 1
            if self.number > 1:
                self._writer.turn_to(self.number)
            self._slide, self._speaker = SlideText(), SlideText()
        elif name == "presentation:notes":
            self._in_notes += 1
        elif name in _SHAPES:
            kind = attributes.get("presentation:class")
            shape = Shape(_CLASSES.get(kind, "other") if kind else None)
            self._shapes.append(shape)
            (self._speaker if self._in_notes else self._slide).shapes.append(shape)
        elif name == "table:table-row" and self._shapes:
            self._shapes[-1].rows.append([])
        elif name == "table:table-cell":
            self._cell = []

    def finish(self, name: str) -> None:
        if name == "drawing:page":
            opens = self.number == 1 and any(
                s.placeholder == "subTitle" for s in self._slide.shapes
            )
            write_slide(self._slide, self._writer, self.number, opens=opens)
            write_notes(self._speaker, self._writer)
        elif name == "presentation:notes":
            self._in_notes -= 1
        elif name in _SHAPES and self._shapes:
            self._shapes.pop()
        elif name == "table:table-cell" and self._cell is not None:
            if self._shapes and self._shapes[-1].rows:
                self._shapes[-1].rows[-1].append(" ".join(self._cell))
            self._cell = None

    def paragraph(self, text: str, level: int, style: str) -> None:  # noqa: ARG002
        if self._cell is not None:
            self._cell.append(text)
        elif self._shapes:
            self._shapes[-1].paragraphs.append(text)


def open_source(path: Path, password: str | None, limits: Limits) -> OdfSource:  # noqa: ARG001
    """Open a presentation (``indexer.extract.base.Opener``)."""
    return open_odf(path, limits, _Slides)
