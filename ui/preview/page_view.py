"""The pages of a document, below each other, with a passage marked where it stands.

Owns scrolling, zooming and what is wanted of the document; painting is
``ui.preview.page_painter``'s, selecting ``ui.preview.selection``'s. It must not know where pages
come from nor what a hit is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from ui.preview.images import MAX_WIDTH, cut
from ui.preview.marks import NO_MARKS, Marks
from ui.preview.page_layout import (
    LARGEST,
    MARGIN,
    SMALLEST,
    Fit,
    PageLayout,
    Zoom,
    next_step,
    scale_for,
)
from ui.preview.page_painter import PagePainter
from ui.preview.selection import Selection
from ui.preview.timers import timer

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

    from ui.preview.document import PageDocument
    from ui.preview.images import ImageKey

# A page that takes longer than this gets a skeleton; one that does not never flickers.
SKELETON_MS = 150
# While the window is being resized, pages are only stretched.
_SETTLE_MS = 70
# One who goes quickly from hit to hit does not wait for pages beside the way.
_AHEAD_MS = 150
_STEP_LINES = 3
# The passage comes to stand this far below the top, as a share of the height.
_PLACE = 0.2


class PageView(QAbstractScrollArea):
    """Shows a ``PageDocument``."""

    page_changed = Signal(int)
    zoom_changed = Signal()
    selection_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Page"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.document: PageDocument | None = None
        self.layout_ = PageLayout((), 1.0, 0.0)
        self.marks: Marks = NO_MARKS
        self.selection = Selection(self)
        self.zoom = Zoom()
        self.loading = False
        self._page = 1
        self._target: tuple[int, QRectF] | None = None
        self._painter = PagePainter(self)
        self._skeleton = timer(self, SKELETON_MS, self.viewport().update)
        self._settle = timer(self, _SETTLE_MS, self._fetch)
        self._ahead = timer(self, _AHEAD_MS, self._fetch_ahead)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(self._scrolled)
            bar.actionTriggered.connect(self._let_go)

    # What is shown

    def show_document(self, document: PageDocument | None, page: int = 1) -> None:
        """Show a document from a page on; the caller owns it."""
        if self.document is not None:
            self.document.image_ready.disconnect(self._image_ready)
            self.document.image_failed.disconnect(self._image_ready)
            self.document.letters_ready.disconnect(self._letters_ready)
            self.document.sizes_changed.disconnect(self._arrange)
        self.document = document
        self.loading = False
        self.marks = NO_MARKS
        self.selection.clear()
        self._target = None
        if document is not None:
            document.image_ready.connect(self._image_ready)
            document.image_failed.connect(self._image_ready)
            document.letters_ready.connect(self._letters_ready)
            document.sizes_changed.connect(self._arrange)
        self._page = page
        self._skeleton.start()
        self._ahead.stop()
        self._lay_out(anchor=None)
        if document is not None:
            self.go_to(page)
            self.page_changed.emit(self._page)
        self.viewport().update()

    def show_loading(self) -> None:
        """Show the shape of a page until there is a document."""
        self.loading = True
        self.viewport().update()

    def set_marks(self, marks: Marks, *, scroll: bool = True) -> None:
        """Mark a passage and bring it into view."""
        self.marks = marks
        place = marks.first()
        if scroll and place is not None:
            self.go_to(*place)
        self.viewport().update()

    @property
    def page(self) -> int:
        """The page that is looked at, from 1."""
        return self._page

    @property
    def scale(self) -> float:
        """The scale in force; 1 is the size on paper."""
        return self.layout_.scale / self._natural()

    def go_to(self, page: int, box: QRectF | None = None) -> None:
        """Bring a page, or a place on it, into view."""
        if self.document is None or not 1 <= page <= self.document.count:
            return
        # Until the person scrolls, this place stays in view whatever changes its size.
        self._target = (page, box) if box is not None else None
        self._set_page(page)
        if self.zoom.fit is not Fit.SCALE:
            self._lay_out(anchor=None)
        self._scroll_to(page, box)
        self._fetch()

    def set_zoom(self, zoom: Zoom) -> None:
        """Change the scale around the middle of what is seen."""
        self.zoom = zoom
        self._lay_out(anchor=QPointF(self.viewport().rect().center()))
        if self._target is not None:
            self._scroll_to(*self._target)
        self._settle.start()
        self.zoom_changed.emit()

    def zoom_in(self) -> None:
        self._zoom_by(1, None)

    def zoom_out(self) -> None:
        self._zoom_by(-1, None)

    def zoom_fit(self) -> None:
        self.set_zoom(Zoom(Fit.WIDTH))

    def copy(self) -> None:
        """Copy what is selected."""
        self.selection.copy()

    def natural_size(self) -> float:
        return self._natural()

    # What Qt tells

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._painter.paint(painter, event.rect(), skeleton=not self._skeleton.isActive())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out(anchor=QPointF(0, 0))
        if self._target is not None:
            self._scroll_to(*self._target)
        self._settle.start()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._settle.start()
        super().changeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            if turned:
                self._zoom_by(1 if turned > 0 else -1, event.position())
            event.accept()
            return
        self._target = None
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.select_page(self._page)
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self.go_to(1)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self.go_to(len(self.layout_))
        elif not self._scroll_by_key(Qt.Key(event.key())):
            super().keyPressEvent(event)
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.press(event.position() + QPointF(self.offset()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.selection.move(event.position() + QPointF(self.offset()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.press_word(event.position() + QPointF(self.offset()))

    # Where things stand

    def offset(self) -> QPoint:
        """Return which point of the layout is in the upper left corner."""
        return QPoint(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def pixel_width(self, page: int) -> int:
        """Return the width of a page in pixels of the screen."""
        wide = self.layout_.rect(page).width() * self.devicePixelRatioF()
        return max(1, min(round(wide), MAX_WIDTH))

    def visible_pages(self) -> range:
        top = self.offset().y()
        return self.layout_.between(top, top + self.viewport().height())

    def _natural(self) -> float:
        return self.logicalDpiX() / 72

    def _lay_out(self, anchor: QPointF | None) -> None:
        """Place the pages anew; what stands under the anchor of the viewport stays there."""
        if self.document is None:
            self.layout_ = PageLayout((), 1.0, 0.0)
            self._set_ranges()
            return
        kept = self._under(anchor) if anchor is not None and len(self.layout_) else None
        room = self.viewport().width(), self.viewport().height()
        page = min(self._page, self.document.count)
        scale = scale_for(self.zoom, self.document.sizes[page - 1], room, self._natural())
        self.layout_ = PageLayout(self.document.sizes, scale, room[0])
        self._set_ranges()
        if kept is not None and anchor is not None:
            number, share = kept
            rect = self.layout_.rect(number)
            self._set_offset(
                rect.x() + share.x() * rect.width() - anchor.x(),
                rect.y() + share.y() * rect.height() - anchor.y(),
            )
        self.viewport().update()

    def _under(self, point: QPointF) -> tuple[int, QPointF]:
        place = point + QPointF(self.offset())
        page = self.layout_.page_at(place.y())
        rect = self.layout_.rect(page)
        across, down = (place - rect.topLeft()).x(), (place - rect.topLeft()).y()
        return page, QPointF(across / rect.width(), down / rect.height())

    def _arrange(self) -> None:
        self._lay_out(anchor=QPointF(0, 0))
        self._settle.start()

    def _set_ranges(self) -> None:
        view = self.viewport().size()
        for bar, total, seen in (
            (self.horizontalScrollBar(), self.layout_.width, view.width()),
            (self.verticalScrollBar(), self.layout_.height, view.height()),
        ):
            bar.setRange(0, max(0, round(total) - seen))
            bar.setPageStep(seen)
            bar.setSingleStep(_STEP_LINES * self.fontMetrics().height())

    def _set_offset(self, x: float, y: float) -> None:
        self.horizontalScrollBar().setValue(round(x))
        self.verticalScrollBar().setValue(round(y))

    def _scroll_to(self, page: int, box: QRectF | None) -> None:
        rect = self.layout_.rect(page)
        if box is None:
            self._set_offset(rect.center().x() - self.viewport().width() / 2, rect.y() - MARGIN)
            return
        place = self.layout_.from_page(page, box)
        high, wide = self.viewport().height(), self.viewport().width()
        # A page that fits, or the top of one, needs no scrolling past its edge.
        top = place.y() - _PLACE * high
        if rect.height() + 2 * MARGIN <= high:
            top = rect.center().y() - high / 2
        left = place.center().x() - wide / 2
        if rect.width() + 2 * MARGIN <= wide:
            left = rect.center().x() - wide / 2
        self._set_offset(left, max(top, rect.y() - MARGIN))

    def _let_go(self, _action: int = 0) -> None:
        """The person scrolls: what was to stay in view no longer is."""
        self._target = None

    def _scrolled(self) -> None:
        middle = self.offset().y() + self.viewport().height() / 3
        if len(self.layout_):
            target = self._target
            self._set_page(target[0] if target is not None else self.layout_.page_at(middle))
        self._settle.start()
        self.viewport().update()

    def _set_page(self, page: int) -> None:
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)

    def _scroll_by_key(self, key: Qt.Key) -> bool:
        bar = self.verticalScrollBar()
        far = max(bar.pageStep() - bar.singleStep(), bar.singleStep())
        steps = {
            Qt.Key.Key_Up: -bar.singleStep(), Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_PageUp: -far, Qt.Key.Key_PageDown: far,
            Qt.Key.Key_Home: -bar.maximum(), Qt.Key.Key_End: bar.maximum(),
        }  # fmt: skip
        if key not in steps:
            return False
        self._target = None
        bar.setValue(bar.value() + steps[key])
        return True

    def _zoom_by(self, direction: int, around: QPointF | None) -> None:
        scale = max(SMALLEST, min(LARGEST, next_step(self.scale, direction)))
        if around is not None:
            self._target = None
        self.zoom = Zoom(Fit.SCALE, scale)
        self._lay_out(anchor=around or QPointF(self.viewport().rect().center()))
        if self._target is not None:
            self._scroll_to(*self._target)
        self._settle.start()
        self.zoom_changed.emit()

    # What is wanted of the document

    def _fetch(self) -> None:
        """Ask for what is seen, and in a moment for what may be wanted next."""
        self._settle.stop()
        if self.document is None or self.viewport().height() <= 1:
            return
        self.document.want(self._seen(), ())
        self._ahead.start()

    def _fetch_ahead(self) -> None:
        """Ask for the pages before and after, and for the letters of this one."""
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
        return [key for page in self.visible_pages() for key in self.wanted(page)]

    def wanted(self, page: int) -> list[ImageKey]:
        """Return the bands of a page that are seen."""
        if self.document is None:
            return []
        width = self.pixel_width(page)
        rect = self.layout_.rect(page)
        top = (self.offset().y() - rect.y()) / rect.height()
        bottom = top + self.viewport().height() / rect.height()
        bands = cut(width, self.document.sizes[page - 1]).between(top, bottom)
        return [self.document.key(page, width, band) for band in bands]

    def _image_ready(self, _page: int) -> None:
        self.viewport().update()

    def _letters_ready(self, page: int) -> None:
        self.selection.letters_came(page)
