"""PowerPoint presentations: each slide a page, its title the heading, its notes below it.

Owns which parts of the file are read and in which order, and what the library's shapes hold.
Hidden slides are slides: whoever wrote them finds them; hidden shapes are not seen. What stands on
a layout or a master is read with the first slide that shows it, diagrams and comments for their
text, charts for their values; pictures and films are never touched. Paragraphs are read from the
elements the library holds, because its own text of them has the slide's number in it and no
formula.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pptx

from indexer.api.errors import WorldError
from indexer.extract.base import RawPage
from indexer.extract.office.charts import write_chart
from indexer.extract.office.docx_styles import written_number
from indexer.extract.office.ooxml import MAIN, Kind, OfficeFile, library_failures
from indexer.extract.office.ooxml_parts import attribute, local
from indexer.extract.office.ooxml_parts import paragraphs as plain_paragraphs
from indexer.extract.office.slides import Shape, write_notes, write_slide
from indexer.extract.page_writer import SALVAGEABLE, PageWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from indexer.api.types import OutlineEntry
    from indexer.config import Limits

_CHARTS = ("chart", "chartEx")
_DRAWN = ("diagramData", *_CHARTS, "comments")
_AROUND = ("slideLayout", "slideMaster")
_KINDS = {
    MAIN: Kind("presentationml.presentation.main"),
    "slide": Kind("presentationml.slide"),
    "notesSlide": Kind("presentationml.notesSlide"),
    **dict.fromkeys((*_DRAWN, *_AROUND, "chartUserShapes"), Kind()),
}
_LEGIBLE = re.compile(r"[^\W_]")  # quotation marks are pictures there
_NUMBERED = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
          "romanUc": "upperRoman"}  # fmt: skip
_AROUND_NUMBERS = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}
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
        self._shown: set[str] = set()  # layouts and masters that were read

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
            self._drawn(drawn, writer)
        if attribute(slide.element, "showMasterSp") not in ("0", "false"):
            self._around(part, _AROUND, writer)
        if slide.has_notes_slide:
            write_notes(list(_shapes(slide.notes_slide)), writer)
        if damage := self._office.damage.get(part):
            raise damage

    def _drawn(self, drawn: str, writer: PageWriter) -> None:
        """Write a diagram, a chart with what was drawn into it, or comments."""
        root = self._office.tree(drawn)
        if local(root) == "chartSpace":
            write_chart(root, writer)
        else:
            for text in plain_paragraphs(root):
                writer.add(text)
        for shapes in self._office.related(drawn, "chartUserShapes"):
            for text in plain_paragraphs(self._office.tree(shapes)):
                writer.add(text)

    def _around(self, part: str, kinds: Sequence[str], writer: PageWriter) -> None:
        """Write what stands on the layout of a slide and on its master, unless it was written."""
        for around in self._office.related(part, *kinds[:1]):
            if around in self._shown:
                continue
            self._shown.add(around)
            root = self._office.tree(around)
            for shape in root.iter("{*}sp"):
                if next(shape.iter("{*}ph"), None) is None and not _is_hidden(shape):
                    for text in filter(_LEGIBLE.search, _paragraphs(shape)):
                        writer.add(text)
            if attribute(root, "showMasterSp") not in ("0", "false"):
                self._around(around, kinds[1:], writer)


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
        if _is_hidden(shape.element):
            continue
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


def _is_hidden(shape: Any) -> bool:
    known = shape.find("./{*}*/{*}cNvPr")
    return known is not None and attribute(known, "hidden") in ("1", "true")


def _paragraphs(element: Any) -> list[str]:
    """Return the paragraphs of a shape, with the numbers that stand before them."""
    found = []
    counts: dict[int, int] = {}
    for paragraph in element.iter("{*}p"):
        text = _text(paragraph).strip()
        if text:
            found.append(_number(paragraph, counts) + text)
    return found


def _number(paragraph: Any, counts: dict[int, int]) -> str:
    """Return the number of a paragraph and count it; "" for one that says of none."""
    properties = paragraph.find("{*}pPr")
    level = attribute(properties, "lvl") if properties is not None else ""
    depth = int(level[:2]) if level.isdecimal() else 0
    for deeper in [each for each in counts if each > depth]:
        del counts[deeper]
    numbered = properties.find("{*}buAutoNum") if properties is not None else None
    form = _NUMBERED.match(attribute(numbered, "type")) if numbered is not None else None
    if form is None:
        counts.pop(depth, None)
        return ""
    first = attribute(numbered, "startAt")
    counts[depth] = counts.get(depth, int(first[:6]) - 1 if first.isdecimal() else 0) + 1
    number = written_number(counts[depth], _FORMS.get(form[1], ""))
    return _AROUND_NUMBERS[form[2]].format(number) + " "


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
