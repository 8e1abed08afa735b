"""Reading PDFs: opening, passwords, damage, and the text of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind, OutlineEntry
from indexer.config import Limits
from indexer.extract.pdf.reader import MAX_OUTLINE_ENTRIES, open_source
from tests.unit.extract import reading
from tests.unit.extract.pdfs import PROSE, box, raw_pdf, save, stream, text_at, together

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.extract.base import RawPage


def pages_of(path: Path, password: str | None = None) -> list[RawPage]:
    source = open_source(path, password, Limits())
    try:
        return list(source.pages())
    finally:
        source.close()


def code_of(path: Path, password: str | None = None, limits: Limits | None = None) -> str:
    with pytest.raises(WorldError) as caught:
        list(open_source(path, password, limits or Limits()).pages())
    return caught.value.code


def words(text: str) -> str:
    return " ".join(text.split())


def test_prose_becomes_one_paragraph_block(tmp_path: Path) -> None:
    (page,) = pages_of(save(tmp_path / "a.pdf", box(72, 72, 540, 400, PROSE)))
    assert words(page.text) == PROSE
    assert page.number == 1
    (first, *rest) = page.blocks
    assert first.kind is BlockKind.PARAGRAPH
    assert all(block.split_off for block in rest)  # the rows at the ends of the page are split


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left, right = f"LEFT {PROSE}", f"RIGHT {PROSE}"
    draw = together(box(320, 100, 540, 500, right), box(72, 100, 290, 500, left))
    (page,) = pages_of(save(tmp_path / "a.pdf", draw))
    assert words(page.text) == f"{left} {right}"


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_rotated_pages_have_the_same_text(tmp_path: Path, angle: int) -> None:
    def turned(page: pymupdf.Page) -> None:
        box(72, 72, 540, 300, PROSE)(page)
        page.set_rotation(angle)

    def drawn_turned(page: pymupdf.Page) -> None:
        page.insert_textbox((72, 72, 540, 700), PROSE, rotate=angle, fontsize=11)

    for page in pages_of(save(tmp_path / "a.pdf", turned, drawn_turned)):
        assert words(page.text) == PROSE


def test_text_outside_the_crop_box_is_not_read(tmp_path: Path) -> None:
    def cropped(page: pymupdf.Page) -> None:
        text_at((72, 100, "inside the box"), (72, 700, "outside of it"))(page)
        page.set_cropbox(pymupdf.Rect(50, 50, 400, 400))

    (page,) = pages_of(save(tmp_path / "a.pdf", cropped))
    assert page.text == "inside the box"


def test_a_table_is_one_block_with_its_rows(tmp_path: Path) -> None:
    rows = [("Year", "Oil", "Wicks"), ("1890", "12", "7"), ("1891", "15", "9"), ("1892", "9", "4")]
    cells = [
        (72 + 150 * column, 200 + 16 * row, cell)
        for row, texts in enumerate(rows)
        for column, cell in enumerate(texts)
    ]
    draw = together(box(72, 72, 540, 170, PROSE), text_at(*cells), box(72, 300, 540, 500, PROSE))
    (page,) = pages_of(save(tmp_path / "a.pdf", draw))
    (table,) = [block for block in page.blocks if block.kind is BlockKind.TABLE]
    assert page.text[table.start : table.end] == "\n".join("\t".join(row) for row in rows)


def test_list_items_are_blocks(tmp_path: Path) -> None:
    items = [(72, 100 + 14 * i, f"{i + 1}. item number {i}") for i in range(8)]
    (page,) = pages_of(save(tmp_path / "a.pdf", text_at(*items)))
    kinds = {block.kind for block in page.blocks}
    assert kinds == {BlockKind.LIST_ITEM}
    assert len(page.blocks) == len(items)


def test_metadata_and_outline(tmp_path: Path) -> None:
    path = save(tmp_path / "plain.pdf", box(72, 72, 540, 300, PROSE), box(72, 72, 540, 300, PROSE))
    document = pymupdf.open(path)
    document.set_metadata(
        {"title": " The\nLamp ", "author": "K.", "creationDate": "D:20240506120000Z"}
    )
    document.set_toc([[1, "Oil", 1], [2, "Wick", 2]])
    document.save(tmp_path / "a.pdf")
    source = open_source(tmp_path / "a.pdf", None, Limits())
    assert (source.metadata.title, source.metadata.author) == ("The Lamp", "K.")
    assert source.metadata.created == "2024-05-06"
    assert source.outline == (OutlineEntry(1, "Oil", 1), OutlineEntry(2, "Wick", 2))
    assert len(source.outline) <= MAX_OUTLINE_ENTRIES


@pytest.mark.parametrize("method", [pymupdf.PDF_ENCRYPT_RC4_128, pymupdf.PDF_ENCRYPT_AES_256])
def test_passwords(tmp_path: Path, method: int) -> None:
    path = tmp_path / "locked.pdf"
    draw = box(72, 72, 540, 300, PROSE)
    save(path, draw, encryption=method, user_pw="oil", owner_pw="wick")
    assert code_of(path) == "needs_password"
    assert code_of(path, "water") == "needs_password"
    assert words(pages_of(path, "oil")[0].text) == PROSE
    save(path, draw, encryption=method, user_pw="", owner_pw="wick")
    assert words(pages_of(path)[0].text) == PROSE


def test_a_lost_cross_reference_does_not_hide_the_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    save(
        path,
        box(72, 72, 540, 300, PROSE),
        encryption=pymupdf.PDF_ENCRYPT_AES_128,
        user_pw="oil",
        owner_pw="w",
    )
    content = path.read_bytes()
    path.write_bytes(content.replace(b"startxref\n", b"startxref\n9999999"))
    assert code_of(path) == "needs_password"


def test_damaged_files_are_repaired_as_far_as_they_go(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", box(72, 72, 540, 300, PROSE))
    content = path.read_bytes()
    path.write_bytes(content[: content.rindex(b"startxref")])
    assert words(pages_of(path)[0].text) == PROSE


@pytest.mark.parametrize("content", [b"%PDF-1.4\nnothing", b"not a PDF at all", b"\x00" * 5000])
def test_a_file_that_is_not_a_pdf_is_unreadable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    assert code_of(path) == "unreadable"


def test_sizes_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"")
    assert code_of(path) == "empty"
    path.write_bytes(b"%PDF-1.4" + b" " * 100)
    assert code_of(path, limits=Limits(pdf_bytes=100)) == "too_large"


def test_an_unreadable_page_does_not_affect_the_others(tmp_path: Path) -> None:
    resources = b"/Resources<</Font<</F 5 0 R>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R 6 0 R 3 0 R]/Count 3>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R%b>>" % resources,
        stream(b"BT /F 12 Tf 72 700 Td (A good page.) Tj ET"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Pages/Count 1/Kids[6 0 R]>>",  # it is its own parent
    ]
    path = tmp_path / "a.pdf"
    path.write_bytes(raw_pdf(objects))
    first, bad, last = pages_of(path)
    assert bad.unreadable
    assert bad.text == ""
    assert (first.text, last.number, last.text) == ("A good page.", 3, "A good page.")


def test_pages_that_crashed_a_reader_are_left_out(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", text_at((72, 72, "one")), text_at((72, 72, "two")))
    first, second = open_source(path, None, Limits()).pages(skip=[1])
    assert first.unreadable
    assert second.text == "two"


def test_raised_and_lowered_figures_are_read_as_such(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    x = 72.0
    for text, size, rise in (("section 14", 11, 0), ("3", 7, 5), (", CO", 11, 0), ("2", 7, -3)):
        page.insert_text((x, 82 - rise), text, fontsize=size)
        x += pymupdf.get_text_length(text, fontsize=size)
    document.save(tmp_path / "a.pdf")
    assert reading.read(tmp_path / "a.pdf").text == "section 14³, CO₂"
