"""Buttons that look like links, one of them to a document."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from ui import theme
from ui.desktop import open_path, show_in_folder
from ui.search.safe_text import is_right_to_left, line
from ui.theme import S

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

# The widths that a link takes, and keeps where there is less room, in widths of a letter.
_MOST_CHARACTERS, _LEAST_CHARACTERS = 60, 16


class Link(QAbstractButton):
    """Emits ``followed`` with its target."""

    followed = Signal(str)
    elide = Qt.TextElideMode.ElideRight

    def __init__(self, text: str, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.target = target
        self.setText(line(text))
        self.setAccessibleName(self.text())
        self.setToolTip(self.text())
        self.setProperty("elides", True)  # a value
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._follow)

    def offer(self, text: str, act: Callable[[], object]) -> None:
        """Add an entry to the menu of the link."""
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(text).triggered.connect(lambda _checked: act())

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        most = _MOST_CHARACTERS * metrics.averageCharWidth()
        # One more, since Qt rounds the width down but elides by the fraction.
        width = min(metrics.horizontalAdvance(self.text()) + 1, most) + 2
        return QSize(width, metrics.height() + 2 * S)

    def minimumSizeHint(self) -> QSize:
        least = _LEAST_CHARACTERS * self.fontMetrics().averageCharWidth()
        return self.sizeHint().boundedTo(QSize(least, self.maximumHeight()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = theme.current().accent
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(colour)
        text = self.fontMetrics().elidedText(self.text(), self.elide, self.width() - 2)
        right = Qt.TextFlag.TextForceRightToLeft
        force = right if is_right_to_left(text) else Qt.TextFlag.TextForceLeftToRight
        alignment = Qt.AlignmentFlag
        side = alignment.AlignRight if self.isRightToLeft() else alignment.AlignLeft
        place = side | alignment.AlignAbsolute | alignment.AlignVCenter
        painter.drawText(self.rect().adjusted(1, 0, -1, 0), place | force, text)
        painter.end()

    def _follow(self) -> None:
        self.followed.emit(self.target)


class DocumentLink(Link):
    """The name of a document, with a menu of what can be done with it."""

    elide = Qt.TextElideMode.ElideMiddle  # the end tells names apart, too

    def __init__(self, path: str, target: str, parent: QWidget | None = None) -> None:
        super().__init__(PurePath(path).name, target, parent)
        self.setToolTip(line(path))
        self.offer(self.tr("Search inside this document"), self.click)
        self.offer(self.tr("Open"), lambda: open_path(path))
        self.offer(self.tr("Show in folder"), lambda: show_in_folder(path))
        self.offer(self.tr("Copy path"), lambda: QGuiApplication.clipboard().setText(path))
