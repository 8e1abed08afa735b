"""How the lists of the window look: rows with a tint and a bar where they are selected."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
)

from ui import theme
from ui.theme import S

Index = QModelIndex | QPersistentModelIndex
_BAR = 3  # pixels


def paint_bar(painter: QPainter, row: QRect, direction: Qt.LayoutDirection) -> None:
    """Paint the bar at the leading edge of a selected row."""
    bar = QRect(row.left(), row.top(), _BAR, row.height())
    painter.fillRect(QStyle.visualRect(direction, row, bar), theme.current().accent)


class RowDelegate(QStyledItemDelegate):
    """Paints the items of every list alike: selected rows have a tint and a bar at their edge."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if option.state & QStyle.StateFlag.State_Selected and not index.column():
            paint_bar(painter, option.rect, option.direction)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(0, S)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() and isinstance(self.parent(), QTreeWidget):
            option.text += "\u2002"  # keeps a number off the edge
            option.palette.setColor(QPalette.ColorRole.Text, theme.current().muted)
        option.state &= ~QStyle.StateFlag.State_HasFocus
        if option.features & QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator:
            role = QPalette.ColorRole.Window
            option.palette.setColor(role, theme.edged_palette(theme.current()).color(role))
        if isinstance(self.parent(), QListView) and option.icon.isNull():
            # An empty icon keeps the text off the bar.
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.decorationSize = QSize(_BAR, 1)


def style_tree(tree: QTreeWidget, name: str, *, framed: bool = True) -> None:
    """Style a tree like all lists, with two columns: a name, and a number at the end."""
    style_list(tree, name, framed=framed)
    tree.setColumnCount(2)
    tree.setHeaderHidden(True)
    header = tree.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(0, header.ResizeMode.Stretch)
    header.setSectionResizeMode(1, header.ResizeMode.ResizeToContents)


def style_list(
    view: QAbstractItemView, name: str, *, framed: bool = True, across: bool = False
) -> None:
    """Style a list like all others, and give it a name for screen readers.

    Args:
        framed: Whether it has a frame.
        across: Whether it also scrolls sideways.
    """
    view.setItemDelegate(RowDelegate(view))
    view.setAccessibleName(name)
    if not across:
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if not framed:
        view.setFrameShape(QFrame.Shape.NoFrame)
