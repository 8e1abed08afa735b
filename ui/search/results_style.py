"""Fonts and sizes of the results, derived from the view's font and the theme.

Owns the heights of rows and the positions of their parts, in logical pixels. It must not know
models or events.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetricsF

from ui.search.snippet import Pen
from ui.theme import L, M, S, icon_side

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_SMALL = 0.92


@dataclass(frozen=True, slots=True)
class ResultsStyle:
    """The fonts and sizes common to all rows; made anew when the font or the width changes."""

    body: QFont
    small: QFont
    strong: QFont
    title: QFont
    body_metrics: QFontMetricsF
    small_metrics: QFontMetricsF
    strong_metrics: QFontMetricsF
    title_metrics: QFontMetricsF
    width: int

    @classmethod
    def from_widget(cls, widget: QWidget, width: int) -> ResultsStyle:
        body = QFont(widget.font())
        small, title = QFont(body), QFont(body)
        if body.pointSizeF() > 0:
            small.setPointSizeF(body.pointSizeF() * _SMALL)
        title.setWeight(QFont.Weight.DemiBold)
        strong = QFont(small)
        strong.setWeight(QFont.Weight.DemiBold)
        return cls(
            body,
            small,
            strong,
            title,
            QFontMetricsF(body, widget),
            QFontMetricsF(small, widget),
            QFontMetricsF(strong, widget),
            QFontMetricsF(title, widget),
            width,
        )

    @property
    def icon(self) -> int:
        return icon_side(self.body_metrics.height(), 1.1)

    @property
    def indent(self) -> int:
        """The left edge of the text of hits, after their icon."""
        return L + self.icon + M

    @property
    def pen(self) -> Pen:
        return Pen(self.body, self.body_metrics, max(self.width - self.indent - L, 1))

    @property
    def title_line(self) -> int:
        return ceil(self.title_metrics.height())

    @property
    def small_line(self) -> int:
        return ceil(self.small_metrics.height())

    @property
    def document_height(self) -> int:
        return M + S // 2 + self.title_line + self.small_line + S // 2

    @property
    def line_height(self) -> int:
        """The height of a heading, and of the line that unfolds more."""
        return M + ceil(self.body_metrics.height()) + M

    def hit_height(self, lines: int, *, has_place: bool = True) -> int:
        place = self.small_line + S // 2 if has_place else 0
        return M + place + lines * ceil(self.body_metrics.lineSpacing()) + M

    def mirrored(self, rect: QRect, within: QRect, direction: Qt.LayoutDirection) -> QRect:
        """Mirror a rectangle within a row, in a right-to-left layout."""
        if direction is Qt.LayoutDirection.RightToLeft:
            rect = QRect(rect)
            rect.moveLeft(within.left() + within.right() - rect.right())
        return rect
