"""Prints the shown document: pages as the render child draws them, or its text."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QImage,
    QPainter,
    QPalette,
    QTextCursor,
    QTextDocument,
    QTransform,
)

from indexer.api.pages import DocumentSource, GetImage, GetText, PageImage, PageRequest, TextPart
from ui.ports import Context, Notice
from ui.preview.client import RenderClient, Urgency
from ui.preview.document import PageDocument, image_of
from ui.preview.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtPrintSupport import QPrinter

    from indexer.api.errors import LecternError
    from indexer.api.types import Hit
    from ui.preview.frame import PreviewFrame

A = TypeVar("A")

# The resolution of printed pages in dots per inch, unless the image would be too large.
_DPI, _MOST_PIXELS = 200, 14_000_000
_TEXT_DPI = 96  # the resolution for which the sizes of text on the screen are meant
_MOST_CHARACTERS = 1_000_000
_POINTS = 72


class Printing(QObject):
    """Prints the document of a preview, on a printer that the person chooses."""

    def __init__(self, context: Context, frame: PreviewFrame) -> None:
        super().__init__(frame)
        self._context, self._frame = context, frame
        self._client = RenderClient(self, context.library)
        self._source: DocumentSource | None = None
        self._painter: QPainter | None = None
        self._pages: list[int] = []
        self._printed = 0

    def ask_printer(self, hit: Hit, source: DocumentSource) -> None:
        """Let the person choose a printer and the pages."""
        from PySide6.QtPrintSupport import QAbstractPrintDialog, QPrintDialog, QPrinter

        document = self._frame.pages.document if self._frame.has_pages else None
        if document is None and self._frame.shown is not self._frame.text:
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setDocName(hit.file)
        dialog = QPrintDialog(printer, self._frame)
        if document is not None:
            options = QAbstractPrintDialog.PrintDialogOption
            dialog.setOption(options.PrintPageRange)
            dialog.setOption(options.PrintCurrentPage)
            dialog.setMinMax(1, document.count)
        act = partial(self.print_document, printer, hit, source, document, self._frame.pages.page)
        dialog.accepted.connect(act)
        dialog.finished.connect(dialog.deleteLater)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def print_document(
        self, printer: QPrinter, hit: Hit, source: DocumentSource, document: PageDocument | None,
        page: int, _chosen: object = None,
    ) -> None:  # fmt: skip
        """Print the pages that the person chose; ``page`` is the current one."""
        self.close()
        self._source = source
        stop = Notice(self.tr("Printing…"), self.tr("Cancel"), self.close, seconds=0)
        self._context.notices.post(stop)
        if document is None:
            self._ask(
                GetText(source, 0, 0, _MOST_CHARACTERS), partial(self._print_text, printer, hit)
            )
            return
        first, last = printer.fromPage() or 1, printer.toPage() or document.count
        if printer.printRange() is printer.PrintRange.CurrentPage:
            first = last = page
        self._pages = list(range(min(last, document.count), first - 1, -1))
        self._next(printer, document)

    def close(self) -> None:
        """Cancel the printing under way, and end the child."""
        if self._painter is not None:
            self._painter.end()
        self._client.end_child()
        self._painter = None
        self._pages, self._printed = [], 0

    def _ask(self, request: PageRequest[A], done: Callable[[A, bytes], None]) -> None:
        self._client.ask_child(request, done, self._failed, Urgency.REST)

    def _failed(self, error: LecternError) -> None:
        self._end(self.tr("It could not be printed: {reason}").format(reason=error.message))

    def _end(self, text: str) -> None:
        self.close()
        self._context.notices.post(Notice(text))

    def _begin_sheet(self, printer: QPrinter) -> QPainter | None:
        """Return the painter on a new sheet; None if the printer takes nothing."""
        if self._painter is None:
            painter = QPainter()
            if painter.begin(printer):
                self._painter = painter
        elif not printer.newPage():
            self.close()
        if self._painter is None:
            self._end(self.tr("The printer does not answer."))
        self._printed += 1
        return self._painter

    def _next(self, printer: QPrinter, document: PageDocument) -> None:
        if not self._pages or self._source is None:
            self._end(self.tr("%Ln page(s) printed", "", self._printed))
            return
        page = self._pages.pop()
        wide, high = document.sizes[page - 1]
        most = math.sqrt(_MOST_PIXELS * wide / high)
        width = max(1, round(min(wide * _DPI / _POINTS, most)))
        self._ask(GetImage(self._source, page, width), partial(self._print_page, printer, document))

    def _print_page(
        self, printer: QPrinter, document: PageDocument, found: PageImage, data: bytes
    ) -> None:
        image = image_of(found, data)
        painter = self._begin_sheet(printer) if image is not None else None
        if painter is not None and image is not None:
            draw_page(painter, image)
            self._next(printer, document)

    def _print_text(self, printer: QPrinter, hit: Hit, part: TextPart, data: bytes) -> None:
        view = TextView()
        view.show_text(data.decode("utf-8", "replace"), part, hit.format)
        scale = printer.resolution() / _TEXT_DPI
        room = QRectF(printer.pageLayout().paintRectPixels(_TEXT_DPI))
        document = _on_paper(view.document().clone(view), room)
        for sheet in range(document.pageCount()):
            painter = self._begin_sheet(printer)
            if painter is None:
                return
            painter.setTransform(QTransform.fromScale(scale, scale))
            seen = room.translated(-room.topLeft()).translated(0, sheet * room.height())
            painter.translate(0, -seen.top())
            context = QAbstractTextDocumentLayout.PaintContext()
            context.clip = seen
            context.palette.setColor(QPalette.ColorRole.Text, Qt.GlobalColor.black)
            painter.setClipRect(seen)
            document.documentLayout().draw(painter, context)
        view.deleteLater()
        self._end(self.tr("%Ln page(s) printed", "", self._printed))


def draw_page(painter: QPainter, image: QImage) -> None:
    """Draw the image of a page as large as the sheet allows, turned if it fits better then."""
    sheet = painter.viewport()
    if (image.width() > image.height()) != (sheet.width() > sheet.height()):
        image = image.transformed(QTransform().rotate(90))
    size = image.size().scaled(QSize(sheet.size()), Qt.AspectRatioMode.KeepAspectRatio)
    place = QRect(sheet.topLeft(), size)
    place.moveCenter(sheet.center())
    painter.drawImage(place, image)


def _on_paper(document: QTextDocument, room: QRectF) -> QTextDocument:
    """Lay a text out for sheets of paper, without the background of a dark window."""
    root = document.rootFrame()
    form = root.frameFormat()
    form.setMargin(0)
    root.setFrameFormat(form)
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        cursor.setPosition(block.position())
        plain = block.blockFormat()
        plain.clearBackground()
        cursor.setBlockFormat(plain)
        block = block.next()
    document.setPageSize(room.size())
    return document
