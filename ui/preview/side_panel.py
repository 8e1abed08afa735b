"""The headings of a document, beside its pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from ui.lists import style_list
from ui.theme import L

if TYPE_CHECKING:
    from indexer.api.types import OutlineEntry
    from ui.preview.document import PageDocument

PAGE_ROLE = int(Qt.ItemDataRole.UserRole) + 1


def outline_model(
    entries: Sequence[OutlineEntry], label: Callable[[int], str], parent: QWidget | None = None
) -> QStandardItemModel:
    """Return a tree of bookmarks with their pages."""
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


# A small outline is shown whole; of a large one only its highest level.
_OPEN_ENTRIES = 60
# The width of the headings, in widths of a letter, and at most as a share of what there is.
_LETTERS, _SHARE = 40, 3


class OutlinePanel(QTreeView):
    """The headings of a document. Signals: ``page_requested`` with a page, from 1."""

    page_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document: PageDocument | None = None
        self._page = 1
        style_list(self, self.tr("Headings of this document"), framed=False)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(L)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def show_document(self, document: PageDocument | None) -> None:
        """Set the document, without headings until those are shown."""
        if document is not self.document:
            self.document = document
            self._replace(QStandardItemModel(self))

    def show_outline(self, entries: Sequence[OutlineEntry]) -> None:
        """Show the bookmarks of the document."""
        if self.document is None or not entries:
            return
        model = outline_model(entries, self.document.label, self)
        self._replace(model)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        if model.rowCount() <= _OPEN_ENTRIES:
            self.expandToDepth(0)
        self.show_page(self._page)

    def show_page(self, page: int) -> None:
        """Select the heading of the page that is in view."""
        self._page = page
        if self.document is None:
            return
        index = nearest(self.model(), page)
        if index.isValid() and index != self.currentIndex():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def width_in(self, room: int) -> int:
        """Return the width to begin with, of ``room`` pixels for the panel and the page."""
        return min(_LETTERS * self.fontMetrics().averageCharWidth(), room // _SHARE)

    def _replace(self, model: QStandardItemModel) -> None:
        before = self.model()
        self.setModel(model)
        if before is not None:
            before.deleteLater()

    def _choose(self, index: QModelIndex) -> None:
        page = index.data(PAGE_ROLE)
        if isinstance(page, int):
            self.page_requested.emit(page)
