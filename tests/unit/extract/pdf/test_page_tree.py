"""Rebuilding a lost page tree; a PDF without pages is unreadable, not empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.pdf.reader import open_source
from tests.unit.extract.pdfs import PROSE, box, raw_pdf, save, stream

if TYPE_CHECKING:
    from pathlib import Path

FONTS = b"/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R%b>>"
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"


def texts(path: Path, password: str | None = None) -> list[str]:
    source = open_source(path, password, Limits())
    try:
        return [" ".join(page.text.split()) for page in source.pages()]
    finally:
        source.close()


def two_pages(catalog: bytes, tree: bytes) -> bytes:
    return raw_pdf(
        [
            catalog,
            tree,
            PAGE % (4, FONTS),
            stream(b"BT /F 12 Tf 72 700 Td (The first page.) Tj ET"),
            PAGE % (6, FONTS),
            stream(b"BT /F 12 Tf 72 700 Td (The second page.) Tj ET"),
        ]
    )


@pytest.mark.parametrize(
    ("catalog", "tree"),
    [
        (b"<</Type/Catalog>>", b"<<>>"),
        (b"<</Type/Other>>", b"<</Kids[3 0 R 5 0 R]/Count 2>>"),
        (CATALOG, b"<</Type/Pages/Kids[]/Count 0>>"),
        (CATALOG, b"<</Type/Pages/Kids[3 0 R 5 0 R]/Count 4 0 R>>"),
        (CATALOG, b"null"),
        (b"<</Type/Catalog/Pages 5 0 R>>", b"null"),
        (b"null", b"null"),
        (CATALOG, b"<</Type/Pages/Count 2>>"),
        (CATALOG, b"<</Type/Pages/Kids[9 0 R 10 0 R]/Count 2>>"),
    ],
)
def test_pages_are_found_without_a_page_tree(tmp_path: Path, catalog: bytes, tree: bytes) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(two_pages(catalog, tree))
    before = path.read_bytes()
    assert texts(path) == ["The first page.", "The second page."]
    assert path.read_bytes() == before


def test_a_truncated_file_without_page_tree_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    whole = two_pages(CATALOG, b"<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>")
    cut = whole[whole.index(b"3 0 obj") : whole.index(b"6 0 obj")]
    path.write_bytes(b"%PDF-1.7\n" + cut)
    assert texts(path)[0] == "The first page."


def test_a_password_still_opens_it(tmp_path: Path) -> None:
    path = save(
        tmp_path / "locked.pdf",
        box(72, 72, 540, 300, PROSE),
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="oil",
        owner_pw="wick",
        no_new_id=True,
    )
    content = path.read_bytes()
    assert content.count(b"/Kids") == 1
    path.write_bytes(content.replace(b"/Kids", b"/Kixs"))
    with pytest.raises(WorldError, match="password"):
        texts(path)
    assert texts(path, "oil") == [PROSE]


@pytest.mark.parametrize("tree", [b"<</Type/Pages/Kids[]/Count 0>>", b"null", b"(x)"])
def test_a_document_without_pages_is_unreadable(tmp_path: Path, tree: bytes) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(raw_pdf([CATALOG, tree, stream(b"potato")]))
    with pytest.raises(WorldError) as caught:
        texts(path)
    assert (caught.value.code, caught.value.detail["reason"]) == ("unreadable", "no_pages")


def test_pages_missing_in_the_cross_reference_table_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    whole = two_pages(CATALOG, b"<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>")
    path.write_bytes(whole.replace(b" 00000 n", b" 00001 f"))
    assert texts(path) == ["The first page.", "The second page."]
