"""A strip beside the pages that maps the whole document: the closer a page, the darker.

Owns its painting, its keys and its accessible texts. It must not know where closeness comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from ui import theme
from ui.theme import S, blend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from ui.preview.page_layout import PageLayout
    from ui.preview.page_scroller import PageScroller

# The least closeness of a page that the keys go to.
CLOSE = 0.5
# A document of fewer pages needs no map.
_LEAST = 4
# The most pages named in the accessible description.
_NAMED = 5
# The width, in heights of a line.
_WIDTH = 0.8


def rows_of(layout: PageLayout, closeness: Sequence[float], height: int) -> list[float]:
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
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        for step, text in ((-1, self.tr("Previous close page")), (1, self.tr("Next close page"))):
            # For the menu of the preview.
            self.addAction(text).triggered.connect(lambda _on, by=step: self.step(by))
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

    def step(self, step: int) -> None:
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pages = self.close_pages()
        match Qt.Key(event.key()):
            case Qt.Key.Key_Down | Qt.Key.Key_PageDown:
                self.step(1)
            case Qt.Key.Key_Up | Qt.Key.Key_PageUp:
                self.step(-1)
            case Qt.Key.Key_Home if pages:
                self._go(pages[0])
            case Qt.Key.Key_End if pages:
                self._go(pages[-1])
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

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
            self._rows = rows_of(layout, self.closeness, self.height())
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
