"""Word documents: the displayed text and its structure."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import docx
import pytest

from tests.fuzz.samples import SENTENCE, relations, xlsx, zipped
from tests.fuzz.samples import docx as made
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from pathlib import Path


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def read_body(tmp_path: Path, body: str, **more: str) -> Read:
    path = tmp_path / "a.docx"
    path.write_bytes(made(body, more))
    return read(path)


def test_a_document_that_another_library_wrote(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "Nights at the Harbour"
    document.core_properties.author = "Mina Harker"
    document.add_heading("The Keeper's Manual", 0)
    document.add_heading("Oil", 1)
    document.add_paragraph(SENTENCE)
    document.add_paragraph("wick", style="List Bullet")
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Year", "Oil", "1890", "12"), strict=True):
        cell.text = text
    document.add_paragraph("A lamp at night", style="Caption")
    document.sections[0].header.paragraphs[0].text = "Harbour Board"
    document.save(str(tmp_path / "a.docx"))
    found = read(tmp_path / "a.docx")
    assert found.blocks() == [
        ("heading1", "The Keeper's Manual"),
        ("heading2", "Oil"),
        ("paragraph", SENTENCE),
        ("list_item", "wick"),
        ("list_item", "1. first"),
        ("list_item", "2. second"),
        ("table", "Year\tOil\n1890\t12"),
        ("caption", "A lamp at night"),
        ("boilerplate", "Harbour Board"),
    ]
    assert (found.metadata.title, found.metadata.author) == (
        "Nights at the Harbour", "Mina Harker",
    )  # fmt: skip


def raised(text: str) -> str:
    return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{text}</w:t></w:r>'


def choice(chosen: int, *entries: str) -> str:
    listed = "".join(f'<w:listEntry w:val="{entry}"/>' for entry in entries)
    field = f'<w:ddList><w:result w:val="{chosen}"/>{listed}</w:ddList>'
    return f"<w:r><w:fldChar><w:ffData>{field}</w:ffData></w:fldChar></w:r>"


def formula(*parts: str) -> str:
    inside = "".join(
        part if part.startswith("<") else f"<m:r><m:t>{part}</m:t></m:r>" for part in parts
    )
    return f'<m:oMath xmlns:m="math">{inside}</m:oMath>'


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>", "seen"),
        ("<w:ins><w:r><w:t> added</w:t></w:r></w:ins>", "seen added"),
        ("<w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom>", "seen"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>!</w:t></w:r>", "seen!"),
        ('<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r>', "seenshown"),
        ("<w:r><w:instrText>PAGEREF</w:instrText></w:r><w:r><w:t> 7</w:t></w:r>", "seen 7"),
        ("<w:r><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r>", "seen\tx\ny"),
        ("<w:hyperlink><w:r><w:t> link</w:t></w:r></w:hyperlink>", "seen link"),
        ("<w:sdt><w:sdtContent><w:r><w:t> form</w:t></w:r></w:sdtContent></w:sdt>", "seen form"),
        (raised("3"), "seen³"),
        (raised("st"), "seenst"),
        ('<w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>2</w:t></w:r>', "seen₂"),
        ('<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>', "seenα"),
        ('<w:pict><w:shape><w:textpath string=" DRAFT"/></w:shape></w:pict>', "seen DRAFT"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>', "seen✓"),
        ('<w:r><w:sym w:font="Webdings" w:char="F0FC"/><w:sym w:char="x"/></w:r>', "seen"),
        ('<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>\uf06dg</w:t></w:r>', "seenµg"),
        (
            choice(1, "Oil", "Gas"),
            "seenGas",
        ),
        (
            "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>",
            "seen☒",
        ),
        (formula("<m:f><m:num>", "3", "</m:num><m:den>", "40", "</m:den></m:f>"), "seen3/40"),
        (formula("<m:sSup><m:e>", "10", "</m:e><m:sup>", "6", "</m:sup></m:sSup>"), "seen10⁶"),
        (formula("<m:rad><m:e><m:d><m:e>", "a+b", "</m:e></m:d></m:e></m:rad>"), "seen√((a+b))"),
        ("<w:r><w:ruby><w:rt><w:r><w:t>ruby</w:t></w:r></w:rt></w:ruby></w:r>", "seen"),
    ],
)
def test_only_displayed_text_of_a_paragraph_is_read(
    tmp_path: Path, run: str, expected: str
) -> None:
    body = f"<w:p><w:r><w:t>seen</w:t></w:r>{run}</w:p>"
    assert read_body(tmp_path, body).blocks() == [("paragraph", expected)]


def test_notes_follow_their_paragraph_and_comments_the_pages(tmp_path: Path) -> None:
    body = (
        '<w:p><w:r><w:t>Oil.</w:t><w:footnoteReference w:id="2"/></w:r>'
        '<w:r><w:endnoteReference w:id="2"/><w:commentReference w:id="0"/></w:r></w:p>'
        + paragraph("Next.")
    )
    found = read_body(
        tmp_path,
        body,
        footnotes='<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>line</w:t>'
        '</w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>Of whales.</w:t></w:r></w:p>'
        "</w:footnote></w:footnotes>",
        endnotes='<w:endnotes><w:endnote w:id="2"><w:p><w:r><w:t>At the end.</w:t></w:r></w:p>'
        "</w:endnote></w:endnotes>",
        comments='<w:comments><w:comment w:id="0" w:author="Mina" w:date="2024-05-01T10:00:00Z">'
        "<w:p><w:r><w:t>Really?</w:t></w:r></w:p>"
        "</w:comment></w:comments>",
    )
    assert [text for _, text in found.blocks()] == [
        "Oil.", "Of whales.", "At the end.", "Next.", "\u270e Comment, Mina, 2024-05-01: Really?",
    ]  # fmt: skip


def test_text_boxes_are_read_once(tmp_path: Path) -> None:
    inside = f"<w:txbxContent>{paragraph('In a box')}</w:txbxContent>"
    twice = f"<Choice>{inside}</Choice><Fallback>{inside}</Fallback>"
    box = f"<w:p><w:r><w:t>Outside</w:t>{twice}</w:r></w:p>"
    assert read_body(tmp_path, box).blocks() == [
        ("paragraph", "In a box"),
        ("paragraph", "Outside"),
    ]


def test_headings_come_from_styles_their_ancestors_and_outline_levels(tmp_path: Path) -> None:
    styles = (
        '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Own"><w:name w:val="Clause"/><w:basedOn w:val="H1"/></w:style>'
        '<w:style w:styleId="Loop"><w:name w:val="L"/><w:basedOn w:val="Loop"/></w:style>'
        '<w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style></w:styles>'
    )
    body = "".join(
        paragraph(text, properties)
        for text, properties in (
            ("A", '<w:pStyle w:val="Own"/>'),
            ("B", '<w:outlineLvl w:val="2"/>'),
            ("C", '<w:pStyle w:val="Loop"/>'),
            ("D", '<w:pStyle w:val="TOC1"/>'),
            ("E", '<w:pPrChange><w:pPr><w:pStyle w:val="H1"/></w:pPr></w:pPrChange>'),
        )
    )
    assert read_body(tmp_path, body, styles=styles).blocks() == [
        ("heading2", "A"), ("heading4", "B"), ("paragraph", "C"), ("furniture", "D"),
        ("paragraph", "E"),
    ]  # fmt: skip


def test_numbers_of_clauses_are_part_of_the_text(tmp_path: Path) -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for i, (form, text) in enumerate(
            [("decimal", "%1."), ("decimal", "%1.%2"), ("lowerRoman", "(%3)"), ("bullet", "o")]
        )
    )
    numbering = (
        f'<w:numbering><w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )
    depths = (0, 1, 1, 2, 3, 0, 1)
    body = "".join(
        paragraph("x", f'<w:numPr><w:ilvl w:val="{d}"/><w:numId w:val="1"/></w:numPr>')
        for d in depths
    )
    assert [text for _, text in read_body(tmp_path, body, numbering=numbering).blocks()] == [
        "1. x", "1.1 x", "1.2 x", "(i) x", "x", "2. x", "2.1 x",
    ]  # fmt: skip


def test_pages_are_those_of_the_last_layout(tmp_path: Path) -> None:
    turn = "<w:lastRenderedPageBreak/>"
    body = (
        paragraph("one")
        + f"<w:p><w:r>{turn}<w:t>two begins here</w:t></w:r></w:p>"
        + f"<w:p><w:r><w:t>begins on two, </w:t>{turn}<w:t>ends on three</w:t></w:r></w:p>"
        + f"<w:tbl><w:tr><w:tc><w:p><w:r>{turn}<w:t>a</w:t></w:r></w:p></w:tc>"
        f"<w:tc><w:p><w:r>{turn}<w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>" + paragraph("four")
    )
    found = read_body(tmp_path, body)
    assert found.count == 4
    assert [page.text for page in found.pages] == [
        "one", "two begins here\nbegins on two, ends on three", "a\tb", "four",
    ]  # fmt: skip


def test_a_layout_table_becomes_paragraphs(tmp_path: Path) -> None:
    cell = "".join(paragraph(f"{SENTENCE} {n}") for n in range(3))
    body = f"<w:tbl><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>"
    assert [kind for kind, _ in read_body(tmp_path, body).blocks()] == ["paragraph"] * 3


def test_damaged_styles_do_not_affect_the_text(tmp_path: Path) -> None:
    found = read_body(tmp_path, paragraph("kept"), styles="<w:styles><broken", numbering="<w:n>")
    assert found.text == "kept"
    assert found.unreadable == []


def test_what_stood_before_a_damage_is_kept(tmp_path: Path) -> None:
    found = read_body(tmp_path, paragraph("kept") + "<w:p></broken>")
    assert found.text.startswith("kept")
    assert found.unreadable == [1]


def with_parts(tmp_path: Path, body: str, *parts: tuple[str, str, bytes]) -> Read:
    """A document with parts: kind of relation (r1, r2, …), name, bytes."""
    path = tmp_path / "a.docx"
    path.write_bytes(made(body))
    with zipfile.ZipFile(path) as file:
        all_parts = {name: file.read(name) for name in file.namelist()}
    related = relations(*((kind, name) for kind, name, _ in parts)).encode()
    all_parts["word/_rels/document.xml.rels"] = related
    path.write_bytes(zipped({**all_parts, **{f"word/{name}": data for _, name, data in parts}}))
    return read(path)


MAIL = b"MIME-Version: 1.0\nContent-Type: text/html\n\n<h1>Findings</h1><p>The wick is dry."
WORD = made(paragraph("Findings", '<w:outlineLvl w:val="0"/>') + paragraph("The wick is dry."))


@pytest.mark.parametrize(
    ("name", "chunk"),
    [
        ("c.html", b"<html><body><h1>Findings</h1><p>The wick is dry.</p></body></html>"),
        ("c.mht", MAIL),
        ("c.docx", WORD),
        ("c.rtf", rb"{\rtf1 Findings\par The wick is dry.\par}"),
    ],
)  # fmt: skip
def test_imported_chunks_stand_in_the_text(tmp_path: Path, name: str, chunk: bytes) -> None:
    body = f'{paragraph("Before.")}<w:altChunk xmlns:r="r" r:id="r1"/>{paragraph("After.")}'
    found = with_parts(tmp_path, body, ("aFChunk", name, chunk))
    assert found.text.split("\n") == ["Before.", "Findings", "The wick is dry.", "After."]
    assert {page.part for page in found.pages} == {""}


def test_a_chunk_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    body = f'{paragraph("Before.")}<w:altChunk xmlns:r="r" r:id="r1"/>{paragraph("After.")}'
    found = with_parts(tmp_path, body, ("aFChunk", "c.bin", b"\0\1\2" * 40))
    assert found.text.split() == ["Before.", "After."]
    assert [page.part for page in found.pages if page.unreadable] == ["c.bin"]


def test_diagrams_and_charts_stand_where_they_are_drawn(tmp_path: Path) -> None:
    drawing = (
        '<w:p><w:r><w:drawing><a xmlns:r="r"><chart r:id="r1"/></a></w:drawing></w:r></w:p>'
        '<w:p><w:r><w:drawing><a xmlns:r="r"><relIds r:dm="r2"/></a></w:drawing></w:r></w:p>'
    )
    chart = b"<chartSpace><title><p><t>Oil by year</t></p></title></chartSpace>"
    diagram = b"<dataModel><p><t>Intake station</t></p></dataModel>"
    found = with_parts(
        tmp_path, paragraph("Before.") + drawing + paragraph("After."),
        ("chart", "chart1.xml", chart), ("diagramData", "data1.xml", diagram),
    )  # fmt: skip
    assert found.text.split("\n") == ["Before.", "Oil by year", "Intake station", "After."]


def test_embedded_workbooks_follow_the_text(tmp_path: Path) -> None:
    found = with_parts(tmp_path, paragraph("See the sheet."), ("package", "s.xlsx", xlsx()))
    assert found.blocks()[:3] == [
        ("paragraph", "See the sheet."), ("heading2", "s.xlsx"), ("heading3", "Budget"),
    ]  # fmt: skip
    assert SENTENCE in found.text
    assert [page.part for page in found.pages] == ["", "s.xlsx"]


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<w:p><w:instrText>PAGE</w:instrText><w:r><w:t>Page 3 of 12</w:t></w:r></w:p>", ""),
        ("<w:p><w:r><w:t>Ref. 4711</w:t></w:r></w:p>", "Ref. 4711"),
    ],
)  # fmt: skip
def test_numbers_of_pages_are_no_text_of_a_header(tmp_path: Path, body: str, shown: str) -> None:
    found = read_body(tmp_path, paragraph("Text."), header=f"<w:hdr>{body}</w:hdr>")
    assert found.blocks()[1:] == ([("boilerplate", shown)] if shown else [])
