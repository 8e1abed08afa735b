"""Workbooks of both formats: sheets as pages, displayed values."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import openpyxl
import pytest

from indexer.extract.office.sheets import displayed
from tests.fuzz.samples import SENTENCE, ods
from tests.fuzz.samples import xlsx as made
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from pathlib import Path


def read_rows(tmp_path: Path, rows: str, strings: str = "", styles: str = "") -> Read:
    path = tmp_path / "a.xlsx"
    path.write_bytes(made({"Oil": rows}, strings, styles))
    return read(path)


def test_a_workbook_that_another_library_wrote(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    sheet.append(["Lamp", "Lit", "Share", "Litres"])
    sheet.append(["North", dt.date(2021, 5, 6), 0.125, 12.5])
    sheet["C2"].number_format = "0.0%"
    sheet["B2"].number_format = "DD/MM/YYYY"
    other = book.create_sheet("Notes")
    other["C7"] = SENTENCE
    other.sheet_state = "hidden"
    book.create_sheet("Secret").sheet_state = "veryHidden"
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path / "a.xlsx")
    assert found.count == 2
    assert found.blocks(1) == [
        ("heading1", "Budget"),
        ("table", "Lamp\tLit\tShare\tLitres\nNorth\t06/05/2021 (2021-05-06)\t12.5%\t12.5"),
    ]
    assert found.blocks(2) == [("heading1", "Notes"), ("table", SENTENCE)]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('<c t="s"><v>0</v></c>', "oil and wick"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="e"><v>#REF!</v></c>', ""),
        ('<c t="str"><f>A1</f><v>made</v></c>', "made"),
        ("<c><f>1+1</f><v>2</v></c>", "2"),
        ("<c><v>1234567890123456</v></c>", "1234567890123456"),
        ("<c><v>0.30000000000000004</v></c>", "0.3"),
        ('<c s="1"><v>44322.5</v></c>', "2021-05-06 12:00"),
        ('<c s="1"><v>1e308</v></c>', ""),
        ('<c s="1"><v>44322</v></c>', "2021-05-06"),
        ('<c s="2"><v>0.5</v></c>', "50%"),
        ('<c s="3"><v>12</v></c>', "day12.0 (12)"),
        ('<c s="4"><v>0.25</v></c>', "06:00"),
        ('<c s="5"><v>1.75</v></c>', "42:00"),
        ('<c t="d"><v>2021-05-06T07:08:09Z</v></c>', "2021-05-06 07:08:09"),
        ('<c s="9999"><v>7</v></c>', "7"),
    ],
)
def test_values_of_cells(tmp_path: Path, cell: str, expected: str) -> None:
    styles = (
        '<numFmts><numFmt numFmtId="170" formatCode="[Red]&quot;day&quot;0.0"/></numFmts><cellXfs>'
        '<xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="9"/><xf numFmtId="170"/>'
        '<xf numFmtId="20"/><xf numFmtId="46"/></cellXfs>'
    )
    strings = "<si><r><t>oil </t></r><r><t>and wick</t></r><rPh><t>ruby</t></rPh></si>"
    rows = f'<row><c t="inlineStr"><is><t>x</t></is></c>{cell}</row>'
    found = read_rows(tmp_path, rows, strings, styles)
    assert found.blocks()[-1] == ("table", f"x\t{expected}" if expected else "x")


@pytest.mark.parametrize("cell", ['<c t="s"><v>99</v></c>', "<c><v>nan</v></c>", '<c s="x"/>'])
def test_an_invalid_cell_ends_its_sheet(tmp_path: Path, cell: str) -> None:
    rows = f"<row><c><v>7</v></c></row><row>{cell}</row><row><c><v>8</v></c></row>"
    found = read_rows(tmp_path, rows)
    assert found.blocks() == [("heading1", "Oil"), ("table", "7")]
    assert found.unreadable == [1]


def test_invalid_styles_and_filters_are_ignored(tmp_path: Path) -> None:
    styles = (
        '<fonts><font><family val="99"/></font></fonts><cellXfs><xf numFmtId="14" fontId="7">'
        '<alignment vertical="middle"/></xf></cellXfs><cellStyles><x/></cellStyles>'
    )
    rows = (
        '<row ht="x"><c><v>44322</v></c></row></sheetData><autoFilter ref="?"/>'
        "<sheetViews><sheetView><pane state='odd'/></sheetView></sheetViews><sheetData>"
    )
    assert read_rows(tmp_path, rows, styles=styles).blocks()[-1] == ("table", "2021-05-06")


def test_column_names_are_the_heading_of_a_long_table(tmp_path: Path) -> None:
    def cells(*values: object) -> str:
        inner = "".join(f'<c t="inlineStr"><is><t>{v}</t></is></c>' for v in values)
        return f"<row>{inner}</row>"

    rows = [cells("Lamp", "Oil"), *(cells(f"lamp {n}", n) for n in range(40))]
    assert read_rows(tmp_path, "".join(rows)).blocks()[:2] == [
        ("heading1", "Oil"), ("heading2", "Lamp | Oil"),
    ]  # fmt: skip
    assert [kind for kind, _ in read_rows(tmp_path, "".join(rows[:5])).blocks()] == [
        "heading1", "table",
    ]  # fmt: skip


def test_long_sheets_are_split_into_sections_of_whole_rows(tmp_path: Path) -> None:
    row = "".join(
        f'<row><c t="inlineStr"><is><t>{SENTENCE} {n}</t></is></c></row>' for n in range(9000)
    )
    found = read_rows(tmp_path, row)
    assert len(found.pages) > 2
    assert {page.number for page in found.pages} == {1}
    lines = [line for kind, text in found.blocks() if kind == "table" for line in text.split("\n")]
    assert lines == [f"{SENTENCE} {n}" for n in range(9000)]


def test_declared_dimensions_of_a_sheet_are_ignored(tmp_path: Path) -> None:
    rows = '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>'
    assert read_rows(tmp_path, rows).blocks()[-1] == ("table", "7")
    cell = "<text:p>x</text:p></table:table-cell>"
    repeated = (
        '<table:table table:name="Oil"><table:table-row table:number-rows-repeated="1048576">'
        f'<table:table-cell table:number-columns-repeated="16384">{cell}</table:table-row>'
        "</table:table>"
    )
    (tmp_path / "a.ods").write_bytes(ods(repeated))
    assert len(read(tmp_path / "a.ods").text) < 100


def test_a_missing_sheet_is_an_unreadable_page(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(made({"One": "<row><c><v>1</v></c></row>", "Two": "<bad"}))
    found = read(tmp_path / "a.xlsx")
    assert found.unreadable == [2]
    assert ("table", "1") in found.blocks(1)


def test_heads_and_feet_of_sheets_are_read_once(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("Wick")):
        sheet.append(["Oil", 5])
        sheet.oddHeader.center.text = '&"Arial,Bold"&12Light && Lamp Ltd'
        sheet.oddFooter.left.text = "Page &P of &N"
        sheet.oddFooter.right.text = "&D &F"
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path / "a.xlsx")
    assert found.blocks(1)[-1] == ("boilerplate", "Light & Lamp Ltd")
    assert found.blocks(2) == [("heading1", "Wick"), ("table", "Oil\t5")]


def test_sheets_without_cells_are_without_text(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(made({"Sheet1": "", "Sheet2": ""}))
    assert read(tmp_path / "a.xlsx").text.strip() == ""


def test_displayed_values_of_open_document_sheets_are_read(tmp_path: Path) -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell><text:p>{text}</text:p>{more}</table:table-cell>"

    note = (
        "<office:annotation><dc:creator>M</dc:creator><text:p>Really?</text:p></office:annotation>"
    )
    rows = "".join(
        f"<table:table-row>{cell(a)}{cell(b, note if b == '12 l' else '')}</table:table-row>"
        for a, b in (("Lamp", "Oil"), ("North", "12 l"))
    )
    tables = f'<table:table table:name="Oil">{rows}</table:table>'
    (tmp_path / "a.ods").write_bytes(ods(tables + tables.replace('"Oil"', '"More"')))
    found = read(tmp_path / "a.ods")
    assert found.count == 2
    assert found.blocks(1) == [
        ("heading1", "Oil"), ("table", "Lamp\tOil\nNorth\t12 l Really?"),
    ]  # fmt: skip
    assert found.blocks(2)[0] == ("heading1", "More")


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (1234.5, "#,##0.00", "1,234.50"),
        (-1234, "#,##0;(#,##0)", "(1,234) (-1234)"),
        (-1234.5, '#,##0.00_);[Red]\\(#,##0.00\\)', "(1,234.50) (-1234.5)"),
        (-5, "#,##0;-#,##0", "-5"),
        (7, "0000", "0007 (7)"),
        (2.5, "0", "3 (2.5)"),
        (1 / 3, "0.00", "0.33"),
        (0.5, ".00", "0.50"),
        (12.5, "0.0##", "12.5"),
        (12, '_-* #,##0.00\\ "€"_-', "12.00 €"),
        (-5.5, "$#,##0.00_);($#,##0.00)", "($5.50) (-5.5)"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (491701234567, "+## ### #######", "+49 170 1234567 (491701234567)"),
        (5, '[>=5]"many";"few"', "many (5)"),
        (0, '0;-0;"zero"', "zero (0)"),
        (0.0825, "0.0%", "8.3% (8.25%)"),
        (12, "General", None),
        (12345, "@", None),
        (1.5, "0.00E+00", "1.50E+00 (1.5)"),
        (1234567, "#,##0,", "1,235 (1234567)"),
        (12000, '0.0,"k"', "12.0k (12000)"),
        (12345678, '#,##0,,"M"', "12M (12345678)"),
        (7, '"No. "0', "No. 7 (7)"),
        (12.5, '0.00 "kg"', "12.50 kg (12.5)"),
        (0.75, "# ?/?", "3/4 (0.75)"),
        (-1.5, "# ??/??", "-1 1/2 (-1.5)"),
        (3.25, "# ?/8", "3 2/8 (3.25)"),
        (3, "# ?/?", "3"),
        (5551234567, "(000) 000-0000", "(555) 123-4567 (5551234567)"),
        (5551234567, r"[<=9999999]###\-####;\(###\)\ ###\-####", "(555) 123-4567 (5551234567)"),
        (1234567, r"[<=9999999]###\-####;\(###\)\ ###\-####", "123-4567 (1234567)"),
        (123456789, "000-00-0000", "123-45-6789 (123456789)"),
        (1e300, "(000) 000", None),
        (float("inf"), "# ?/?", None),
        (45356, "DD.MM.YYYY", "05.03.2024 (2024-03-05)"),
        (45356, 'd"."m"."yy', "5.3.24 (2024-03-05)"),
        (45356, "yyyy-mm-dd", "2024-03-05"),
        (45356, "[$-407]d\\. mmmm yyyy;@", "5. März 2024 (2024-03-05)"),
        (45356, "[$-F800]dddd, mmmm d, yyyy", "Tuesday, March 5, 2024 (2024-03-05)"),
        (45356, 'yyyy"年"m"月"d"日"', "2024年3月5日 (2024-03-05)"),
        (45356.6042, "mmm-yy h:mm AM/PM", "Mar-24 2:30 PM (2024-03-05 14:30:03)"),
        (45356.5, "dd/mm/yyyy hh:mm", "05/03/2024 12:00 (2024-03-05 12:00)"),
        (0.5, "0%", "50%"),
    ],
)  # fmt: skip
def test_numbers_are_as_displayed_and_as_stored(
    value: float, code: str, expected: str | None
) -> None:
    assert displayed(value, code) == expected
