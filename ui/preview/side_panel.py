"""The headings of a document, beside its pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from ui.lists import style_tree
from ui.theme import L

if TYPE_CHECKING:
    from indexer.api.types import OutlineEntry
    from ui.preview.document import PageDocument

PAGE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
# The most entries of an outline that is shown whole; a larger one shows only its highest level.
_OPEN_ENTRIES = 60
# The width of the headings in widths of a letter, and the divisor of the room for the most of it.
_LETTERS, _SHARE = 40, 3


class OutlinePanel(QTreeWidget):
    """The headings of a document. Signals: ``page_requested`` with a page, from 1."""

    page_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.document: PageDocument | None = None
        self._page = 1
        style_tree(self, self.tr("Headings of this document"), framed=False)
        self.setUniformRowHeights(True)
        self.setIndentation(L)
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)

    def show_document(self, document: PageDocument | None) -> None:
        """Set the document, without headings until those are shown."""
        if document is not self.document:
            self.document = document
            self.clear()

    def show_outline(self, entries: Sequence[OutlineEntry]) -> None:
        """Show the bookmarks of the document."""
        if self.document is None or not entries:
            return
        self.clear()
        top: list[QTreeWidgetItem] = []
        path: list[tuple[int, QTreeWidgetItem]] = []
        for entry in entries:
            while path and path[-1][0] >= entry.level:
                path.pop()
            item = QTreeWidgetItem([entry.title, self.document.label(entry.page)])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column in range(2):
                item.setToolTip(column, entry.title)
            item.setData(0, PAGE_ROLE, entry.page)
            if path:
                path[-1][1].addChild(item)
            else:
                top.append(item)
            path.append((entry.level, item))
        self.addTopLevelItems(top)
        if len(top) <= _OPEN_ENTRIES:
            self.expandToDepth(0)
        self.show_page(self._page)

    def show_page(self, page: int) -> None:
        """Select the heading of the page that is in view."""
        self._page = page
        item = self._nearest(page)
        if item is not None and item is not self.currentItem():
            self.setCurrentItem(item)
            self.scrollToItem(item)

    def width_in(self, room: int) -> int:
        """Return the first width of the panel if it shares ``room`` pixels with the page."""
        return min(_LETTERS * self.fontMetrics().averageCharWidth(), room // _SHARE)

    def _nearest(self, page: int) -> QTreeWidgetItem | None:
        """Return the deepest heading on a page, else the last one before it."""
        found: QTreeWidgetItem | None = None
        parent = self.invisibleRootItem()
        while parent.childCount():
            items = [parent.child(at) for at in range(parent.childCount())]
            known = [item for item in items if item is not None and item.data(0, PAGE_ROLE) <= page]
            here = [item for item in known if item.data(0, PAGE_ROLE) == page]
            if not known:
                break
            found = parent = here[0] if here else known[-1]
        return found

    def _choose(self, item: QTreeWidgetItem) -> None:
        self.page_requested.emit(item.data(0, PAGE_ROLE))
