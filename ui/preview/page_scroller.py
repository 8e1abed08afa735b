"""Scrolls and zooms over the pages of a document, and selects text on one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from ui.preview.document import MAX_WIDTH, PageDocument
from ui.preview.marks import Letters, flowing
from ui.preview.page_layout import (
    LARGEST,
    MARGIN,
    SMALLEST,
    Fit,
    PageLayout,
    Zoom,
    next_step,
    scale_for,
    turned_size,
)
from ui.widgets import timer

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent, QWheelEvent

    from indexer.api.pages import Size


# Milliseconds after which pages are fetched at a new size; until then their images are stretched.
_SETTLE_MS = 70
_STEP_LINES = 3
# Points of a margin that stay beside the text, and the share of the width that may be cut there.
_AIR, _MOST_CUT = 12.0, 0.2
# The distance of the passage from the top, as a share of the height.
_PLACE = 0.2
# The largest value of a scroll bar.
_MOST_PIXELS = 2**31 - 1


class PageScroller(QAbstractScrollArea):
    """The scrolling part of a page view."""

    page_changed = Signal(int)
    zoom_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document: PageDocument | None = None
        self.layout_ = PageLayout((), 1.0, 0.0)
        self.zoom = Zoom()
        self.turn = 0  # quarter turns clockwise
        self.target: tuple[int, QRectF] | None = None
        self.page = 1  # the current page
        self.settling = timer(self, _SETTLE_MS, self.fetch)
        # Pages are not mirrored in a right-to-left layout.
        self.horizontalScrollBar().setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(self._scrolled)
            bar.actionTriggered.connect(self._let_go)

    def fitted(self, page: int) -> Size:
        """Return the size, in points after turning, that the zoom fits into the viewport."""
        if self.document is None:
            return 1.0, 1.0
        width, height = turned_size(self.turn, self.document.sizes[page - 1])
        if self.zoom.fit is Fit.WIDTH and self.turn % 2 == 0:
            width -= 2 * min(max(self.document.margin - _AIR, 0.0), _MOST_CUT * width)
        return width, height

    def fetch(self) -> None:
        """Fetch the visible pages; implemented by ``PageView``."""

    @property
    def scale(self) -> float:
        """The current scale; 1 is the size on paper."""
        return self.layout_.scale / self._natural()

    def go_to(self, page: int, box: QRectF | None = None) -> None:
        """Bring a page, or a box on it in points, into view."""
        if self.document is None or not 1 <= page <= self.document.count:
            return
        # The box stays in view when sizes change, until the person scrolls.
        self.target = (page, box) if box is not None else None
        self.set_page(page)
        if self.zoom.fit is not Fit.SCALE:
            self.lay_out(anchor=None)
        self._scroll_to(page, box)
        self.fetch()

    def set_zoom(self, zoom: Zoom, around: QPointF | None = None) -> None:
        """Change the scale around a point of the viewport, else around its middle."""
        if around is not None:
            self.target = None
        self.zoom = zoom
        self.lay_out(anchor=around or QPointF(self.viewport().rect().center()))
        if self.target is not None:
            self._scroll_to(*self.target)
        self.settling.start()
        self.zoom_changed.emit()

    def turn_by(self, step: int) -> None:
        """Turn all pages by quarter turns clockwise, and keep the target in view."""
        self.turn = (self.turn + step) % 4
        if self.document is None:
            return
        target, page = self.target, self.page
        self.lay_out(anchor=None)
        self._scroll_to(*(target or (page, None)))
        self.target = target
        self.set_page(page)
        self.settling.start()

    def offset(self) -> QPoint:
        """Return the point of the layout in the upper left corner."""
        return QPoint(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def pixel_width(self, page: int) -> int:
        """Return the width of a page in device pixels."""
        wide = self.layout_.pixel_size(page)[0] * self.devicePixelRatioF()
        return max(1, min(round(wide), MAX_WIDTH))

    def visible_pages(self) -> range:
        top = self.offset().y()
        return self.layout_.between(top, top + self.viewport().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_out(anchor=QPointF(0, 0))
        if self.target is not None:
            self._scroll_to(*self.target)
        self.settling.start()
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            if turned:
                self.zoom_by(1 if turned > 0 else -1, event.position())
            event.accept()
            return
        self.target = None
        super().wheelEvent(event)

    def zoom_by(self, direction: int, around: QPointF | None = None) -> None:
        """Show the pages a step larger, or smaller, around a point or the middle."""
        scale = max(SMALLEST, min(LARGEST, next_step(self.scale, direction)))
        self.set_zoom(Zoom(Fit.SCALE, scale), around)

    def _natural(self) -> float:
        return self.logicalDpiX() / 72

    def lay_out(self, anchor: QPointF | None) -> None:
        """Lay the pages out again; what is at ``anchor``, a point of the viewport, stays there."""
        if self.document is None:
            self.layout_ = PageLayout((), 1.0, 0.0)
            self._set_ranges()
            return
        kept = self._under(anchor) if anchor is not None and len(self.layout_) else None
        room = self.viewport().width(), self.viewport().height()
        page = min(self.page, self.document.count)
        scale = scale_for(self.zoom, self.fitted(page), room, self._natural())
        before = self.layout_
        self.layout_ = PageLayout(self.document.sizes, scale, room[0], self.turn)
        self._set_ranges()
        if scale != before.scale:
            self.zoom_changed.emit()
        if kept is not None and anchor is not None:
            number, share = kept
            rect = self.layout_.rect(number)
            self._set_offset(
                rect.x() + share.x() * rect.width() - anchor.x(),
                rect.y() + share.y() * rect.height() - anchor.y(),
            )
        if self.zoom.fit is Fit.WIDTH:
            across = self.horizontalScrollBar()
            across.setValue(across.maximum() // 2)
        self.viewport().update()

    def _under(self, point: QPointF) -> tuple[int, QPointF]:
        place = point + QPointF(self.offset())
        page = self.layout_.page_at(place.y())
        rect = self.layout_.rect(page)
        across, down = (place - rect.topLeft()).x(), (place - rect.topLeft()).y()
        return page, QPointF(across / rect.width(), down / rect.height())

    def arrange(self) -> None:
        self.lay_out(anchor=QPointF(0, 0))
        self.settling.start()

    def _set_ranges(self) -> None:
        policy = Qt.ScrollBarPolicy
        cut = self.zoom.fit is Fit.WIDTH  # only the margins are out of sight
        self.setHorizontalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if cut else policy.ScrollBarAsNeeded
        )
        view = self.viewport().size()
        for bar, total, seen in (
            (self.horizontalScrollBar(), self.layout_.width, view.width()),
            (self.verticalScrollBar(), self.layout_.height, view.height()),
        ):
            bar.setRange(0, _pixels(total - seen))
            line = _STEP_LINES * self.fontMetrics().height()
            bar.setPageStep(max(seen - line, line))  # a few lines stay in view
            bar.setSingleStep(line)

    def _set_offset(self, x: float, y: float) -> None:
        self.horizontalScrollBar().setValue(_pixels(x))
        self.verticalScrollBar().setValue(_pixels(y))

    def _scroll_to(self, page: int, box: QRectF | None) -> None:
        rect = self.layout_.rect(page)
        if box is None:
            self._set_offset(rect.center().x() - self.viewport().width() / 2, rect.y() - MARGIN)
            return
        place = self.layout_.from_page(page, box)
        high, wide = self.viewport().height(), self.viewport().width()
        # The view is not scrolled past the edges of a page that fits.
        top = place.y() - _PLACE * high
        if rect.height() + 2 * MARGIN <= high:
            top = rect.center().y() - high / 2
        left = place.center().x() - wide / 2
        if rect.width() + 2 * MARGIN <= wide or self.zoom.fit is Fit.WIDTH:
            left = rect.center().x() - wide / 2
        self._set_offset(left, max(top, rect.y() - MARGIN))

    def _let_go(self, _action: int = 0) -> None:
        """Stop keeping the target in view, since the person scrolls."""
        self.target = None

    def _scrolled(self) -> None:
        middle = self.offset().y() + self.viewport().height() / 3
        if len(self.layout_):
            target = self.target
            self.set_page(target[0] if target is not None else self.layout_.page_at(middle))
        self.settling.start()
        self.viewport().update()

    def set_page(self, page: int) -> None:
        if page != self.page:
            self.page = page
            self.page_changed.emit(page)


def _pixels(length: float) -> int:
    """Round a length to a value of a scroll bar; a document may claim pages of any size."""
    return round(max(0.0, min(length, _MOST_PIXELS)))


class Selection:
    """The text that is selected on one page, by the mouse, or all of it by a key.

    Points are those of the layout.
    """

    def __init__(self, view: PageScroller) -> None:
        self._view = view
        self.page = 0
        self._anchor = 0
        self._head = 0
        self._all_of = 0  # the page to select once its letters have come

    @property
    def text(self) -> str:
        letters = self._letters()
        start, end = sorted((self._anchor, self._head))
        return letters.text[start:end] if letters is not None else ""

    @property
    def start(self) -> int:
        """The offset of the selection in the text of its page."""
        return min(self._anchor, self._head)

    def clear(self) -> None:
        self._all_of = 0
        self._set(0, 0, 0)

    def press(self, point: QPointF) -> None:
        page, place = self._place(point)
        self._set(page, place, place)

    def move(self, point: QPointF) -> None:
        letters = self._letters()
        if letters is not None:
            place = letters.place(self._view.layout_.to_page(self.page, point))
            self._set(self.page, self._anchor, place)

    def press_word(self, point: QPointF) -> None:
        page, place = self._place(point)
        document = self._view.document
        letters = document.letters(page) if document is not None else None
        if letters is not None:
            self._set(page, *letters.word(place))

    def select_page(self, page: int) -> None:
        """Select all text of a page, once its letters have come."""
        document = self._view.document
        if document is None:
            return
        letters = document.letters(page)
        if letters is None:
            self._all_of = page
            document.want_letters(page)
        else:
            self._set(page, 0, len(letters.text))

    def letters_came(self, page: int) -> None:
        if page == self._all_of:
            self._all_of = 0
            self.select_page(page)

    def copy(self) -> None:
        if text := flowing(self.text):
            QGuiApplication.clipboard().setText(text)

    def lines(self, page: int) -> list[QRectF]:
        """Return the selected rectangles of a page, in points."""
        letters = self._letters()
        if page != self.page or letters is None:
            return []
        start, end = sorted((self._anchor, self._head))
        return letters.lines(start, end)

    def _letters(self) -> Letters | None:
        document = self._view.document
        return document.letters(self.page) if document is not None and self.page else None

    def _place(self, point: QPointF) -> tuple[int, int]:
        layout, document = self._view.layout_, self._view.document
        if document is None or not len(layout):
            return 0, 0
        page = layout.page_at(point.y())
        letters = document.letters(page)
        if letters is None:
            document.want_letters(page)
            return page, 0
        return page, letters.place(layout.to_page(page, point))

    def _set(self, page: int, anchor: int, head: int) -> None:
        self.page, self._anchor, self._head = page, anchor, head
        self._view.viewport().update()
