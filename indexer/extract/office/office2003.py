"""Documents and workbooks that Word and Excel 2003 saved as XML, also as .doc and .xls.

WordprocessingML 2003 and the flat form of the newer format have the paragraphs of a Word document
in one file. SpreadsheetML 2003 has rows of typed values.
"""

from __future__ import annotations

import datetime as dt
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any

from indexer.extract.office.package import packed_chunks
from indexer.extract.office.sheets import (
    EPOCH,
    UNNAMED,
    SheetWriter,
    displayed,
    without_zero_time,
)
from indexer.extract.office.xml import attribute, local, read_pieces
from indexer.extract.page_writer import PageWriter, WrittenSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from indexer.config import Limits

_TEXT = frozenset({
    "package", "part", "xmlData", "wordDocument", "document", "body", "sect", "sub-section", "tbl",
    "sdt", "sdtContent", "styles",
})  # fmt: skip
_SHEETS = frozenset({"Workbook", "Worksheet", "Table"})
# The codes of number formats with names.
_NAMED_FORMATS = {
    "Fixed": "0.00", "Standard": "#,##0.00", "Percent": "0.00%", "Scientific": "0.00E+00",
    "Short Time": "h:mm", "Long Time": "h:mm:ss", "Medium Date": "d-mmm-yy",
}  # fmt: skip
_MAX_STYLES = 5_000


class FlatDocument(WrittenSource["Path"]):
    """A text. ``make_body`` returns the writer of its elements, given its styles."""

    def __init__(
        self, path: Path, limits: Limits, make_body: Callable[[PageWriter, Any], Any]
    ) -> None:
        super().__init__(path, limits)
        self._make_body = make_body

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        styles: list[Any] = []
        body, chunks = None, packed_chunks(self._file, "", self.budget)
        try:
            for piece in read_pieces(chunks, self.budget, _TEXT):
                if local(piece) == "style" and len(styles) < _MAX_STYLES:
                    styles.append(deepcopy(piece))
                elif next(piece.iterancestors("{*}body"), None) is not None:
                    body = body or self._make_body(writer, styles)
                    body.write(piece)
                    yield
        finally:
            self.page_count = writer.page


class FlatWorkbook(WrittenSource["Path"]):
    """A workbook, with each sheet as a page."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        sheet: SheetWriter | None = None
        number = 0
        codes: dict[str, str] = {}
        for piece in read_pieces(packed_chunks(self._file, "", self.budget), self.budget, _SHEETS):
            name = local(piece)
            if name == "Styles":
                codes = {
                    attribute(form.getparent(), "ID"): attribute(form, "Format")
                    for form in islice(piece.iter("{*}NumberFormat"), _MAX_STYLES)
                }
            if name not in ("Row", "Worksheet"):
                continue
            if sheet is None:
                number += 1
                self.page_count = number
                writer.begin_page(number)
                around = piece if name == "Worksheet" else next(piece.iterancestors("{*}Worksheet"))
                title = attribute(around, "Name")
                sheet = SheetWriter(writer, "" if UNNAMED.match(title) else title)
            if name == "Row":
                sheet.add_row(list(_cells(piece, codes)))
            else:
                sheet.finish()
                sheet = None
            yield


def _cells(row: Any, codes: dict[str, str]) -> Iterator[str]:
    """Yield the values of a row, each followed by its comment. ``codes`` has formats by style."""
    for cell in row.iterchildren("{*}Cell"):
        code = codes.get(attribute(cell, "StyleID"), "")
        for data in cell.iter("{*}Data"):
            text = "".join(data.itertext())
            if attribute(data, "Type") == "DateTime":
                text = _date(text.partition(".")[0], _NAMED_FORMATS.get(code, code))
            elif attribute(data, "Type") == "Number" and code:
                text = _number(text, _NAMED_FORMATS.get(code, code))
            yield text


def _date(text: str, code: str) -> str:
    try:
        days = (dt.datetime.fromisoformat(text) - EPOCH) / dt.timedelta(days=1)
        shown = displayed(days, code) if code else ""
    except (ValueError, TypeError):
        shown = ""
    return shown or without_zero_time(text.replace("T", " "))


def _number(text: str, code: str) -> str:
    try:
        return displayed(float(text), code) or text
    except ValueError:
        return text
