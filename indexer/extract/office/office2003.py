"""Documents and workbooks that Word and Excel 2003 saved as XML, also below .doc and .xls.

WordprocessingML 2003 has the paragraphs of Word documents in one file, as has the flat form of the
newer format; SpreadsheetML 2003 has rows of typed values.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING, Any

from indexer.extract.base import PlainSource, RawPage, check_size
from indexer.extract.document import Budget
from indexer.extract.office.sheets import UNNAMED, SheetWriter, displayed, without_zero_time
from indexer.extract.office.xml import attribute, local, read_pieces
from indexer.extract.page_writer import PageWriter, salvage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits

_CHUNK_BYTES = 1 << 16
_TEXT = frozenset({
    "package", "part", "xmlData", "wordDocument", "document", "body", "sect", "sub-section", "tbl",
    "sdt", "sdtContent", "styles",
})  # fmt: skip
_SHEETS = frozenset({"Workbook", "Worksheet", "Table"})
# Number formats that have names.
_NAMED_FORMATS = {
    "Fixed": "0.00", "Standard": "#,##0.00", "Percent": "0.00%", "Scientific": "0.00E+00",
    "Short Time": "h:mm", "Long Time": "h:mm:ss", "Medium Date": "d-mmm-yy",
}  # fmt: skip
_MAX_STYLES = 5_000


class FlatFile(PlainSource):
    """An XML file that is read piece by piece."""

    def __init__(self, path: Path, limits: Limits) -> None:
        check_size(path, limits.package_bytes)
        self.page_count = 1
        self._file = path.open("rb")
        self._budget = Budget(limits)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._budget)
        return salvage(self._pages(writer), writer)

    def close(self) -> None:
        self._file.close()

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        raise NotImplementedError

    def _pieces(self, containers: frozenset[str]) -> Iterator[Any]:
        chunks = iter(lambda: self._file.read(_CHUNK_BYTES), b"")
        return read_pieces(
            chunks, self._budget, lambda tag: str(tag).rpartition("}")[2] in containers
        )


class FlatDocument(FlatFile):
    """A text; ``make_body`` returns what writes its elements, given its styles."""

    def __init__(
        self, path: Path, limits: Limits, make_body: Callable[[PageWriter, Any], Any]
    ) -> None:
        super().__init__(path, limits)
        self._make_body = make_body

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        styles: list[Any] = []
        body = None
        try:
            for piece in self._pieces(_TEXT):
                if local(piece) == "style" and len(styles) < _MAX_STYLES:
                    styles.append(deepcopy(piece))
                elif next(piece.iterancestors("{*}body"), None) is not None:
                    body = body or self._make_body(writer, styles)
                    body.write(piece)
                    yield from writer.completed()
        finally:
            self.page_count = writer.page
        yield from writer.finish()


class FlatWorkbook(FlatFile):
    """A workbook: each sheet is a page."""

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        sheet: SheetWriter | None = None
        number = 0
        codes: dict[str, str] = {}
        for piece in self._pieces(_SHEETS):
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
                if number > 1:
                    writer.begin_page(number)
                around = piece if name == "Worksheet" else next(piece.iterancestors("{*}Worksheet"))
                title = attribute(around, "Name")
                sheet = SheetWriter(writer, "" if UNNAMED.match(title) else title)
            if name == "Row":
                sheet.row(list(_cells(piece, codes)))
            else:
                sheet.finish()
                sheet = None
            yield from writer.completed()
        yield from writer.finish()


def _cells(row: Any, codes: dict[str, str]) -> Iterator[str]:
    """Yield the values of a row, each followed by its comment; ``codes`` are formats by styles."""
    for cell in row.iterchildren("{*}Cell"):
        code = codes.get(attribute(cell, "StyleID"), "")
        for data in cell.iter("{*}Data"):
            text = "".join(data.itertext())
            if attribute(data, "Type") == "DateTime":
                text = without_zero_time(text.replace("T", " ").partition(".")[0])
            elif attribute(data, "Type") == "Number" and code:
                text = _number(text, _NAMED_FORMATS.get(code, code))
            yield text


def _number(text: str, code: str) -> str:
    try:
        return displayed(float(text), code) or text
    except ValueError:
        return text
