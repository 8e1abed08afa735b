"""Scrolling and zooming over pages, and the strip beside them that maps the whole document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from ui import theme
from ui.preview.document import MAX_WIDTH
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
from ui.theme import S, blend
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import (
        QHelpEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from indexer.api.pages import Size
    from ui.preview.document import PageDocument

# Milliseconds of rest after which pages are fetched at a new size; until then they are stretched.
_SETTLE_MS = 70
_STEP_LINES = 3
# Points of a margin that are kept beside the text, and the largest share of a page that is cut.
_AIR, _MOST_CUT = 12.0, 0.2
# The distance of the passage from the top, as a share of the height.
_PLACE = 0.2


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
        self._page = 1
        self.settling = timer(self, _SETTLE_MS, self.fetch)
        # Pages are not mirrored in a right-to-left layout.
        self.horizontalScrollBar().setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(self._scrolled)
            bar.actionTriggered.connect(self._let_go)

    def fitted(self, page: int) -> Size:
        """Return the width and height, in points as turned, that the zoom fits into the room."""
        if self.document is None:
            return 1.0, 1.0
        width, height = turned_size(self.turn, self.document.sizes[page - 1])
        if self.zoom.fit is Fit.WIDTH and self.turn % 2 == 0:
            width -= 2 * min(max(self.document.margin - _AIR, 0.0), _MOST_CUT * width)
        return width, height

    def fetch(self) -> None:
        """Fetch the visible pages; implemented by ``PageView``."""

    @property
    def page(self) -> int:
        """The current page, from 1."""
        return self._page

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

    def set_zoom(self, zoom: Zoom) -> None:
        """Change the scale around the middle of the viewport."""
        self.zoom = zoom
        self.lay_out(anchor=QPointF(self.viewport().rect().center()))
        if self.target is not None:
            self._scroll_to(*self.target)
        self.settling.start()
        self.zoom_changed.emit()

    def turn_by(self, step: int) -> None:
        """Turn all pages by quarter turns clockwise, and keep the target in view."""
        self.turn = (self.turn + step) % 4
        if self.document is None:
            return
        target, page = self.target, self._page
        self.lay_out(anchor=None)
        self._scroll_to(*(target or (page, None)))
        self.target = target
        self.set_page(page)
        self.settling.start()

    def zoom_in(self) -> None:
        self._zoom_by(1, None)

    def zoom_out(self) -> None:
        self._zoom_by(-1, None)

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
                self._zoom_by(1 if turned > 0 else -1, event.position())
            event.accept()
            return
        self.target = None
        super().wheelEvent(event)

    def scroll_by_key(self, key: Qt.Key) -> bool:
        bar = self.verticalScrollBar()
        far = max(bar.pageStep() - bar.singleStep(), bar.singleStep())
        steps = {
            Qt.Key.Key_Up: -bar.singleStep(), Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_PageUp: -far, Qt.Key.Key_PageDown: far,
            Qt.Key.Key_Home: -bar.maximum(), Qt.Key.Key_End: bar.maximum(),
        }  # fmt: skip
        if key not in steps:
            return False
        self.target = None
        bar.setValue(bar.value() + steps[key])
        return True

    def _zoom_by(self, direction: int, around: QPointF | None) -> None:
        scale = max(SMALLEST, min(LARGEST, next_step(self.scale, direction)))
        if around is not None:
            self.target = None
        self.zoom = Zoom(Fit.SCALE, scale)
        self.lay_out(anchor=around or QPointF(self.viewport().rect().center()))
        if self.target is not None:
            self._scroll_to(*self.target)
        self.settling.start()
        self.zoom_changed.emit()

    def _natural(self) -> float:
        return self.logicalDpiX() / 72

    def lay_out(self, anchor: QPointF | None) -> None:
        """Lay the pages out again, keeping what is at a point of the viewport, if given, there."""
        if self.document is None:
            self.layout_ = PageLayout((), 1.0, 0.0)
            self._set_ranges()
            return
        kept = self._under(anchor) if anchor is not None and len(self.layout_) else None
        room = self.viewport().width(), self.viewport().height()
        page = min(self._page, self.document.count)
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
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)


# The least closeness of a page that the keys go to.
CLOSE = 0.5
# A document of fewer pages needs no map.
_LEAST = 4
# The most pages named in the accessible description.
_NAMED = 5
# The width, in heights of a line.
_WIDTH = 0.8


def map_rows(layout: PageLayout, closeness: Sequence[float], height: int) -> list[float]:
    """Return the closeness for each pixel row of a strip: of the closest page that it covers."""
    step = layout.height / max(height, 1)
    return [
        max(closeness[page - 1] for page in layout.between(row * step, (row + 1) * step))
        for row in range(height)
    ]


class PageMap(QWidget):
    """The strip of one ``PageScroller``, which makes room for it. Hidden without closeness.

    Signals:
        changed: The strip was shown or hidden.
    """

    changed = Signal()

    def __init__(self, view: PageScroller) -> None:
        super().__init__(view)
        self._view = view
        self.closeness: Sequence[float] = ()
        self._rows: list[float] = []
        self._drawn: tuple[PageLayout, int] | None = None
        self.setAccessibleName(self.tr("Map of the document"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        for step, text in ((-1, self.tr("Previous close page")), (1, self.tr("Next close page"))):
            # For the menu of the preview.
            self.addAction(text).triggered.connect(lambda _on, by=step: self.step_close_pages(by))
        for signal in (view.verticalScrollBar().valueChanged, view.zoom_changed):
            signal.connect(self.update)
        self.hide()

    def show_closeness(self, closeness: Sequence[float]) -> None:
        """Show the closeness of each page, 0 to 1; hide if all are 0."""
        self.closeness = closeness if len(closeness) >= _LEAST and any(closeness) else ()
        self._drawn = None
        best = sorted(self.close_pages(), key=lambda page: -self.closeness[page - 1])[:_NAMED]
        named = ", ".join(map(self._label, best))
        text = self.tr("Pages close to what you ask: {pages}").format(pages=named)
        self.setAccessibleDescription(text if best else "")
        self.setVisible(bool(self.closeness))
        self.update()
        self.changed.emit()

    def strip(self) -> int:
        """Return the width of the strip in pixels, 0 while it is hidden."""
        return round(_WIDTH * self.fontMetrics().height()) if self.closeness else 0

    def close_pages(self) -> list[int]:
        """Return the pages that are at least ``CLOSE``, ascending."""
        return [page for page, share in enumerate(self.closeness, 1) if share >= CLOSE]

    def step_close_pages(self, step: int) -> None:
        """Go to the next close page, or (-1) to the previous one."""
        here = self._view.page
        pages = [page for page in self.close_pages() if (page - here) * step > 0]
        if pages:
            self._go(pages[0] if step > 0 else pages[-1])

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            asked: QHelpEvent = event  # type: ignore[assignment]  # by its type
            page = self._page_at(asked.pos().y())
            if page:
                QToolTip.showText(asked.globalPos(), self._spoken(page), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._go(self._page_at(round(event.position().y())))
        else:
            event.ignore()  # the window goes back and forward

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(self._page_at(round(event.position().y())))

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours, layout = theme.current(), self._view.layout_
        painter = QPainter(self)
        painter.fillRect(self.rect(), colours.base)
        for row, share in enumerate(self._shares()):
            if share:
                painter.fillRect(
                    0, row, self.width(), 1, blend(colours.accent, colours.base, share)
                )
        painter.setPen(colours.line)
        painter.drawRect(self.rect().adjusted(0, -1, -1, 0))
        scale = self.height() / max(layout.height, 1.0)
        top, seen = self._view.offset().y() * scale, self._view.viewport().height() * scale
        frame = QRect(0, round(top), self.width() - 1, max(round(seen), S) - 1)
        painter.setPen(QPen(colours.text, 1))
        painter.drawRect(frame)
        painter.end()

    def _shares(self) -> list[float]:
        layout = self._view.layout_
        if len(layout) != len(self.closeness):
            return []
        if self._drawn != (layout, self.height()):
            self._drawn = layout, self.height()
            self._rows = map_rows(layout, self.closeness, self.height())
        return self._rows

    def _page_at(self, y: int) -> int:
        layout = self._view.layout_
        return layout.page_at(y * layout.height / max(self.height(), 1)) if len(layout) else 0

    def _go(self, page: int) -> None:
        self._view.go_to(page)
        said = QAccessibleAnnouncementEvent(self, self._spoken(page))
        QAccessible.updateAccessibility(said)

    def _label(self, page: int) -> str:
        document = self._view.document
        return (
            document.label(page) if document is not None and page <= document.count else str(page)
        )

    def _spoken(self, page: int) -> str:
        close = page <= len(self.closeness) and self.closeness[page - 1] >= CLOSE
        text = self.tr("Page {page}, close to what you ask") if close else self.tr("Page {page}")
        return text.format(page=self._label(page))
