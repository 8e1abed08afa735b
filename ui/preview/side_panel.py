"""The headings and the small pages of a document, beside its pages.

Both are shown at once: side by side where there is room, else one above the other. It must not know
where they come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHeaderView, QSplitter, QTreeView

from ui.preview.outline import PAGE_ROLE, nearest, outline_model
from ui.preview.thumbnails import Thumbnails
from ui.theme import L
from ui.widgets import RowDelegate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QModelIndex
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget

    from indexer.api.types import OutlineEntry
    from ui.preview.document import PageDocument

# A small outline is shown whole; of a large one only its highest level.
_OPEN_ENTRIES = 60
# The width that headings need beside the pages, in widths of a letter.
_LETTERS = 32
# The panel and the page are so many times as wide as the panel.
_SHARE = 3


class SidePanel(QSplitter):
    """Signals: ``page_requested`` with a page, from 1, that the person chose."""

    page_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._page = 1
        self.setAccessibleName(self.tr("Pages and outline"))
        self.setChildrenCollapsible(False)
        self.tree = QTreeView()
        self.tree.setItemDelegate(RowDelegate(self.tree))
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(L)
        self.tree.setAccessibleName(self.tr("Headings of this document"))
        self.tree.clicked.connect(self._choose)
        self.tree.activated.connect(self._choose)
        for text, act in (  # for the menu of the preview
            (self.tr("Copy this heading"), self._copy),
            (self.tr("Unfold all headings"), self.tree.expandAll),
            (self.tr("Fold all headings"), self.tree.collapseAll),
        ):
            self.tree.addAction(text).triggered.connect(act)
        self.thumbnails = Thumbnails()
        self.thumbnails.page_requested.connect(self.page_requested)
        for part in (self.tree, self.thumbnails):
            self.addWidget(part)
        self.tree.hide()
        self.setFocusProxy(self.thumbnails)

    @property
    def document(self) -> PageDocument | None:
        return self.thumbnails.document

    def show_document(self, document: PageDocument | None) -> None:
        """Show the pages of a document, without headings until those are shown."""
        if document is not self.document:
            self.tree.hide()
            self.setFocusProxy(self.thumbnails)
        self.thumbnails.show_document(document)

    def show_outline(self, entries: Sequence[OutlineEntry]) -> None:
        """Show the bookmarks of the document."""
        if self.document is None or not entries:
            return
        before, model = self.tree.model(), outline_model(entries, self.document.label, self.tree)
        self.tree.setModel(model)
        if before is not None:
            before.deleteLater()
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        if model.rowCount() <= _OPEN_ENTRIES:
            self.tree.expandToDepth(0)
        self.tree.show()
        self.setFocusProxy(self.tree)
        self.show_page(self._page)

    def show_page(self, page: int) -> None:
        """Select the page that is in view, and its heading."""
        self._page = page
        self.thumbnails.show_page(page)
        if self.tree.isHidden():
            return
        index = nearest(self.tree.model(), page)
        if index.isValid() and index != self.tree.currentIndex():
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.thumbnails.least_width(), super().minimumSizeHint().height())

    def width_in(self, room: int) -> int:
        """Return the width to begin with, of ``room`` pixels for the panel and the page."""
        least, both = self.thumbnails.least_width(), self._width_of_both()
        return both if room >= _SHARE * both else max(least, round(room / _SHARE))

    def _width_of_both(self) -> int:
        letters = _LETTERS * self.fontMetrics().averageCharWidth()
        return self.thumbnails.least_width() + letters

    def resizeEvent(self, event: QResizeEvent) -> None:
        roomy = self.width() >= self._width_of_both()
        self.setOrientation(Qt.Orientation.Horizontal if roomy else Qt.Orientation.Vertical)
        super().resizeEvent(event)

    def _copy(self) -> None:
        heading = self.tree.currentIndex().siblingAtColumn(0)
        QGuiApplication.clipboard().setText(str(heading.data() or ""))

    def _choose(self, index: QModelIndex) -> None:
        page = index.data(PAGE_ROLE)
        if isinstance(page, int):
            self.page_requested.emit(page)
