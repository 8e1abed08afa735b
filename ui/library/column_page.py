"""A scrolling page of one column, whose width and title follow the window and the font."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from ui.theme import XL

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QLabel

_WIDEST = 90  # average letters; longer lines are hard to read
_TITLE_SCALE = 1.45


class ColumnPage(QScrollArea):
    """To be filled once, with ``hold``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._column: QWidget | None = None
        self._titles: list[QLabel] = []
        self._headings: list[QLabel] = []

    def add_title(self, label: QLabel) -> QLabel:
        """Give a label the font of a title."""
        self._titles.append(label)
        return label

    def add_heading(self, label: QLabel) -> QLabel:
        """Give a label the font of a heading."""
        self._headings.append(label)
        return label

    def hold(self, column: QWidget) -> QVBoxLayout:
        """Set the column; return the layout of the page."""
        self._column = column
        page = QWidget()
        outer = QVBoxLayout(page)
        outer.setContentsMargins(XL, XL, XL, XL)
        self.setWidget(page)
        self.style_fonts()
        self._size_column()
        return outer

    def style_fonts(self) -> None:
        """Set the fonts of titles and headings, from the page's font."""
        big = QFont(self.font())
        big.setPointSizeF(big.pointSizeF() * _TITLE_SCALE)
        big.setBold(True)
        for title in self._titles:
            title.setFont(big)
        strong = QFont(self.font())
        strong.setBold(True)
        for heading in self._headings:
            heading.setFont(strong)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and getattr(self, "_column", None) is not None:
            self.style_fonts()
            self._size_column()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_column()

    def _size_column(self) -> None:
        if self._column is not None:
            self._column.setFixedWidth(self.column_width(max(0, self.viewport().width() - 2 * XL)))

    def column_width(self, room: int) -> int:
        """Return the width of the column in a page that has ``room`` pixels for it."""
        return min(self.fontMetrics().averageCharWidth() * _WIDEST, room)
