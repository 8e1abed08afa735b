"""The list of the library's folders. It must not know what can be done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QListView

from ui.library.folder_delegate import FolderDelegate
from ui.library.folder_model import ROOT_ROLE
from ui.widgets import select_something

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent

    from indexer.api.status import RootStatus
    from ui.library.folder_model import FolderModel


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
