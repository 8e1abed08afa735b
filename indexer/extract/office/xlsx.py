"""Excel workbooks: each sheet a page, its rows the lines of a table.

Owns which parts of the file are read and how values are written. Formulas are read for the values
they last had. Hidden sheets are read, those that only a macro can show are not. Where a cell claims
to stand is never believed, only that it comes next. Numbers are written plainly, without the
separators and colours of their formats, except that dates are dates and shares are percent.
The library fails a whole workbook over a style, a filter or a name that it does not expect, so it
gets none of them: only rows, strings and the formats of numbers.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from openpyxl import load_workbook

from indexer.api.errors import WorldError
from indexer.extract.base import RawPage
from indexer.extract.office.ooxml import MAIN, Kind, OfficeFile, library_failures
from indexer.extract.office.ooxml_parts import attribute, paragraphs
from indexer.extract.office.sheets import UNNAMED, SheetWriter
from indexer.extract.page_writer import SALVAGEABLE, PageWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.api.types import OutlineEntry
    from indexer.config import Limits

_MAX_SHEETS = 10_000
_SHEETS = ("worksheet", "chartsheet", "dialogsheet", "xlMacrosheet", "xlIntlMacrosheet")
_DRAWN = ("comments", "threadedComment", "drawing")
_SHEET = Kind(
    "spreadsheetml.worksheet",
    alias="worksheet",
    streamed=True,
    keep=frozenset({"sheetData"}),
    drop=frozenset({"rPr", "rPh", "extLst"}),
    changes=(
        # The library keeps the attributes of every row, and fills up the room between cells.
        (re.compile(rb"<(\w+:)?row\b[^>]*?(/?)>"), rb"<\1row\2>"),
        (re.compile(rb"""(<(?:\w+:)?c\b[^>]*?)\sr=["'][^"']*["']"""), rb"\1"),
        # It reads a sheet that does not say its size twice.
        (re.compile(rb"<(\w+:)?sheetData\b"), rb'<\1dimension ref="A1"/><\1sheetData'),
    ),
)
_KINDS = {
    MAIN: Kind("spreadsheetml.sheet.main", keep=frozenset({"workbookPr", "sheets"})),
    "sharedStrings": Kind(
        "spreadsheetml.sharedStrings", streamed=True, drop=frozenset({"rPr", "rPh", "phoneticPr"})
    ),
    "styles": Kind(
        "spreadsheetml.styles",
        place="xl/styles.xml",
        keep=frozenset({"numFmts", "cellXfs"}),
        drop=frozenset({"alignment", "protection", "extLst"}),
    ),
    **dict.fromkeys(_SHEETS, _SHEET),
    **dict.fromkeys(_DRAWN, Kind()),
}
_NO_CODE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')


class XlsxSource:
    """An open workbook."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, office: OfficeFile) -> None:
        self._office = office
        self.metadata = office.metadata
        self._sheets = [
            (attribute(sheet, "name"), office.part(office.main, attribute(sheet, "id")))
            for sheet in office.tree(office.main).iter("{*}sheet")
            if attribute(sheet, "state") != "veryHidden"
        ][:_MAX_SHEETS]
        self.page_count = len(self._sheets)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        with library_failures():
            book = load_workbook(self._office.file, read_only=True, data_only=True)
        writer = PageWriter(self._office.budget)
        for number, (name, part) in enumerate(self._sheets, 1):
            writer.page = number
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
                continue
            rows = SheetWriter(writer, "" if self.page_count == 1 and UNNAMED.match(name) else name)
            try:
                if not part:
                    raise WorldError("unreadable", reason="sheet_missing")
                for row in _rows(book, name):
                    rows.row(row)
                    yield from writer.take()
                rows.finish()
                self._drawn(part, writer, rows)
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise
                if error.code == "unreadable":  # past a limit there is room for nothing
                    rows.finish()
                yield from writer.abandon()
                yield RawPage(number, "", unreadable=error.reason)
                continue
            yield from writer.finish()

    def close(self) -> None:
        self._office.close()

    def _drawn(self, part: str, writer: PageWriter, rows: SheetWriter) -> None:
        """Write comments and what stands in drawings, below the sheet."""
        for drawn in self._office.related(part, *_DRAWN):
            for text in paragraphs(self._office.tree(drawn)):
                rows.begin()
                writer.add(text)
        if damage := self._office.damage.get(part):
            raise damage


def _rows(book: Any, name: str) -> Iterator[list[str]]:
    """Yield the values of each row of a sheet, as far as it has any."""
    with library_failures():
        sheet = book[name]
        sheet.reset_dimensions()
        for row in sheet.iter_rows():
            yield [_shown(cell) for cell in row if cell.value is not None]


def _shown(cell: Any) -> str:
    """Write a value as its style wants it: a date, a time, a share, or itself."""
    value = cell.value
    if isinstance(value, str):
        return "" if cell.data_type == "e" else value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        if _is_share(cell):
            return f"{value * 100:.12g}%"
        return str(value) if isinstance(value, int) else f"{value:.15g}"
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}".removesuffix(":00")
    if isinstance(value, dt.datetime):
        value += dt.timedelta(microseconds=500_000)  # rounds to seconds
        if value.time().replace(microsecond=0) == dt.time():
            return value.date().isoformat()
        return f"{value:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
    return str(value).partition(".")[0].removesuffix(":00")


def _is_share(cell: Any) -> bool:
    try:
        code = _NO_CODE.sub("", cell.number_format)
    except IndexError:  # a style that the workbook does not have
        return False
    return code.partition(";")[0].rstrip().endswith("%")


def open_source(path: Path, password: str | None, limits: Limits) -> XlsxSource:
    """Open a workbook (``indexer.extract.base.Opener``)."""
    office = OfficeFile(path, limits, _KINDS, "xl/workbook.xml", "no_sheets")
    try:
        return XlsxSource(office)
    except BaseException:
        office.close()
        raise
