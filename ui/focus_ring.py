"""The ring around the widget that has the focus, one and the same for every kind of widget.

It lies over whatever a style or a widget draws itself, so that no widget has to draw one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSplitter, QTabBar, QWidget
from shiboken6 import isValid

from ui.theme import S, current

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QApplication

_WIDE = 2


class FocusRings(QObject):
    """Keeps a ``FocusRing`` around the application's focus."""

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self.ring: FocusRing | None = None
        app.focusChanged.connect(self._move)

    def _move(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.ring is not None and isValid(self.ring):
            self.ring.hide()
            self.ring.deleteLater()
        # A page gets the focus for the keys that it handles; there is nothing to be seen in it.
        if now is not None and not now.focusPolicy() & Qt.FocusPolicy.TabFocus:
            now = None
        host = now.parentWidget() if now is not None else None
        # A child of a splitter becomes one of its parts.
        while isinstance(host, QSplitter):
            host = host.parentWidget()
        self.ring = FocusRing(now, host) if now is not None and host is not None else None


class FocusRing(QWidget):
    """A ring over the edge of ``around``, as a child of ``host``, one of its ancestors.

    Of tabs it is around the current one.
    """

    def __init__(self, around: QWidget, host: QWidget) -> None:
        super().__init__(host)
        self._around = around
        for attribute in (
            Qt.WidgetAttribute.WA_TransparentForMouseEvents,
            Qt.WidgetAttribute.WA_NoSystemBackground,
        ):
            self.setAttribute(attribute)
        around.installEventFilter(self)
        if isinstance(around, QTabBar):
            around.currentChanged.connect(self._place)
        self._place()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours, area = current(), QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # The thin line keeps it visible on the colour of a selection.
        for width, inside, colour in ((1, _WIDE + 0.5, colours.base), (_WIDE, 1, colours.accent)):
            painter.setPen(QPen(colour, width))
            painter.drawRoundedRect(area.adjusted(inside, inside, -inside, -inside), S, S)
        painter.end()

    def _place(self, _current: int = 0) -> None:
        host, around = self.parentWidget(), self._around
        area = around.rect()
        if isinstance(around, QTabBar):
            area = around.tabRect(around.currentIndex())
        if host is not None:
            self.setGeometry(QRect(around.mapTo(host, area.topLeft()), area.size()))
            self.raise_()
