"""Paints a folder of the library: name, path, size and progress.

Owns the layout of a row, in both directions of writing and any size of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from indexer.api.status import RootStatus
from ui import icons, theme
from ui.library.folder_model import ROOT_ROLE, embedded, lines_about, name_of, troubled
from ui.theme import L, M, S
from ui.widgets import paint_bar
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

_START = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_END = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
_BAR = 3


class FolderDelegate(QStyledItemDelegate):
    """Paints three lines: name and size; path; progress, with a bar until it is complete."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        line = option.fontMetrics.height()
        return QSize(line * 20, 3 * line + 3 * S + 2 * M + _BAR)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        root = index.data(ROOT_ROLE)
        if not isinstance(root, RootStatus):
            return
        widget = cast("QWidget | None", option.widget)
        style = widget.style() if widget is not None else None
        if style is not None:
            style.drawPrimitive(
                QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, widget
            )
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            paint_bar(painter, option.rect, option.direction)
        self._paint_row(painter, option, root)
        painter.restore()

    def _paint_row(self, painter: QPainter, option: QStyleOptionViewItem, root: RootStatus) -> None:
        colours = theme.current()
        text, muted = colours.text, colours.muted
        whole = option.rect
        font = option.font
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.setLayoutDirection(option.direction)
        line = QFontMetrics(font).height()
        inner = whole.adjusted(L, M, -L, -M)
        side = theme.icon_side(line, 1.4)
        drawing = "offline" if root.offline else "folder"
        icon_rect = QRect(inner.left(), inner.top(), side, side)
        body = inner.adjusted(side + M, 0, 0, 0)
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(
            _place(icon_rect, inner, mirrored=mirrored), icons.pixmap(drawing, side, muted, ratio)
        )
        holds, how_far = lines_about(root)
        first = QRect(body.left(), body.top(), body.width(), line)
        painter.setFont(font)
        width = QFontMetrics(font).horizontalAdvance(holds) + L
        end = QRect(first.right() - width, first.top(), width + 1, line)
        _text(painter, _place(end, inner, mirrored=mirrored), holds, muted, _END)
        bold = QFont(font)
        bold.setBold(True)
        painter.setFont(bold)
        name = first.adjusted(0, 0, -width, 0)
        _text(painter, _place(name, inner, mirrored=mirrored), name_of(root), text, _START)
        painter.setFont(font)
        second = first.translated(0, line + S)
        middle = Qt.TextElideMode.ElideMiddle
        _text(
            painter,
            _place(second, inner, mirrored=mirrored),
            _isolated(from_home(root.path)),
            muted,
            _START,
            middle,
        )
        third = second.translated(0, line + S)
        _text(painter, _place(third, inner, mirrored=mirrored), how_far, _colour(root), _START)
        if (share := embedded(root)) < 1 and not root.offline:
            bar = QRect(body.left(), third.bottom() + S, body.width(), _BAR)
            self._paint_bar(painter, bar, share, mirrored=mirrored)

    @staticmethod
    def _paint_bar(painter: QPainter, bar: QRect, share: float, *, mirrored: bool) -> None:
        colours = theme.current()
        painter.fillRect(bar, colours.line)
        done = QRect(bar)
        done.setWidth(round(bar.width() * share))
        if mirrored:
            done.moveRight(bar.right())
        painter.fillRect(done, colours.accent)


def _isolated(path: str) -> str:
    """Put a path into a bidirectional isolate, so that it runs from left to right."""
    return f"\u2066{path}\u2069"


def _colour(root: RootStatus) -> QColor:
    colours = theme.current()
    if root.offline or troubled(root):
        return colours.warning
    return colours.muted


def _place(rect: QRect, inside: QRect, *, mirrored: bool) -> QRect:
    if not mirrored:
        return rect
    made = QRect(rect)
    made.moveLeft(inside.right() - (rect.right() - inside.left()))
    return made


def _text(
    painter: QPainter,
    rect: QRect,
    text: str,
    colour: QColor,
    flags: Qt.AlignmentFlag,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    painter.setPen(colour)
    shown = painter.fontMetrics().elidedText(text, mode, rect.width())
    painter.drawText(rect, flags, shown)
