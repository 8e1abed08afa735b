"""How selected rows look, the same in every list: a tint and a bar at the row's leading edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ui import theme
from ui.theme import S

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QAbstractItemView

_BAR = 3  # pixels


def paint_bar(painter: QPainter, row: QRect, direction: Qt.LayoutDirection) -> None:
    """Paint the bar at the leading edge of a selected row."""
    bar = QRect(row.left(), row.top(), _BAR, row.height())
    if direction is Qt.LayoutDirection.RightToLeft:
        bar.moveRight(row.right())
    painter.fillRect(bar, theme.current().accent)


def select_something(view: QAbstractItemView) -> None:
    """Select the current row if none is selected, for a list that gets the focus.

    Where there is one row, no key would select it, since the current one does not change.
    """
    flags = QItemSelectionModel.SelectionFlag
    if not view.selectionModel().hasSelection():
        view.selectionModel().select(view.currentIndex(), flags.Select | flags.Rows)


class RowDelegate(QStyledItemDelegate):
    """Paints items with the bar in the first column, some room, and no focus of their own."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        if option.state & QStyle.StateFlag.State_Selected and not index.column():
            paint_bar(painter, option.rect, option.direction)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return super().sizeHint(option, index) + QSize(0, S)

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus
        if option.features & QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator:
            role = QPalette.ColorRole.Window
            option.palette.setColor(role, theme.edged_palette(theme.current()).color(role))
        if isinstance(self.parent(), QListView) and option.icon.isNull():
            # An empty icon keeps the text off the bar.
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.decorationSize = QSize(_BAR, 1)
