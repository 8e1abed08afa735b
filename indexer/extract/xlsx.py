"""Excel workbooks: each sheet a page, its rows the lines of a table.

Owns which parts of the file are read and what the elements of a sheet mean; rows are written as
they come, so that a sheet of a million rows needs no more memory than one of ten. Formulas are
read for the values they last had. Hidden sheets are read, those that only a macro can show are
not. Where a cell claims to stand is never believed, only that it comes next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import RawPage
from indexer.extract.docx_styles import number as whole
from indexer.extract.ooxml import (
    Relations,
    core_properties,
    main_part,
    plain_paragraphs,
    with_references,
)
from indexer.extract.package import Package
from indexer.extract.page_writer import SALVAGEABLE, PageWriter
from indexer.extract.sheets import UNNAMED, SheetWriter
from indexer.extract.xlsx_cells import Formats, Strings
from indexer.extract.xml_events import feed, parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from indexer.extract.base import Limits
    from indexer.types import OutlineEntry

_MAX_SHEETS = 10_000
_MAX_CELLS = 20_000  # of one row; Excel has 16,384 columns
_DRAWN = ("comments", "threadedComment", "drawing")


class XlsxSource:
    """An open workbook."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = main_part(package, "xl/workbook.xml")
        if self._main not in package:
            raise WorldError("unreadable", reason="no_sheets")
        self.metadata = core_properties(package)
        self._book = _Workbook()
        parse(package.chunks(self._main), self._book, package.budget, with_references)
        self.page_count = len(self._book.sheets)
        self._strings = Strings()

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        relations = Relations(self._package, self._main)
        formats = Formats(from_1904=self._book.from_1904)
        for part in relations.of_kind("sharedStrings"):
            self._strings.read(self._package, part)
        for part in relations.of_kind("styles"):
            formats.read(self._package, part)
        writer = PageWriter(self._package.budget)
        for number, (name, reference) in enumerate(self._book.sheets, 1):
            writer.page = number
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
                continue
            rows = SheetWriter(writer, "" if self.page_count == 1 and UNNAMED.match(name) else name)
            try:
                yield from self._sheet(relations.part(reference), writer, rows, formats)
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise
                yield from writer.abandon()
                yield RawPage(number, "", unreadable=error.reason)
                continue
            yield from writer.finish()

    def close(self) -> None:
        self._strings.close()
        self._package.close()

    def _sheet(
        self, part: str, writer: PageWriter, rows: SheetWriter, formats: Formats
    ) -> Iterator[RawPage]:
        if not part:
            raise WorldError("unreadable", reason="sheet_missing")
        sheet = _Sheet(rows, self._strings, formats)
        for _ in feed(self._package.chunks(part), sheet, self._package.budget):
            yield from writer.take()
        rows.finish()
        for drawn in Relations(self._package, part).of_kind(*_DRAWN):
            if drawn in self._package:
                for text in plain_paragraphs(self._package, drawn):
                    rows.begin()
                    writer.add(text)


class _Workbook:
    """Collects the sheets that a person can see: names and references."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.from_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "workbookPr":
            self.from_1904 = attributes.get("date1904", "") in ("1", "true")
        elif (
            name == "sheet"
            and len(self.sheets) < _MAX_SHEETS
            and attributes.get("state") != "veryHidden"
        ):
            self.sheets.append((attributes.get("name", ""), attributes.get("r:id", "")))

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """Workbooks have no text."""


class _Sheet:
    """Reads rows of cells."""

    def __init__(self, rows: SheetWriter, strings: Strings, formats: Formats) -> None:
        self._rows = rows
        self._strings = strings
        self._formats = formats
        self._cells: list[str] = []
        self._value: list[str] = []
        self._kind = ""
        self._style = 0
        self._reading = False
        self._phonetic = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            self._kind = attributes.get("t", "n")
            self._style = whole(attributes.get("s", ""), 0)
            self._value = []
        elif name in ("v", "t"):
            self._reading = self._phonetic == 0
        elif name == "rPh":
            self._phonetic += 1
        elif name == "row":
            self._cells = []

    def end(self, name: str) -> None:
        if name in ("v", "t"):
            self._reading = False
        elif name == "rPh":
            self._phonetic -= 1
        elif name == "c":
            if len(self._cells) < _MAX_CELLS and (value := self._shown("".join(self._value))):
                self._cells.append(value)
        elif name == "row":
            self._rows.row(self._cells)
            self._cells = []

    def text(self, data: str) -> None:
        if self._reading:
            self._value.append(data)

    def _shown(self, value: str) -> str:
        if self._kind == "s":
            return self._strings[whole(value)]
        if self._kind == "n":
            return self._formats.shown(value, self._style) if value else ""
        if self._kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        return "" if self._kind == "e" else value


def open_source(path: Path, password: str | None, limits: Limits) -> XlsxSource:  # noqa: ARG001
    """Open a workbook (``indexer.extract.base.Opener``)."""
    package = Package(path, limits)
    try:
        return XlsxSource(package)
    except BaseException:
        package.close()
        raise
