"""Paints lines of text in a row of the results, elided, and mirrored in a right-to-left layout.

It must not know what is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle

from ui.search.safe_text import is_right_to_left
from ui.theme import L, M, S

if TYPE_CHECKING:
    from PySide6.QtGui import QFont, QFontMetricsF
    from PySide6.QtWidgets import QStyleOptionViewItem

    from ui.search.results_style import ResultsStyle

_FLAT = Qt.TextFlag.TextSingleLine
_LEADING = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_TRAILING = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text and how to paint it."""

    text: str
    font: QFont
    metrics: QFontMetricsF
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    is_path: bool = False  # a path runs from left to right in every language


class LinePainter:
    """Paints within one row. Rectangles are those of a left-to-right layout."""

    def __init__(
        self, painter: QPainter, option: QStyleOptionViewItem, style: ResultsStyle
    ) -> None:
        self.painter, self.style = painter, style
        self.rect: QRect = option.rect
        self.state: QStyle.StateFlag = option.state
        self.direction: Qt.LayoutDirection = option.direction

    def mirrored(self, rect: QRect) -> QRect:
        return self.style.mirrored(rect, self.rect, self.direction)

    def line(self, area: QRect, text: TextLine) -> None:
        """Paint a line from its beginning."""
        self._paint(area, text, _LEADING)

    def trailing(self, area: QRect, text: TextLine) -> QRect:
        """Paint text at the end of a line; return the rest of the line's rectangle."""
        if not text.text:
            return area
        width = ceil(text.metrics.horizontalAdvance(text.text)) + 2
        end = QRect(area.right() - width + 1, area.top(), width, area.height())
        self._paint(end, text, _TRAILING)
        return area.adjusted(0, 0, -width - L, 0)

    def framed(self, area: QRect, text: TextLine, colour: QColor) -> QRect:
        """Paint text in a frame at the end of a line; return the rest of the line's rectangle."""
        if not text.text:
            return area
        width = ceil(text.metrics.horizontalAdvance(text.text)) + 2 * M + 2
        frame = QRect(area.right() - width + 1, area.top(), width, area.height())
        self.painter.setPen(colour)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.drawRoundedRect(self.mirrored(frame).adjusted(0, 1, -1, -1), S, S)
        self.line(frame.adjusted(M, 0, -M, 0), text)
        return area.adjusted(0, 0, -width - M, 0)

    def _paint(self, area: QRect, text: TextLine, side: Qt.AlignmentFlag) -> None:
        if area.width() <= 0 or not text.text:
            return
        self.painter.setFont(text.font)
        elided = text.metrics.elidedText(text.text, text.elide, area.width())
        flags = QStyle.visualAlignment(self.direction, side) | Qt.AlignmentFlag.AlignAbsolute
        # By the direction of the text, not of the window.
        right = not text.is_path and is_right_to_left(text.text)
        force = Qt.TextFlag.TextForceRightToLeft if right else Qt.TextFlag.TextForceLeftToRight
        self.painter.drawText(self.mirrored(area), flags | _FLAT | force, elided)
