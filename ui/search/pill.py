"""A small rounded button with icon and text, for chips and filter menus.

A native tool button leaves no room around its text, and puts its arrow into a corner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from ui import icons, theme
from ui.theme import M, S, blend, icon_side

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

_MOST_CHARACTERS = 32
_FILL, _HOVER_FILL = 0.14, 0.24


class Pill(QAbstractButton):
    """``drawing`` is the icon after the text, or before it with ``leads``; ``filled`` is a chip."""

    def __init__(
        self,
        text: str,
        drawing: str,
        *,
        leads: bool = False,
        filled: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._drawing, self._leads, self._filled = drawing, leads, filled
        self.most_width = 0  # in pixels; 0: as wide as the text, up to a limit
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._shown()) + self._side() + S + 2 * M
        return QSize(width, metrics.height() + 2 * S)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.isDown()
        share = _HOVER_FILL if lit else _FILL
        painter.setPen(colours.line)
        if self._filled:
            painter.setBrush(blend(colours.selection, colours.raised, share))
        elif lit:
            painter.setBrush(blend(colours.selection, colours.raised, _HOVER_FILL - _FILL))
        inner = self.rect().adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(inner, inner.height() / 2, inner.height() / 2)
        self._paint_parts(painter)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.updateGeometry()

    def _paint_parts(self, painter: QPainter) -> None:
        colours, side = theme.current(), self._side()
        area = self.rect().adjusted(M, 0, -M, 0)
        top = area.top() + (area.height() - side) // 2
        drawing = QRect(area.left(), top, side, side)
        text = area.adjusted(side + S, 0, 0, 0)
        if self._leads == self.isRightToLeft():
            drawing.moveRight(area.right())
            text = area.adjusted(0, 0, -side - S, 0)
        pixmap = icons.pixmap(self._drawing, side, colours.muted, self.devicePixelRatioF())
        painter.drawPixmap(drawing, pixmap)
        painter.setPen(colours.text)
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self._shown())

    def _side(self) -> int:
        return icon_side(self.fontMetrics().height(), 0.75)

    def _shown(self) -> str:
        metrics = self.fontMetrics()
        room = metrics.averageCharWidth() * _MOST_CHARACTERS
        if self.most_width:
            room = min(room, self.most_width - self._side() - S - 2 * M)
        return metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)
