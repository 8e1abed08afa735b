"""A layout of widgets in lines that break."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget

from ui.theme import M


class FlowLayout(QLayout):
    """Lays widgets out in lines that break, in reading direction; hidden ones take no room.

    With ``split`` the last one stands at the end of its line.
    """

    def __init__(
        self, *parts: QWidget, parent: QWidget | None = None, spacing: int = M, split: bool = False
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._split = split
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        for part in parts:
            self.addWidget(part)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        if not 0 <= index < len(self._items):
            return None
        self.invalidate()
        return self._items.pop(index)

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        gaps = self.spacing() * max(0, len(shown) - 1)
        return QSize(
            sum(hint.width() for hint in shown) + gaps,
            max((hint.height() for hint in shown), default=0),
        )

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the items within a width; return the height that they take."""
        lines, x, y = list[list[tuple[QLayoutItem, QSize]]](), 0, 0
        owner = self.parentWidget()
        direction = owner.layoutDirection() if owner is not None else Qt.LayoutDirection.LeftToRight
        for item in self._items:
            if not item.isEmpty():
                hint = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 1 << 20))
                if not lines or x + hint.width() > rect.width():
                    lines.append([])
                    x = 0
                lines[-1].append((item, hint))
                x += hint.width() + self.spacing()
        for line in lines:
            x, high = 0, max(hint.height() for _, hint in line)
            for item, hint in line:
                if self._split and item is self._items[-1]:
                    x = rect.width() - hint.width()
                place = QRect(rect.topLeft() + QPoint(x, y + (high - hint.height()) // 2), hint)
                if move:
                    item.setGeometry(QStyle.visualRect(direction, rect, place))
                x += hint.width() + self.spacing()
            y += high + self.spacing()
        return max(y - self.spacing(), 0)
