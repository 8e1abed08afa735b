"""Makes small PDFs: laid out by PyMuPDF, or written byte by byte if damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymupdf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PROSE = (
    "The keeper climbed the narrow stair every evening and lit the lamp before the ships came "
    "round the point. On stormy nights he stayed beside it until morning, and wrote down what "
    "he had seen in a book that nobody else has ever read to its end."
)


def save(path: Path, *draw: Callable[[Any], None], **options: Any) -> Path:
    """Save a PDF with one page for each function, which draws it."""
    document = pymupdf.open()
    for page in draw:
        page(document.new_page())
    document.save(path, **options)
    document.close()
    return path


def text_at(*pieces: tuple[float, float, str], size: float = 11, font: str = "helv") -> Any:
    """Return a function that draws pieces of text at (x, y of the baseline)."""

    def draw(page: Any) -> None:
        for x, y, text in pieces:
            page.insert_text((x, y), text, fontsize=size, fontname=font)

    return draw


def box(x0: float, y0: float, x1: float, y1: float, text: str, **options: Any) -> Any:
    """Return a function that draws text into a box."""

    def draw(page: Any) -> None:
        page.insert_textbox(
            (x0, y0, x1, y1), text, **{"fontsize": 11, "fontname": "helv", **options}
        )

    return draw


def together(*draw: Callable[[Any], None]) -> Callable[[Any], None]:
    def all_of_them(page: Any) -> None:
        for one in draw:
            one(page)

    return all_of_them


def raw_pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of the given objects, the first of which is the catalog."""
    out = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    tail = b"trailer<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF" % (size, trailer, len(out))
    return out + head + table + tail


def stream(content: bytes, dictionary: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>\nstream\n%b\nendstream" % (dictionary, len(content), content)


def endless_page(pages: int, endless: int) -> bytes:
    """Return a PDF with one page that takes for ever: forms nested recursively."""
    font, first_form, depth = 3 + 2 * pages, 4 + 2 * pages, 12
    kids = b" ".join(b"%d 0 R" % (3 + i) for i in range(pages))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, pages),
    ]
    for i in range(pages):
        resources = b"<</Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>>>" % (font, first_form)
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources %b>>"
        objects.append(page % (3 + pages + i, resources))
    for i in range(pages):
        content = b"BT /F1 12 Tf 72 700 Td (Page %d has words to read.) Tj ET" % (i + 1)
        objects.append(stream(content + (b" /X Do" if i + 1 == endless else b"")))
    objects.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]"
    for k in range(depth - 1):
        nested = form + b"/Resources<</XObject<</X %d 0 R>>>>" % (first_form + k + 1)
        objects.append(stream(b"/X Do " * 12, nested))
    objects.append(stream(b"0 0 m 9 9 l S", form))
    return raw_pdf(objects)
