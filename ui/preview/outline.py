"""The bookmarks of a document, in a popover. It must not know where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeView, QVBoxLayout

from ui.theme import S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QAbstractItemModel
    from PySide6.QtWidgets import QWidget

    from indexer.api.types import OutlineEntry

PAGE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
_ROWS, _COLUMNS = 18, 44
# A small outline is shown whole; of a large one only its highest level.
_OPEN_ENTRIES = 60


def outline_model(
    entries: Sequence[OutlineEntry], label: Callable[[int], str], parent: QWidget | None = None
) -> QStandardItemModel:
    """Return a tree of bookmarks with their pages.

    Args:
        entries: The bookmarks, in order.
        label: Returns the label of a page.
        parent: Owns the model.
    """
    model = QStandardItemModel(0, 2, parent)
    path: list[tuple[int, QStandardItem]] = []
    for entry in entries:
        while path and path[-1][0] >= entry.level:
            path.pop()
        row = [QStandardItem(entry.title), QStandardItem(label(entry.page))]
        row[1].setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for item in row:
            item.setEditable(False)
            item.setData(entry.page, PAGE_ROLE)
        (path[-1][1] if path else model.invisibleRootItem()).appendRow(row)
        path.append((entry.level, row[0]))
    return model


class OutlinePopover(QFrame):
    """A tree of bookmarks, which closes when one is chosen."""

    page_requested = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(self.tr("Outline"))
        self._tree = QTreeView(self)
        self._tree.setFrameShape(QFrame.Shape.NoFrame)
        self._tree.setHeaderHidden(True)
        self._tree.setUniformRowHeights(True)
        self._tree.setAccessibleName(self.tr("Headings of this document"))
        self._tree.clicked.connect(self._choose)
        self._tree.activated.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(S, S, S, S)
        column.addWidget(self._tree)

    @property
    def tree(self) -> QTreeView:
        return self._tree

    def show_entries(self, model: QAbstractItemModel, page: int) -> None:
        """Show bookmarks, with the one of the current page selected."""
        self._tree.setModel(model)
        header = self._tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        if model.rowCount() <= _OPEN_ENTRIES:
            self._tree.expandToDepth(0)
        if (index := _nearest(model, page)).isValid():
            self._tree.setCurrentIndex(index)
            self._tree.scrollTo(index, QTreeView.ScrollHint.PositionAtCenter)

    def pop_up(self, below: QWidget) -> None:
        """Open below a button, within the screen."""
        metrics = self.fontMetrics()
        rows = min(_ROWS, max(4, _shown(self._tree)))
        screen = below.screen().availableGeometry()
        width = min(_COLUMNS * metrics.averageCharWidth(), screen.width() - 40)
        height = min(rows * (self._tree.sizeHintForRow(0) + 2) + 6 * S, screen.height() - 80)
        self.resize(width, height)
        corner = below.mapToGlobal(QPoint(below.width() - width, below.height() + S))
        x = max(screen.left(), min(corner.x(), screen.right() - width))
        self.move(x, min(corner.y(), screen.bottom() - height))
        self.show()
        self._tree.setFocus()

    def _choose(self, index: QModelIndex) -> None:
        page = index.data(PAGE_ROLE)
        self.hide()
        if isinstance(page, int):
            self.page_requested.emit(page)


def _nearest(model: QAbstractItemModel, page: int) -> QModelIndex:
    """Return the deepest bookmark on a page, else the last one before it."""
    found, parent = QModelIndex(), QModelIndex()
    while rows := model.rowCount(parent):
        indices = [model.index(row, 0, parent) for row in range(rows)]
        here = [index for index in indices if index.data(PAGE_ROLE) == page]
        before = [index for index in indices if index.data(PAGE_ROLE) < page]
        if not here and not before:
            break
        found = parent = here[0] if here else before[-1]
    return found


def _shown(tree: QTreeView) -> int:
    """Count the visible rows, up to the most that are shown at once."""
    count, index = 0, tree.model().index(0, 0)
    while index.isValid() and count < _ROWS:
        count += 1
        index = tree.indexBelow(index)
    return count
