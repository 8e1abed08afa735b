"""PowerPoint presentations: each slide a page, its title the heading, its notes below it.

Owns which parts of the file are read and in which order, and what the library's shapes hold.
Hidden slides are slides: whoever wrote them finds them. Diagrams and comments are read for their
text, pictures and films never touched. Paragraphs are read from the elements the library holds,
because its own text of them has the slide's number in it and no formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pptx

from indexer.errors import WorldError
from indexer.extract.base import RawPage
from indexer.extract.ooxml import MAIN, Kind, OfficeFile, library_failures
from indexer.extract.ooxml_parts import attribute, local
from indexer.extract.ooxml_parts import paragraphs as plain_paragraphs
from indexer.extract.page_writer import SALVAGEABLE, PageWriter
from indexer.extract.slides import Shape, write_notes, write_slide

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from indexer.extract.base import Limits
    from indexer.types import OutlineEntry

_DRAWN = ("diagramData", "chart", "comments")
_KINDS = {
    MAIN: Kind("presentationml.presentation.main"),
    "slide": Kind("presentationml.slide"),
    "notesSlide": Kind("presentationml.notesSlide"),
    **dict.fromkeys(_DRAWN, Kind()),
}
_MAX_SLIDES = 20_000


class PptxSource:
    """An open presentation."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, office: OfficeFile) -> None:
        self._office = office
        self.metadata = office.metadata
        with library_failures():
            self._presentation = pptx.Presentation(office.file)
            listed = self._presentation.element.iterfind("{*}sldIdLst/{*}sldId")
            self._slides = [str(slide.rId) for slide in listed][:_MAX_SLIDES]
        self.page_count = len(self._slides)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._office.budget)
        for number, identifier in enumerate(self._slides, 1):
            writer.page = number
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
                continue
            try:
                with library_failures():
                    self._slide(identifier, number, writer)
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise
                yield from writer.abandon()
                yield RawPage(number, "", unreadable=error.reason)
                continue
            yield from writer.finish()

    def close(self) -> None:
        self._office.close()

    def _slide(self, identifier: str, number: int, writer: PageWriter) -> None:
        part = self._office.part(self._office.main, identifier)
        if not part:
            raise WorldError("unreadable", reason="part_missing", part="slide")
        slide = self._presentation.part.related_slide(identifier)
        shapes = list(_shapes(slide))
        opens = number == 1 and any(shape.placeholder == "ctrTitle" for shape in shapes)
        write_slide(shapes, writer, number, opens=opens)
        for drawn in self._office.related(part, *_DRAWN):
            for text in plain_paragraphs(self._office.tree(drawn)):
                writer.add(text)
        if slide.has_notes_slide:
            write_notes(list(_shapes(slide.notes_slide)), writer)
        if damage := self._office.damage.get(part):
            raise damage


def _shapes(slide: Any) -> Iterator[Shape]:
    """Yield what is written on a slide, in the order in which it is drawn."""
    for alternatives in list(slide.element.iter("{*}AlternateContent")):
        _choose(alternatives)
    yield from _written(slide.shapes)


def _choose(alternatives: Any) -> None:
    """Put the first of some alternatives in the place of all; the library sees none of them."""
    around = alternatives.getparent()
    for element in list(next(iter(alternatives), ())):
        alternatives.addprevious(element)
    around.remove(alternatives)


def _written(shapes: Iterable[Any]) -> Iterator[Shape]:
    for shape in shapes:
        if local(shape.element) == "grpSp":
            yield from _written(shape.shapes)
            continue
        kind = shape.placeholder_format.type.xml_value if shape.is_placeholder else None
        if getattr(shape, "has_table", False):
            rows = [
                [" ".join(_paragraphs(cell)) for cell in row.iterchildren("{*}tc")]
                for row in shape.element.iter("{*}tr")
            ]
            yield Shape(kind, rows=rows)
        else:
            yield Shape(kind, _paragraphs(shape.element))


def _paragraphs(element: Any) -> list[str]:
    texts = (_text(paragraph).strip() for paragraph in element.iter("{*}p"))
    return [text for text in texts if text]


def _text(paragraph: Any) -> str:
    """Return the text of a paragraph, without the number of the slide."""
    parts = []
    for element in paragraph.iter("{*}t", "{*}br", "{*}tab"):
        name = local(element)
        if name != "t":
            parts.append("\n" if name == "br" else "" if attribute(element, "pos") else " ")
        elif attribute(element.getparent(), "type") != "slidenum":
            parts.append(element.text or "")
    return "".join(parts)


def open_source(path: Path, password: str | None, limits: Limits) -> PptxSource:
    """Open a presentation (``indexer.extract.base.Opener``)."""
    office = OfficeFile(path, limits, _KINDS, "ppt/presentation.xml", "no_slides")
    try:
        return PptxSource(office)
    except BaseException:
        office.close()
        raise
