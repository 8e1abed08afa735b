"""The headings and the small pages of a document, beside its pages."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QImage, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QHeaderView, QListView, QSplitter, QTreeView

from ui.preview.document import cut
from ui.theme import L, M, S, current
from ui.widgets import RowDelegate, timer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QAbstractItemModel, QRect
    from PySide6.QtGui import QResizeEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

    from indexer.api.types import OutlineEntry
    from ui.preview.document import ImageKey, PageDocument

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


if TYPE_CHECKING:
    Index = QModelIndex | QPersistentModelIndex

# The size of a thumbnail, in heights of a line.
_WIDE, _HIGH = 5.0, 7.0
_SETTLE_MS = 50
_PAPER = Qt.GlobalColor.white


class _Pages(QAbstractListModel):
    """The pages of a document: the label and, where it has come, the image of each."""

    def __init__(self, parent: Thumbnails) -> None:
        super().__init__(parent)
        self._view = parent
        self.document: PageDocument | None = None

    def rowCount(self, parent: Index | None = None) -> int:
        inside = parent is not None and parent.isValid()
        return 0 if inside or self.document is None else self.document.count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        document, page = self.document, index.row() + 1
        if document is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return document.label(page)
            case Qt.ItemDataRole.DecorationRole:
                return self._view.image(page)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.tr("Page {page}").format(page=document.label(page))
            case _:
                return None

    def show_pages(self, document: PageDocument | None) -> None:
        self.beginResetModel()
        self.document = document
        self.endResetModel()


class Thumbnails(QListView):
    """The small pages. Signals: ``page_requested`` with a page, from 1, that was chosen."""

    page_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.dark_pages = False
        self._following = False  # the selection follows the pages
        self._bring = False  # whether the selected page is to be scrolled to
        self._pages = _Pages(self)
        self._fetching = timer(self, _SETTLE_MS, self._fetch)
        self.setModel(self._pages)
        self.setItemDelegate(RowDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Pages"))
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.verticalScrollBar().valueChanged.connect(self._fetching.start)
        self.selectionModel().currentChanged.connect(self._chosen)
        self._measure()

    @property
    def document(self) -> PageDocument | None:
        return self._pages.document

    def show_document(self, document: PageDocument | None) -> None:
        """Show the pages of a document; the caller keeps owning it."""
        if document is self.document:
            return
        if self.document is not None:
            self.document.image_ready.disconnect(self._image_ready)
        self._pages.show_pages(document)
        if document is not None:
            document.image_ready.connect(self._image_ready)
        self._fetching.start()

    def show_page(self, page: int) -> None:
        """Select the page that is in view."""
        index = self._pages.index(page - 1)
        if index.isValid() and index != self.currentIndex():
            self._following = True
            self.setCurrentIndex(index)
            self._following = False
            self._bring = True
            self._fetching.start()

    def image(self, page: int) -> QPixmap:
        """Return a page's image on paper of its size, or the bare paper."""
        key, band = self._key(page), None
        if self.document is not None and key is not None:
            band = self.document.band(key.page, key.width, key.band)
        ratio = self.devicePixelRatioF()
        if band is not None:
            made = QPixmap(band.pixmap)
        else:
            made = QPixmap(self._size_of(page) * ratio)
            made.fill(_PAPER)
        if self.dark_pages and current().dark:
            image = made.toImage()
            image.invertPixels(QImage.InvertMode.InvertRgb)
            made = QPixmap.fromImage(image)
        made.setDevicePixelRatio(ratio)
        return made

    def rows_in_view(self) -> range:
        """Return the rows of the pages that can be seen."""
        rows, seen = range(self._pages.rowCount()), self.viewport().rect()
        first = bisect_left(rows, 0, key=lambda row: self._rect(row).bottom())
        last = bisect_left(rows, seen.bottom(), key=lambda row: self._rect(row).top())
        return range(first, last)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bring = True
        self._fetching.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._bring = True
        self._fetching.start()

    def least_width(self) -> int:
        """Return the width in pixels of one column and the scroll bar."""
        return self.gridSize().width() + self.verticalScrollBar().sizeHint().width() + S

    def _measure(self) -> None:
        line = self.fontMetrics().height()
        side = QSize(round(_WIDE * line), round(_HIGH * line))
        self.setIconSize(side)
        self.setGridSize(QSize(side.width() + 2 * M, side.height() + line + 2 * M))

    def _rect(self, row: int) -> QRect:
        return self.visualRect(self._pages.index(row))

    def _size_of(self, page: int) -> QSize:
        """Return the size of a thumbnail, in logical pixels."""
        room = self.iconSize()
        if self.document is None:
            return room
        wide, high = self.document.sizes[page - 1]
        scale = min(room.width() / wide, room.height() / high)
        return QSize(max(1, round(wide * scale)), max(1, round(high * scale)))

    def _key(self, page: int) -> ImageKey | None:
        """Return the image of a page; None for one so long that it comes in bands."""
        document = self.document
        if document is None:
            return None
        width = max(1, round(self._size_of(page).width() * self.devicePixelRatioF()))
        whole = cut(width, document.sizes[page - 1]).bands == 1
        return document.key(page, width) if whole else None

    def _fetch(self) -> None:
        bring, self._bring = self._bring, False
        if bring and self.currentIndex().isValid():
            self.scrollTo(self.currentIndex(), self.ScrollHint.PositionAtCenter)
        if self.document is not None:
            pages = [row + 1 for row in self.rows_in_view()] if self.isVisible() else []
            self.document.want_small([key for key in map(self._key, pages) if key is not None])

    def _image_ready(self, page: int) -> None:
        self.update(self._pages.index(page - 1))

    def _chosen(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid() and not self._following:
            self.page_requested.emit(now.row() + 1)


# A small outline is shown whole; of a large one only its highest level.
_OPEN_ENTRIES = 60
# The width that headings need beside the pages, in widths of a letter.
_LETTERS = 32
# How many times as wide as the panel both panel and page are.
_SHARE = 3


class SidePanel(QSplitter):
    """Small pages and headings. Signals: ``page_requested`` with a page, from 1."""

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

    def _choose(self, index: QModelIndex) -> None:
        page = index.data(PAGE_ROLE)
        if isinstance(page, int):
            self.page_requested.emit(page)
