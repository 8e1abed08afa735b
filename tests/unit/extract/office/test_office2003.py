"""Office files that were saved as XML or as web archives, below the extensions of older ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

_WORD = "http://schemas.microsoft.com/office/word/2003/wordml"
_SHEET = "urn:schemas-microsoft-com:office:spreadsheet"
WORD = f"""<?xml version="1.0"?><?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="{_WORD}"><w:styles><w:style w:styleId="x"><w:name w:val="heading 1"/>
</w:style></w:styles><w:docPr><w:p><w:r><w:t>no text</w:t></w:r></w:p></w:docPr><w:body><w:sect>
<w:p><w:pPr><w:pStyle w:val="x"/></w:pPr><w:r><w:t>Of oil</w:t></w:r></w:p>
<w:p><w:r><w:t>It burns.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>Year</w:t></w:r></w:p>
</w:tc><w:tc><w:p><w:r><w:t>1890</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:sect></w:body>
</w:wordDocument>"""
SHEET = f"""<?xml version="1.0"?><Workbook xmlns="{_SHEET}" xmlns:ss="{_SHEET}"><Styles/>
<Worksheet ss:Name="Oil"><Table><Row><Cell><Data ss:Type="String">wick</Data></Cell>
<Cell><Data ss:Type="Number">12.5</Data></Cell>
<Cell><Data ss:Type="DateTime">2024-03-05T00:00:00.000</Data></Cell></Row></Table></Worksheet>
<Worksheet ss:Name="Sheet2"><Table><Row><Cell><Data>glass</Data></Cell></Row></Table></Worksheet>
</Workbook>"""
ARCHIVE = """From: <Saved by a browser>
MIME-Version: 1.0
Content-Type: multipart/related; boundary="b"

--b
Content-Type: text/html

<h1>Of oil</h1><p>It burns.
--b--
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", ["a.doc", "a.docx"])
def test_a_text_of_word_2003(tmp_path: Path, name: str, encoding: str) -> None:
    text = WORD.replace("?>", f' encoding="{encoding}"?>', 1)
    (tmp_path / name).write_bytes(text.encode(encoding))
    assert read(tmp_path / name).blocks() == [
        ("heading2", "Of oil"), ("paragraph", "It burns."), ("table", "Year\t1890"),
    ]  # fmt: skip


def test_the_flat_form_of_a_newer_text(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_text(
        '<?xml version="1.0"?><pkg:package '
        'xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part><pkg:xmlData>'
        "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>It burns.</w:t></w:r></w:p></w:body>"
        "</w:document></pkg:xmlData></pkg:part></pkg:package>"
    )
    assert read(path).blocks() == [("paragraph", "It burns.")]


def test_a_workbook_of_excel_2003(tmp_path: Path) -> None:
    path = tmp_path / "a.xls"
    path.write_text(SHEET)
    found = read(path)
    assert (found.form, found.count) == ("xlsx", 2)
    assert found.blocks(1) == [("heading1", "Oil"), ("table", "wick\t12.5\t2024-03-05")]
    assert found.blocks(2) == [("table", "glass")]


def test_text_before_a_damage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_text(WORD[: WORD.index("<w:tbl>")])
    found = read(path)
    assert found.blocks()[-1] == ("paragraph", "It burns.")
    assert found.unreadable == [1]


@pytest.mark.parametrize("name", ["a.doc", "a.xls"])
def test_web_archives(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(ARCHIVE)
    found = read(tmp_path / name)
    assert found.form == "eml"
    assert "It burns." in found.text
