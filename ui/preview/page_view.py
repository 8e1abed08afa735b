"""The pages of a document below each other, with a passage marked.

Owns which images are fetched, the keys and the mouse. ``page_scroller`` scrolls and zooms,
``page_painter`` paints, ``selection`` selects. It must not know where pages come from, nor hits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QKeySequence, QPainter
from PySide6.QtWidgets import QFrame

from ui.preview.images import cut
from ui.preview.marks import NO_MARKS, Marks, Pieces, bounds
from ui.preview.page_layout import MARGIN, Fit, turned_size
from ui.preview.page_map import PageMap
from ui.preview.page_painter import PagePainter
from ui.preview.page_scroller import PageScroller
from ui.preview.selection import Selection
from ui.widgets import timer

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
    )
    from PySide6.QtWidgets import QWidget

    from indexer.api.pages import Size
    from ui.preview.document import PageDocument
    from ui.preview.images import ImageKey
    from ui.preview.page_layout import Zoom

# Milliseconds after which a missing page is drawn as a skeleton; a quicker one does not flicker.
SKELETON_MS = 150
# Milliseconds before neighbouring pages are fetched, so that quick steps between hits do not wait.
_AHEAD_MS = 150


class PageView(PageScroller):
    """Shows a ``PageDocument``."""

    selection_changed = Signal(bool)
    document_shown = Signal(object)  # a PageDocument or None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Page"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.marks: Marks = NO_MARKS
        self.words: tuple[tuple[Pieces, bool], ...] = ()  # matching words; whether in the query
        self.found: tuple[Pieces, ...] = ()  # the places of found words
        self.found_at = -1  # the number of the current one
        self.selection = Selection(self)
        self.loading = False
        self.dark_pages = False  # in the dark theme
        self._painter = PagePainter(self)
        self.map = PageMap(self)
        self.map.changed.connect(self._make_room)
        self._skeleton = timer(self, SKELETON_MS, self.viewport().update)
        self._ahead = timer(self, _AHEAD_MS, self._fetch_ahead)

    # What is shown

    def show_document(self, document: PageDocument | None, page: int = 1) -> None:
        """Show a document at a page; the caller keeps owning it."""
        if self.document is not None:
            self.document.image_ready.disconnect(self._image_ready)
            self.document.image_failed.disconnect(self._image_ready)
            self.document.letters_ready.disconnect(self._letters_ready)
            self.document.sizes_changed.disconnect(self.arrange)
        self.document = document
        self.turn = 0
        self.loading = False
        self.marks = NO_MARKS
        self.words = ()
        self.found, self.found_at = (), -1
        self.selection.clear()
        self.target = None
        if document is not None:
            document.image_ready.connect(self._image_ready)
            document.image_failed.connect(self._image_ready)
            document.letters_ready.connect(self._letters_ready)
            document.sizes_changed.connect(self.arrange)
        self._page = page
        self._skeleton.start()
        self._ahead.stop()
        self.lay_out(anchor=None)
        if document is not None:
            self.go_to(page)
            self.page_changed.emit(self._page)
        self.document_shown.emit(document)
        self.viewport().update()

    def show_loading(self) -> None:
        """Show a placeholder until there is a document."""
        self.loading = True
        self.viewport().update()

    def set_marks(self, marks: Marks, *, scroll: bool = True) -> None:
        """Mark a passage and bring it into view."""
        self.marks = marks
        place = marks.first()
        if scroll and place is not None:
            page, box = place
            if self.zoom.fit is Fit.PASSAGE:
                around = bounds(marks.passage.get(page, ()))
                box = QRectF(around.left(), box.top(), around.width(), box.height())
            self.go_to(page, box)
        self.viewport().update()

    def set_zoom(self, zoom: Zoom) -> None:
        super().set_zoom(zoom)
        if zoom.fit is Fit.PASSAGE:
            self.set_marks(self.marks)

    def fitted(self, page: int) -> Size:
        pieces = self.marks.passage.get(page)
        if self.zoom.fit is Fit.PASSAGE and pieces:
            around = bounds(pieces)
            return turned_size(self.turn, (around.width(), around.height()))
        return super().fitted(page)

    def show_words(self, words: tuple[tuple[Pieces, bool], ...]) -> None:
        """Underline words: with a line if the query has them, else with dots."""
        self.words = words
        self.viewport().update()

    def show_found(self, found: tuple[Pieces, ...], number: int) -> None:
        """Mark the places of found words, and bring one into view."""
        self.found, self.found_at = found, number
        if 0 <= number < len(found):
            place = Marks(found[number]).first()
            if place is not None:
                self.go_to(*place)
        self.viewport().update()

    def picture(self) -> QImage:
        """Return the marked passage as it is painted; a null image if it is out of view."""
        page = next((page for page in self.marks.pages() if page in self.visible_pages()), 0)
        if not page:
            return QImage()
        box = self.layout_.from_page(page, bounds(self.marks.passage[page]))
        around = box.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
        seen = around.intersected(self.layout_.rect(page)).translated(-QPointF(self.offset()))
        ratio, part = self.devicePixelRatioF(), seen.toAlignedRect()
        image = QImage(part.size() * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        painter = QPainter(image)
        painter.translate(-part.topLeft())
        self._painter.paint(painter, part, skeleton=False)
        painter.end()
        return image

    def copy(self) -> None:
        """Copy the selected text."""
        self.selection.copy()

    # Qt's events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._painter.paint(painter, event.rect(), skeleton=not self._skeleton.isActive())
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.settling.start()
        super().changeEvent(event)
        changes = (QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange)
        if event.type() in changes and hasattr(self, "map"):
            self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_map()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.select_page(self._page)
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self.go_to(1)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self.go_to(len(self.layout_))
        elif not self.scroll_by_key(Qt.Key(event.key())):
            super().keyPressEvent(event)
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.press(event.position() + QPointF(self.offset()))
        else:
            event.ignore()  # the window goes back and forward

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.selection.move(event.position() + QPointF(self.offset()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.press_word(event.position() + QPointF(self.offset()))

    def _make_room(self) -> None:
        """Put the map between the pages and their scroll bar."""
        self.setViewportMargins(0, 0, self.map.strip(), 0)
        self._place_map()

    def _place_map(self) -> None:
        seen, wide = self.viewport().geometry(), self.map.strip()
        left = seen.left() - wide if self.isRightToLeft() else seen.right() + 1
        self.map.setGeometry(left, seen.top(), wide, seen.height())

    # Requests for bands and letters

    def fetch(self) -> None:
        """Fetch the visible bands now, and the neighbouring pages a little later."""
        self.settling.stop()
        if self.document is None or self.viewport().height() <= 1:
            return
        self.document.want(self._seen(), ())
        self._ahead.start()

    def _fetch_ahead(self) -> None:
        """Fetch the pages before and after, and the letters of the current one."""
        if self.document is None:
            return
        pages = self.visible_pages()
        near = [page for page in (pages.stop, pages.start - 1) if 1 <= page <= len(self.layout_)]
        soon = [
            self.document.key(page, self.pixel_width(page))
            for page in near
            if cut(self.pixel_width(page), self.document.sizes[page - 1]).bands == 1
        ]
        self.document.want(self._seen(), soon)
        self.document.want_letters(self._page)

    def _seen(self) -> list[ImageKey]:
        return [key for page in self.visible_pages() for key in self.visible_keys(page)]

    def visible_keys(self, page: int) -> list[ImageKey]:
        """Return the visible bands of a page."""
        if self.document is None:
            return []
        width = self.pixel_width(page)
        seen = QRectF(self.viewport().rect()).translated(self.offset())
        part = self.layout_.part_of(page, seen)
        bands = cut(width, self.document.sizes[page - 1]).between(*part)
        return [self.document.key(page, width, band) for band in bands]

    def _image_ready(self, _page: int) -> None:
        self.viewport().update()

    def _letters_ready(self, page: int) -> None:
        self.selection.letters_came(page)
