"""Excel workbooks (SpreadsheetML): each sheet is a page, with its rows as a table.

The cached values of formulas are read. Hidden sheets are read, but not "very hidden" ones, which
only macros can show. The positions of cells are ignored. python-calamine, a reader in Rust,
allocates each sheet as a rectangle up to its last cell. Two cells in opposite corners then become
17 billion and end a process of 4 GB, but take 20 MB here.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.embedded.office_objects import EMBEDDED, OfficeObjects
from indexer.extract.office.office2003 import FlatWorkbook
from indexer.extract.office.ooxml import OfficePackage, OfficeSource
from indexer.extract.office.package import is_packed, opened
from indexer.extract.office.sheets import (
    BUILTIN_FORMATS,
    EPOCH,
    EPOCH_1904,
    UNNAMED,
    SheetWriter,
    displayed,
    without_zero_time,
)
from indexer.extract.office.xml import (
    PAGE_NUMBER,
    attribute,
    local,
    paragraphs,
    text_position,
    whole_number,
)
from indexer.extract.page_writer import SALVAGEABLE, PageWriter, read_each

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage

_MAX_SHEETS = 10_000
_SHEETS = frozenset({"worksheet", "chartsheet", "dialogsheet", "macrosheet", "sheetData"})
_DRAWN = ("comments", "threadedComment", "drawing")
_SECTION = re.compile("&[LCR]")
# Codes for fonts, sizes, colours and fields of heads and feet.
_MARGIN_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-F]{6}|K\d\d[+-]\d{3}|\d{1,3}|.)', re.IGNORECASE)
_MARGIN_SIGNS = {"&&": "&", "&P": "1", "&N": "1"}
_IN_DRAWINGS = ("chart", "chartEx", "diagramData")


class XlsxSource(OfficeSource):
    """An open workbook."""

    def __init__(self, package: OfficePackage) -> None:
        super().__init__(package)
        root = self._main()
        self._sheets = [
            (attribute(sheet, "name"), package.part(package.main, attribute(sheet, "id")))
            for sheet in root.iter("{*}sheet")
            if attribute(sheet, "state") != "veryHidden"
        ][:_MAX_SHEETS]
        self.page_count = len(self._sheets)
        from_1904 = (attribute(each, "date1904") for each in root.iter("{*}workbookPr"))
        self._written: set[str] = set()  # heads and feet
        self._epoch = EPOCH_1904 if next(from_1904, "") in ("1", "true") else EPOCH

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        cells = _Cells(self._formats(), list(self._strings()), self._epoch)
        yield from read_each(self.page_count, skip, writer, partial(self._sheet, cells, writer))
        objects = OfficeObjects(self._package, writer, self.on_page)
        embedded = (self._package.related(part, *EMBEDDED) for _, part in self._sheets)
        yield from objects.objects_of_pages(embedded, skip)

    def _sheet(self, cells: _Cells, writer: PageWriter, number: int) -> Iterator[None]:
        name, part = self._sheets[number - 1]
        rows = SheetWriter(writer, "" if self.page_count == 1 and UNNAMED.match(name) else name)
        try:
            if not part:
                raise WorldError("unreadable", reason="sheet_missing")
            margins: list[str] = []
            for piece in self._package.pieces(part, _SHEETS):
                if local(piece) == "row":
                    rows.add_row(cells.row(piece))
                    yield
                elif local(piece) == "headerFooter":
                    margins += _margins(piece)
            rows.finish()
            for text in margins:
                if text not in self._written:  # as another sheet's
                    self._written.add(text)
                    writer.add_block(text, BlockKind.BOILERPLATE)
            self._drawn(part, writer, rows)
        except WorldError as error:
            if error.code == "unreadable":  # after ``too_complex`` nothing more may be written
                rows.finish()
            raise

    def _strings(self) -> Iterator[str]:
        """Yield the shared strings, up to the first damage."""
        for part in self._package.related(self._package.main, "sharedStrings")[:1]:
            try:
                for piece in self._package.pieces(part, frozenset({"sst"})):
                    if local(piece) == "si":
                        yield _text(piece)
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise

    def _formats(self) -> list[str]:
        """Return the number formats, in the order of the cell styles."""
        found: list[str] = []
        for part in self._package.related(self._package.main, "styles")[:1]:
            codes: dict[int, str] = dict(BUILTIN_FORMATS)
            for each in self._package.elements(part, "numFmt", "cellXfs"):
                if local(each) == "numFmt":
                    codes[whole_number(attribute(each, "numFmtId"))] = attribute(each, "formatCode")
                else:
                    used = (whole_number(attribute(xf, "numFmtId")) for xf in each)
                    found = [codes.get(number, "") for number in used]
        return found

    def _drawn(self, part: str, writer: PageWriter, rows: SheetWriter) -> None:
        """Write comments and the text of drawings, after the sheet."""
        for drawn in self._package.related(part, *_DRAWN):
            # The values of charts are in cells.
            for each in (drawn, *self._package.related(drawn, *_IN_DRAWINGS)):
                for text in paragraphs(self._package.tree(each)[0]):
                    rows.begin()
                    writer.add_block(text)


class _Cells(Struct, frozen=True):
    """Formats the values of cells, given the formats of styles, shared strings and an epoch."""

    formats: list[str]
    strings: list[str]
    epoch: dt.datetime

    def row(self, row: Any) -> list[str]:
        """Return the values of a row.

        Raises ``unreadable`` for an invalid value.
        """
        try:
            return [self._value(cell) for cell in row if local(cell) == "c"]
        except (ValueError, IndexError) as error:
            raise WorldError("unreadable", reason="parts_damaged", said=str(error)[:200]) from error

    def _value(self, cell: Any) -> str:
        kind, style = cell.get("t", "n"), int(cell.get("s", 0))
        if kind == "inlineStr":
            return "".join(_text(each) for each in cell if local(each) == "is")
        value = next((each.text or "" for each in cell if local(each) == "v"), "")
        if not value or kind in ("e", "str"):
            return "" if kind == "e" else value
        if kind == "s":
            return self.strings[int(value)]
        if kind == "b":
            return str(bool(int(value))).upper()
        if kind == "d":
            text = value.removesuffix("Z").replace("T", " ").partition(".")[0]
            return without_zero_time(text) if text.count(":") >= 2 else text
        number = float(value) if set(value) & set(".eE") else int(value)
        code = self.formats[style] if style < len(self.formats) else ""
        shown = displayed(number, code, self.epoch) if code else None
        if shown is None:
            shown = str(number) if isinstance(number, int) else f"{number:.15g}"
        return shown


def _margins(element: Any) -> Iterator[str]:
    """Yield the heads and feet of a sheet, unless they are only numbers and names."""
    for each in element:
        for text in _SECTION.split(each.text or ""):
            shown = _MARGIN_CODE.sub(lambda found: _MARGIN_SIGNS.get(found[0].upper(), ""), text)
            shown = " ".join(shown.split())
            if any(map(str.isalpha, shown)) and not PAGE_NUMBER.match(shown):
                yield shown


def _text(element: Any) -> str:
    """Return the text of a string, without phonetic text."""
    parts = (
        text_position(each.getparent())(each.text or "")
        for each in element.iter("{*}t")
        if local(each.getparent()) not in ("rPh", "phoneticPr")
    )
    return "".join(parts).replace("x005F_", "")


def open_source(path: Path, password: str | None, limits: Limits) -> XlsxSource | FlatWorkbook:
    """Open a workbook (``indexer.extract.base.Opener``)."""
    if not is_packed(path):
        return FlatWorkbook(path, limits)
    return opened(OfficePackage(path, limits, "xl/workbook.xml", "no_sheets"), XlsxSource)
