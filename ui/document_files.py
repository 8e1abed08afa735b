"""Word documents and PDFs, made from Qt's documents.

A Word document gets the headings, texts, tables, pictures and links. python-docx writes it, and is
imported when a person exports. All functions may run on any thread.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, Qt, QUrl
from PySide6.QtGui import QFont, QPageSize, QPdfWriter, QTextCursor, QTextDocument

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QImage, QTextBlock, QTextFragment, QTextImageFormat, QTextTable

_DPI = 300
_A4_MM, _MARGIN_MM = (210, 297), 20
# Characters that XML cannot hold.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def bytes_of(write: Callable[[QBuffer], object]) -> bytes:
    """Return the bytes that a function writes into a buffer."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer)
    buffer.close()
    return bytes(data.data())


def png_of(image: QImage) -> bytes:
    """Return an image as PNG."""
    return bytes_of(lambda buffer: image.save(buffer, "PNG"))  # type: ignore[call-overload]  # the stub wants bytes, which Qt refuses


def pdf_of(document: QTextDocument, title: str) -> bytes:
    """Return a document as PDF, set by Qt."""
    return drawn_pdf(title, document.print_)


def drawn_pdf(title: str, draw: Callable[[QPdfWriter], object]) -> bytes:
    """Return a PDF of A4 pages without margins, which a function draws."""

    def write(buffer: QBuffer) -> None:
        writer = QPdfWriter(buffer)
        writer.setResolution(_DPI)
        writer.setTitle(title)
        writer.setCreator("Lectern")
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF())  # Qt adds margins of its own when it prints a document
        draw(writer)

    return bytes_of(write)


def docx_of(document: QTextDocument, title: str) -> bytes:
    """Return a document as a Word document. Its tables must not hold others."""
    from docx import Document
    from docx.shared import Mm, Pt

    made = Document()
    made.core_properties.title, made.core_properties.author = _xml_text(title)[:255], ""
    page = made.sections[0]
    page.page_width, page.page_height = map(Mm, _A4_MM)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Mm(_MARGIN_MM)
    made.styles["Normal"].font.size = Pt(document.defaultFont().pointSizeF())
    block = document.begin()
    while block.isValid():
        table: QTextTable | None = QTextCursor(block).currentTable()
        if table is None:
            _fill_paragraph(made.add_paragraph(), block, document)
        else:
            _add_table(made, table, document)
            block = document.findBlock(table.lastPosition())
        block = block.next()
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def _add_table(made: Any, table: QTextTable, document: QTextDocument) -> None:
    written = made.add_table(table.rows(), table.columns(), style="Table Grid")
    for row in range(table.rows()):
        for column in range(table.columns()):
            place, cell = written.cell(row, column), table.cellAt(row, column)
            block, last = (
                document.findBlock(cursor.position())
                for cursor in (cell.firstCursorPosition(), cell.lastCursorPosition())
            )
            _fill_paragraph(place.paragraphs[0], block, document)
            while block != last:
                block = block.next()
                _fill_paragraph(place.add_paragraph(), block, document)


def _fill_paragraph(paragraph: Any, block: QTextBlock, document: QTextDocument) -> None:
    from docx.oxml import OxmlElement
    from docx.shared import Pt

    form, place = block.blockFormat(), paragraph.paragraph_format
    if level := form.headingLevel():
        paragraph.style = f"Heading {level}"
    place.left_indent = Pt(form.leftMargin())
    rightward = block.textDirection() is Qt.LayoutDirection.RightToLeft
    if rightward:
        properties = place.element.get_or_add_pPr()
        properties.insert_element_before(OxmlElement("w:bidi"), "w:spacing", "w:ind", "w:jc")
    pieces = block.begin()
    while not pieces.atEnd():
        piece = pieces.fragment()
        run = paragraph.add_run()
        if piece.charFormat().isImageFormat():
            _add_picture(run, piece.charFormat().toImageFormat(), document)
        else:
            _add_text(paragraph, run, piece)
            run.font.rtl = rightward or None
        pieces += 1


def _add_picture(run: Any, form: QTextImageFormat, document: QTextDocument) -> None:
    from docx.shared import Pt

    image = document.resource(QTextDocument.ResourceType.ImageResource, QUrl(form.name()))
    run.add_picture(io.BytesIO(png_of(image)), width=Pt(form.width()))


def _add_text(paragraph: Any, run: Any, piece: QTextFragment) -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import RGBColor

    form = piece.charFormat()
    run.text = _xml_text(piece.text())
    run.bold = form.fontWeight() > QFont.Weight.Normal or None
    run.italic, run.underline = form.fontItalic() or None, form.fontUnderline() or None
    run.font.strike = form.fontStrikeOut() or None
    if form.foreground().style() is not Qt.BrushStyle.NoBrush:
        run.font.color.rgb = RGBColor.from_string(form.foreground().color().name()[1:])
    if form.background().style() is not Qt.BrushStyle.NoBrush:
        shade = OxmlElement("w:shd")
        shade.set(qn("w:val"), "clear")
        shade.set(qn("w:fill"), form.background().color().name()[1:])
        run.element.get_or_add_rPr().append(shade)
    if url := form.anchorHref():
        link = OxmlElement("w:hyperlink")
        link.set(qn("r:id"), paragraph.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, True))
        link.append(run.element)
        paragraph.paragraph_format.element.append(link)


def _xml_text(text: str) -> str:
    """Return a text without characters that XML lacks; Qt's sign for a new line becomes one."""
    return _NOT_XML.sub("", text.replace("\u2028", "\n"))
