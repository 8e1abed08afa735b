"""The bookmarks of a document as a tree. It must not know where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QAbstractItemModel
    from PySide6.QtWidgets import QWidget

    from indexer.api.types import OutlineEntry

PAGE_ROLE = int(Qt.ItemDataRole.UserRole) + 1


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
            item.setToolTip(entry.title)
            item.setData(entry.page, PAGE_ROLE)
        (path[-1][1] if path else model.invisibleRootItem()).appendRow(row)
        path.append((entry.level, row[0]))
    return model


def nearest(model: QAbstractItemModel, page: int) -> QModelIndex:
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
