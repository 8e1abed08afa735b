"""Fonts of bitmaps, as TeX and dvips embed them: no sizes, no names of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.types import BlockKind
from tests.unit.extract.pdfs import raw_pdf, stream
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

# Widths of Computer Modern in thousandths of the type size.
_WIDTHS = {
    **dict.fromkeys(b"abdghknopquvxy0123456789", 500), **dict.fromkeys(b"efcsrtz", 420),
    **dict.fromkeys(b"ijl", 278), **dict.fromkeys(b"mwM", 800),
}  # fmt: skip


def _made(path: Path, content: bytes, matrix: bytes = b"1 0 0 1 0 0", unit: float = 1) -> Path:
    """Write a page in a font whose glyphs are named by their numbers; ``unit`` is a type size."""
    widths = b" ".join(b"%.3f" % (_WIDTHS.get(code, 600) / 1000 * unit) for code in range(256))
    names = b"".join(b"/a%d 6 0 R" % code for code in range(256))
    places = b"".join(b"/a%d" % code for code in range(256))
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[%b]/FirstChar 0/LastChar 255"
        b"/Widths[%b]/CharProcs<<%b>>/Encoding<</Differences[0%b]>>>>"
        % (matrix, widths, names, places)
    )
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        page + b"/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(content),
        font,
        stream(b".5 0 0 0 .5 1 d1 0 0 .4 .5 re f"),
    ]
    path.write_bytes(raw_pdf(objects))
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The old encoding of TeX, and the later one, which is also called Cork.
        (b"an e\x0ecient o\x0ece, a \x0cnding, Stra\x19e", "an eﬃcient oﬃce, a ﬁnding, Straße"),
        (b"gr\xf6\xffte o\x1eziell \x15 \x12\xc4pfel\x10", "größte oﬃziell – „Äpfel“"),
        (b"\x8a\xf3d\xb9, za\xbb\xf3\xaa\xa2 g\xa6\xb1l\xa1 \x1crst", "Łódź, zażółć gęślą ﬁrst"),
        # Bullets are of no such encoding.
        (b"\x15 \x15 \x15 one", "\x15 \x15 \x15 one"),
        # Without a sign of these encodings a text stays as it is.
        (b"2\xb2 \xb1 5 \xff", "2² ± 5 ÿ"),
    ],
)  # fmt: skip
def test_letters_by_their_places_in_the_encodings_of_tex(
    text: bytes, expected: str, tmp_path: Path
) -> None:
    shown = b"BT /F1 12 Tf 72 700 Td <%b> Tj ET" % text.hex().encode()
    assert read(_made(tmp_path / "a.pdf", shown)).text == expected


def _words(size: float, x: float, y: float, words: str) -> bytes:
    """Draw words one by one, as dvips does: in a font of the size 1, with a gap between."""
    shown = []
    for word in words.split(" "):
        code = word.encode("latin-1")
        shown.append(b"1 0 0 1 %.2f %.2f Tm <%b> Tj" % (x, y, code.hex().encode()))
        x += sum(_WIDTHS.get(each, 600) for each in code) / 1000 * size + 0.33 * size
    return b"BT /F1 1 Tf %b ET " % b" ".join(shown)


def test_words_without_a_size_are_lines(tmp_path: Path) -> None:
    """Words are no cells of a table."""
    lines = [
        "the keeper climbed the narrow stair every evening",
        "and lit the lamp before the ships came round",
        "the point on stormy nights he stayed beside it",
    ]
    content = _words(10, 72, 700, lines[0])
    content += b"".join(_words(10, 72, 700 - 12 * at, line) for at, line in enumerate(lines[1:], 1))
    made = _made(tmp_path / "a.pdf", content, b"1 0 0 1 0 0", 10)
    (page,) = read(made).pages
    assert page.text.split("\n") == lines
    assert {block.kind for block in page.blocks} == {BlockKind.PARAGRAPH}
    assert all(block.style is not None and 9 < block.style.size < 11 for block in page.blocks)


def test_kerned_letters_and_accents_stay_in_their_word(tmp_path: Path) -> None:
    glyphs = b"BT /F1 1 Tf 1 0 0 1 72 700 Tm <%b> Tj 1 0 0 1 77.5 700 Tm <%b> Tj" % (
        b"W".hex().encode(), b"eg".hex().encode(),
    )  # fmt: skip
    rest = b" 1 0 0 1 91 700 Tm <%b> Tj 1 0 0 1 102 700 Tm <%b> Tj ET" % (
        b"nor".hex().encode(), b"ten".hex().encode(),
    )  # fmt: skip
    made = _made(tmp_path / "a.pdf", glyphs + rest, b"1 0 0 1 0 0", 10)
    assert read(made).text.split()[0] == "Weg"
