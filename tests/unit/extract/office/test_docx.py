"""Word documents: the displayed text and its structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import pytest

from tests.fuzz.samples import SENTENCE
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
        ("<w:r><w:ruby><w:rt><w:r><w:t>ruby</w:t></w:r></w:rt></w:ruby></w:r>", "seen"),
    ],
)
def test_only_displayed_text_of_a_paragraph_is_read(
    tmp_path: Path, run: str, expected: str
) -> None:
    body = f"<w:p><w:r><w:t>seen</w:t></w:r>{run}</w:p>"
    assert read_body(tmp_path, body).blocks() == [("paragraph", expected)]


def test_notes_and_comments_follow_their_paragraph(tmp_path: Path) -> None:
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
        comments='<w:comments><w:comment w:id="0"><w:p><w:r><w:t>Really?</w:t></w:r></w:p>'
        "</w:comment></w:comments>",
    )
    assert [text for _, text in found.blocks()] == [
        "Oil.", "Of whales.", "At the end.", "Really?", "Next.",
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
