"""Word documents: paragraphs, headings, lists, tables, notes, on the pages that Word laid out.

Owns which parts of the file are read and in which order; what stands in them is the matter of
``docx_body``. Pages are those of Word's last layout where the file remembers it, else there is
one. Heads and feet of pages are read once, after the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import docx

from indexer.api.errors import WorldError
from indexer.extract.office.docx_body import Body, read_notes
from indexer.extract.office.docx_styles import Numbering, Styles
from indexer.extract.office.ooxml import MAIN, Kind, OfficeFile, library_failures
from indexer.extract.office.ooxml_parts import paragraphs
from indexer.extract.page_writer import PageWriter, salvage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.api.types import OutlineEntry
    from indexer.config import Limits
    from indexer.extract.base import RawPage

_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
# How text looks is half of a document and nothing to read; neither are the marks of editing.
_LOOKS = frozenset({
    "rFonts", "sz", "szCs", "b", "bCs", "i", "iCs", "u", "color", "lang", "kern", "shd", "jc",
    "highlight", "spacing", "ind", "proofErr", "bookmarkStart", "bookmarkEnd", "tblPr", "tblGrid",
    "tcPr", "sectPr", "rPrChange", "pPrChange",
})  # fmt: skip
_EDITING = re.compile(rb"<w:(p|r|tr)\s[^>]*?(/?)>"), rb"<w:\1\2>"
_KINDS = {
    MAIN: Kind("wordprocessingml.document.main", drop=_LOOKS, changes=(_EDITING,)),
    "styles": Kind("wordprocessingml.styles"),
    "numbering": Kind("wordprocessingml.numbering"),
    **dict.fromkeys((*_NOTES, "header", "footer"), Kind()),
}
# "Page 3 of 12", whatever the language: numbers, and two short words at most.
_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:[^\W\d]{1,8}\W{0,3})?\d+\W{0,3}(?:[^\W\d]{1,5}\W{0,3}\d+\W{0,3})?$"
)


class DocxSource:
    """An open Word document."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, office: OfficeFile) -> None:
        self._office = office
        self.metadata = office.metadata
        self.page_count = 1
        with library_failures():
            self._document = docx.Document(office.file)
            self._body = self._document.element.body
        if self._body is None:
            raise WorldError("unreadable", reason="no_text_part")

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._office.budget)
        return salvage(self._pages(writer), writer)

    def close(self) -> None:
        self._office.close()

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        body = self._reader(writer)
        try:
            for _ in body.write(self._body):
                yield from writer.take()
        finally:
            self.page_count = writer.page
        if damage := self._office.damage.get(self._office.main):
            raise damage
        self._margins(writer)
        yield from writer.finish()

    def _reader(self, writer: PageWriter) -> Body:
        office, main = self._office, self._office.main
        with library_failures():
            styles = Styles(self._document.styles.element.style_lst)
            lists = [office.tree(part) for part in office.related(main, "numbering")]
            notes = dict(
                note
                for part_kind, kind in _NOTES.items()
                for part in office.related(main, part_kind)
                for note in read_notes(office.tree(part), kind)
            )
        return Body(writer, styles, Numbering(*lists[:1]), notes)

    def _margins(self, writer: PageWriter) -> None:
        """Write what stands in the heads and feet of pages, each text once."""
        seen: set[str] = set()
        for part in self._office.related(self._office.main, "header", "footer"):
            for text in paragraphs(self._office.tree(part)):
                if text not in seen and not _PAGE_NUMBER.match(text):
                    seen.add(text)
                    writer.add(text)


def open_source(path: Path, password: str | None, limits: Limits) -> DocxSource:
    """Open a Word document (``indexer.extract.base.Opener``)."""
    office = OfficeFile(path, limits, _KINDS, "word/document.xml", "no_text_part")
    try:
        return DocxSource(office)
    except BaseException:
        office.close()
        raise
