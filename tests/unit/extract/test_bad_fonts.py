"""A page whose fonts have no valid character map counts as scanned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.config import Limits
from indexer.extract.pdf.glyphs import has_letters
from indexer.extract.pdf.reader import ILLEGIBLE, open_source
from tests.unit.extract.bad_fonts import ENGLISH, SAMPLES, rotated, show_mapped
from tests.unit.extract.pdfs import box, raw_pdf, save, stream

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.extract.base import RawPage
    from indexer.extract.pdf.reader import PdfSource


def read(path: Path) -> tuple[PdfSource, list[RawPage]]:
    source = open_source(path, None, Limits())
    try:
        return source, list(source.pages())
    finally:
        source.close()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_page_with_bad_fonts_is_to_be_recognised_and_keeps_its_text(
    tmp_path: Path, name: str
) -> None:
    source, (page,) = read(SAMPLES[name](tmp_path / "a.pdf"))
    assert source.textless == [1]
    assert page.text
    # Without letters it counts as a scanned page.
    assert page.unreadable == (ILLEGIBLE if has_letters(page.text) else "")


def test_there_are_thirty_samples() -> None:
    assert len(SAMPLES) == 30


def test_only_pages_with_bad_fonts_are_bad(tmp_path: Path) -> None:
    import pymupdf

    bad = show_mapped(tmp_path / "bad.pdf", (ENGLISH, rotated(3)))
    path = save(tmp_path / "a.pdf", box(72, 72, 540, 500, ENGLISH))
    with pymupdf.open(path) as document, pymupdf.open(bad) as other:
        document.insert_pdf(other)
        document.save(tmp_path / "both.pdf")
    source, (first, second) = read(tmp_path / "both.pdf")
    assert (first.unreadable, second.unreadable) == ("", ILLEGIBLE)
    assert source.textless == [2]


def test_a_pattern_of_one_glyph_is_no_text(tmp_path: Path) -> None:
    shown = b"\n".join(
        b"BT /T 5 Tf 50 %d Td <%b> Tj ET" % (400 - 5 * row, b"01" * 60) for row in range(40)
    )
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources %b>>"
    text = b" ".join(
        b"0 -14 Td (%b) Tj" % ENGLISH[at : at + 90].encode() for at in range(0, 540, 90)
    )
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]"
        b"/FirstChar 1/LastChar 1/Widths[600]/CharProcs<</g1 6 0 R>>/Resources<<>>"
        b"/Encoding<</Type/Encoding/Differences[1/g1]>>>>"
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page % b"<</Font<</T 5 0 R/H<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>",
        stream(b"BT /H 11 Tf 50 700 Td " + text + b" ET\n" + shown),
        font,
        stream(b"600 0 0 0 600 700 d1 0 0 300 700 re f"),
    ]
    (tmp_path / "a.pdf").write_bytes(raw_pdf(objects))
    source, (read_page,) = read(tmp_path / "a.pdf")
    assert read_page.text.count("\ufffd") > 2_000
    assert (read_page.unreadable, source.textless) == ("", [])
