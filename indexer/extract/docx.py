"""Word documents: paragraphs, headings, lists, tables, notes, on the pages that Word laid out.

Owns which parts of the file are read and in which order; what stands in them is the matter of
``docx_body``. Pages are those of Word's last layout where the file remembers it, else there is
one. Heads and feet of pages are read once, after the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.docx_body import Body, Notes
from indexer.extract.docx_styles import Numbering, Styles
from indexer.extract.ooxml import Relations, core_properties, main_part, plain_paragraphs
from indexer.extract.package import Package
from indexer.extract.page_writer import PageWriter, salvage
from indexer.extract.xml_events import feed, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.extract.base import Limits, RawPage
    from indexer.types import OutlineEntry

_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
# "Page 3 of 12", whatever the language: numbers, and two short words at most.
_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:[^\W\d]{1,8}\W{0,3})?\d+\W{0,3}(?:[^\W\d]{1,5}\W{0,3}\d+\W{0,3})?$"
)


class DocxSource:
    """An open Word document."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = main_part(package, "word/document.xml")
        if self._main not in package:
            raise WorldError("unreadable", reason="no_text_part")
        self.metadata = core_properties(package)
        self.page_count = 1

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:  # noqa: ARG002
        writer = PageWriter(self._package.budget)
        return salvage(self._pages(writer), writer)

    def close(self) -> None:
        self._package.close()

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        relations = Relations(self._package, self._main)
        styles, numbering = Styles(), Numbering()
        self._optional(relations, "styles", styles.read)
        self._optional(relations, "numbering", numbering.read)
        notes: dict[tuple[str, str], str] = {}
        for part_kind, kind in _NOTES.items():
            self._optional(relations, part_kind, self._notes_reader(kind, notes))
        body = Body(writer, styles, numbering, notes)
        try:
            for _ in feed(self._package.chunks(self._main), body, self._package.budget):
                yield from writer.take()
        finally:
            self.page_count = writer.page
        self._margins(relations, writer)
        yield from writer.finish()

    def _notes_reader(
        self, kind: str, found: dict[tuple[str, str], str]
    ) -> Callable[[Package, str], None]:
        def read(package: Package, part: str) -> None:
            parse(package.chunks(part), Notes(kind, found), package.budget)

        return read

    def _optional(
        self, relations: Relations, kind: str, read: Callable[[Package, str], None]
    ) -> None:
        """Read the parts of a kind; a damage there must not cost the text."""
        for part in relations.of_kind(kind):
            try:
                read(self._package, part)
            except WorldError as error:
                if error.code != "unreadable":
                    raise

    def _margins(self, relations: Relations, writer: PageWriter) -> None:
        """Write what stands in the heads and feet of pages, each text once."""
        seen: set[str] = set()
        for part in relations.of_kind("header", "footer"):
            try:
                texts = plain_paragraphs(self._package, part)
            except WorldError:
                continue
            for text in texts:
                if text not in seen and not _PAGE_NUMBER.match(text):
                    seen.add(text)
                    writer.add(text)


def open_source(path: Path, password: str | None, limits: Limits) -> DocxSource:  # noqa: ARG001
    """Open a Word document (``indexer.extract.base.Opener``)."""
    package = Package(path, limits)
    try:
        return DocxSource(package)
    except BaseException:
        package.close()
        raise
