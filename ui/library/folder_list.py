"""The list of the library's folders: its model, and how a row is painted."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from indexer.api.status import RootStatus
from indexer.api.types import FileState
from ui import theme
from ui.theme import L, M, S
from ui.widgets import paint_bar, select_something
from ui.words import amounts, failures
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from PySide6.QtGui import QFocusEvent


class FolderList(QListView):
    """Shows a ``FolderModel``."""

    def __init__(self, model: FolderModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(FolderDelegate(self))
        self.setAccessibleName(self.tr("Folders"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def chosen(self) -> list[RootStatus]:
        indexes = self.selectionModel().selectedIndexes()
        return [index.data(ROOT_ROLE) for index in sorted(indexes, key=lambda each: each.row())]

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        select_something(self)


Index = QModelIndex | QPersistentModelIndex

ROOT_ROLE = int(Qt.ItemDataRole.UserRole)
_NOWHERE = QModelIndex()
_READ_STATES = (FileState.INDEXED, FileState.PARTIAL)
_TROUBLED_STATES = (FileState.FAILED, FileState.UNREADABLE, FileState.NEEDS_PASSWORD)


def name_of(root: RootStatus) -> str:
    return PurePath(root.path).name or root.path


def embedded(root: RootStatus) -> float:
    """Return the share of the documents that are embedded, 0 to 1."""
    documents = _number_in(root, *_READ_STATES, FileState.TEXT_ONLY, FileState.QUEUED)
    return _number_in(root, *_READ_STATES) / documents if documents else 1.0


def troubled(root: RootStatus) -> int:
    """Return the number of files that could not be read."""
    return _number_in(root, *_TROUBLED_STATES)


def _number_in(root: RootStatus, *states: FileState) -> int:
    return sum(root.states.get(state, 0) for state in states)


class FolderModel(QAbstractListModel):
    """The folders of the engine's status, without the hidden ones."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._roots: list[RootStatus] = []

    @property
    def roots(self) -> Sequence[RootStatus]:
        return self._roots

    def show_roots(self, roots: Sequence[RootStatus], hidden: Collection[str] = ()) -> None:
        """Show these folders; rows that stay are changed in place."""
        wanted = {root.path: root for root in roots if root.path not in hidden}
        for row in reversed(range(len(self._roots))):
            if self._roots[row].path not in wanted:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._roots[row]
                self.endRemoveRows()
        known = {root.path: row for row, root in enumerate(self._roots)}
        for path, root in wanted.items():
            row = known.get(path, -1)
            if row < 0:
                end = len(self._roots)
                self.beginInsertRows(QModelIndex(), end, end)
                self._roots.append(root)
                self.endInsertRows()
            elif self._roots[row] != root:
                self._roots[row] = root
                self.dataChanged.emit(self.index(row), self.index(row))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._roots)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._roots):
            return None
        root = self._roots[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return name_of(root)
            case Qt.ItemDataRole.ToolTipRole:
                return root.path
            case Qt.ItemDataRole.AccessibleTextRole:
                return ". ".join((root.path, *lines_about(root)))
            case int() if role == ROOT_ROLE:
                return root
        return None


def lines_about(root: RootStatus) -> tuple[str, str]:
    """Return the texts of a folder: its size and its progress."""
    holds = QCoreApplication.translate("FolderModel", "{files}, {size}").format(
        files=amounts.files(root.files), size=amounts.size(root.bytes)
    )
    return holds, state_of(root)


def state_of(root: RootStatus) -> str:
    """Return a line on the progress of a folder, and on how its changes are detected."""
    if root.offline:
        return QCoreApplication.translate(
            "FolderModel",
            "Offline: its drive or folder is not available. What was read of it can still be "
            "found.",
        )
    parts = []
    if (share := embedded(root)) < 1:
        text = QCoreApplication.translate("FolderModel", "Meaning search {share} ready")
        parts.append(text.format(share=amounts.share(share)))
    waiting = root.states.get(FileState.QUEUED, 0)
    if waiting:
        parts.append(amounts.waiting(waiting))
    if count := troubled(root):
        parts.append(amounts.unreadable(count))
    if not parts:
        parts.append(QCoreApplication.translate("FolderModel", "Up to date"))
    parts += watching(root)
    return QCoreApplication.translate("FolderModel", " · ").join(parts)


def watching(root: RootStatus) -> list[str]:
    """Return a text on how changes in a folder are detected; none while unknown."""
    match root.watched:
        case "events":
            text = QCoreApplication.translate("FolderModel", "Changes are noticed at once")
        case "polling":
            text = QCoreApplication.translate(
                "FolderModel", "Checked for changes every few minutes: {reason}"
            ).format(reason=failures.phrase(root.watched_why, {}))
        case _:
            return []
    return [text]


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
            _place(icon_rect, inner, mirrored=mirrored), theme.pixmap(drawing, side, muted, ratio)
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
