"""PowerPoint presentations: each slide a page, its title the heading, its notes below it.

Owns which parts of the file are read and in which order; what stands on a slide is the matter of
``pptx_slide``. Hidden slides are slides: whoever wrote them finds them. Diagrams and comments are
read for their text, pictures and films never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import RawPage
from indexer.extract.ooxml import (
    Relations,
    core_properties,
    main_part,
    plain_paragraphs,
    with_references,
)
from indexer.extract.package import Package
from indexer.extract.page_writer import SALVAGEABLE, PageWriter
from indexer.extract.pptx_slide import SlideText, write_notes, write_slide
from indexer.extract.xml_events import parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from indexer.extract.base import Limits
    from indexer.types import OutlineEntry

_MAX_SLIDES = 20_000
_DRAWN = ("diagramData", "chart", "comments")


class PptxSource:
    """An open presentation."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, package: Package) -> None:
        self._package = package
        main = main_part(package, "ppt/presentation.xml")
        if main not in package:
            raise WorldError("unreadable", reason="no_slides")
        self.metadata = core_properties(package)
        listed = _SlideList()
        parse(package.chunks(main), listed, package.budget, with_references)
        relations = Relations(package, main)
        self._slides = [part for part in map(relations.part, listed.slides) if part]
        self.page_count = len(self._slides)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._package.budget)
        for number, part in enumerate(self._slides, 1):
            writer.page = number
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
                continue
            try:
                self._slide(part, number, writer)
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise
                yield from writer.abandon()
                yield RawPage(number, "", unreadable=error.reason)
                continue
            yield from writer.finish()

    def close(self) -> None:
        self._package.close()

    def _slide(self, part: str, number: int, writer: PageWriter) -> None:
        slide = SlideText()
        parse(self._package.chunks(part), slide, self._package.budget)
        write_slide(slide, writer, number, opens=number == 1 and slide.is_opening)
        relations = Relations(self._package, part)
        for drawn in relations.of_kind(*_DRAWN):
            if drawn in self._package:
                for text in plain_paragraphs(self._package, drawn):
                    writer.add(text)
        for notes_part in relations.of_kind("notesSlide"):
            notes = SlideText()
            parse(self._package.chunks(notes_part), notes, self._package.budget)
            write_notes(notes, writer)


class _SlideList:
    """Collects the identifiers of the slides, in order."""

    def __init__(self) -> None:
        self.slides: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sldId" and len(self.slides) < _MAX_SLIDES:
            self.slides.append(attributes.get("r:id", ""))

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """The list has no text."""


def open_source(path: Path, password: str | None, limits: Limits) -> PptxSource:  # noqa: ARG001
    """Open a presentation (``indexer.extract.base.Opener``)."""
    package = Package(path, limits)
    try:
        return PptxSource(package)
    except BaseException:
        package.close()
        raise
