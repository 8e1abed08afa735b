"""The search page before a search: recent documents as cards, and searches to repeat."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.pages import DocumentSource
from indexer.query.filters import GRAMMAR, help_of
from ui import theme
from ui.desktop import open_path, show_in_folder
from ui.lists import style_list
from ui.preview.document import want_first_page
from ui.search.filters import readable
from ui.search.query_text import inside
from ui.search.safe_text import is_right_to_left, line
from ui.theme import L, M, icon
from ui.widgets import IconButton, MenuEntry, add_shortcut, filled, popup_menu, wrapped_label
from ui.words import amounts, say

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint

    from ui.ports import Notices
    from ui.preview.client import RenderClient
    from ui.search.memory import Saved

    Index = QModelIndex | QPersistentModelIndex

_SHOWN = 6
# The operators whose examples are shown.
_EXAMPLES = ("words", '"…"', "date")
_PATH, _TEXT = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
# The size of a card's picture in heights of a line, and how many letters of a text it shows.
_WIDE, _HIGH = 11, 8
_LETTERS = 700
_TINY = 0.62


def examples() -> list[tuple[str, str]]:
    """Return three searches to begin with and their explanations, from the grammar."""
    return [(each.example, help_of(each, say)) for each in GRAMMAR if each.name in _EXAMPLES]


class CardDelegate(QStyledItemDelegate):
    """Paints a document as its first page, with its name and its folder below."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours = theme.current()
        area = option.rect
        sheet = QRect(area.topLeft(), picture_size(option.fontMetrics.height()))
        painter.save()
        painter.fillRect(sheet, Qt.GlobalColor.white)
        painter.setClipRect(sheet)
        picture, text = index.data(Qt.ItemDataRole.DecorationRole), index.data(_TEXT)
        if isinstance(picture, QPixmap):
            high = picture.height() * sheet.width() // max(picture.width(), 1)
            painter.drawPixmap(QRect(sheet.topLeft(), QSize(sheet.width(), high)), picture)
        elif text:
            font = option.font
            font.setPointSizeF(option.font.pointSizeF() * _TINY)
            painter.setFont(font)
            painter.setPen(theme.LIGHT.text)
            right = Qt.AlignmentFlag.AlignRight
            side = right if is_right_to_left(text) else Qt.AlignmentFlag.AlignLeft
            flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop | side
            painter.drawText(sheet.adjusted(M, M, -M, 0), flags, text)
        painter.setClipping(False)
        chosen = bool(option.state & QStyle.StateFlag.State_HasFocus)
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(colours.accent if chosen or over else colours.line)
        painter.drawRect(sheet.adjusted(0, 0, -1, -1))
        self._name(painter, option, index, QRect(area.left(), sheet.bottom() + M, sheet.width(), 0))
        painter.restore()

    def _name(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, place: QRect
    ) -> None:
        """Paint the name, and the folder in grey."""
        path, metrics, colours = PurePath(index.data(_PATH)), option.fontMetrics, theme.current()
        painter.setFont(option.widget.font())
        place.setHeight(metrics.height())
        for text, colour in (
            (line(path.name), colours.text),
            (amounts.from_home(line(str(path.parent))), colours.muted),
        ):
            painter.setPen(colour)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
            flags = Qt.AlignmentFlag.AlignLeading | Qt.TextFlag.TextDontClip
            painter.drawText(place, flags, f"\u2068{shown}\u2069")
            place.translate(0, metrics.height())

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        high = option.fontMetrics.height()
        return picture_size(high) + QSize(0, 2 * high + M)


def picture_size(high: int) -> QSize:
    """Return the size of the picture of a card, for a font of a height."""
    return QSize(_WIDE * high, _HIGH * high)


class RecentDocuments(QListView):
    """Cards of documents. Signals: ``chosen`` and ``dropped`` with a path."""

    chosen = Signal(str)
    dropped = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._documents = QStandardItemModel(self)
        self._client: RenderClient | None = None
        self._notices: Notices | None = None
        self._asked: set[str] = set()  # the paths whose first pages were asked for
        self.setModel(self._documents)
        self.setItemDelegate(CardDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Recent documents"))
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setSpacing(M)
        self.setViewportMargins(-M, -M, 0, 0)  # the spacing before the first card
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        add_shortcut(self, "Del", self._drop)

    def take_client(self, client: RenderClient, notices: Notices) -> None:
        """Set the client that fetches first pages, and where to say that a document is gone."""
        self._client, self._notices = client, notices

    def show_documents(self, paths: Sequence[str]) -> None:
        """Show a card for each path."""
        known = {item.data(_PATH): item.clone() for item in self._items()}
        self._documents.clear()
        for path in paths:
            item = known.get(path) or QStandardItem(line(PurePath(path).name))
            item.setEditable(False)
            item.setData(path, _PATH)
            item.setToolTip(line(path))
            self._documents.appendRow(item)
        self._want_pages()

    def sizeHint(self) -> QSize:
        """Return the size of at most two rows of cards."""
        card = self.sizeHintForIndex(self._documents.index(0, 0)) + QSize(M, M)
        across = max(self.width() // max(card.width(), 1), 1)
        rows = -(-self._documents.rowCount() // across)
        return QSize(card.width(), min(rows, 2) * card.height() + M)

    def minimumSizeHint(self) -> QSize:  # one row
        return QSize(0, self.sizeHintForIndex(self._documents.index(0, 0)).height() + 2 * M)

    def resizeEvent(self, event: QEvent) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]  # it is a resize event
        self.setMaximumHeight(self.sizeHint().height())

    def showEvent(self, event: QEvent) -> None:
        super().showEvent(event)  # type: ignore[arg-type]  # it is a show event
        self._want_pages()

    def _want_pages(self) -> None:
        if self._client is None or not self.isVisible():
            return
        width = picture_size(self.fontMetrics().height()).width() * self.devicePixelRatioF()
        for path in (item.data(_PATH) for item in self._items()):
            if path not in self._asked:
                self._asked.add(path)
                source, came = DocumentSource(Path(path)), partial(self._show_page, path)
                want_first_page(self._client, source, round(width), came, _LETTERS)

    def _items(self) -> list[QStandardItem]:
        return [self._documents.item(row) for row in range(self._documents.rowCount())]

    def _show_page(self, path: str, page: QPixmap | str) -> None:
        for item in self._items():
            if item.data(_PATH) == path:
                role = _TEXT if isinstance(page, str) else Qt.ItemDataRole.DecorationRole
                item.setData(page, role)

    def _drop(self) -> None:
        self.dropped.emit(str(self.currentIndex().data(_PATH) or ""))

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(_PATH))

    def _open_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            path, notices = index.data(_PATH), self._notices
            entries = (
                MenuEntry(self.tr("Open"), partial(open_path, path, notices)),
                MenuEntry(self.tr("Show in folder"), partial(show_in_folder, path, notices)),
                MenuEntry(self.tr("Copy path"), partial(QGuiApplication.clipboard().setText, path)),
                MenuEntry(self.tr("Remove from this list"), partial(self.dropped.emit, path)),
            )
            name = self.tr("What to do with this document")
            popup_menu(self, name, self.viewport().mapToGlobal(at), entries)


class StartPanel(QWidget):
    """Recent documents, and searches: saved, recent, and examples.

    Signals:
        searched: A query to ask.
        folders_requested: Choose folders for an empty library.
        help_requested: Show the whole grammar.
        dropped: A recent search, or the path of a document, to be removed.
        discarded: The name of a saved search to be removed.
    """

    searched = Signal(str)
    folders_requested = Signal()
    help_requested = Signal()
    dropped = Signal(str)
    discarded = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.documents = RecentDocuments()
        self.take_client = self.documents.take_client
        self.searches = QTreeWidget()
        self.empty = wrapped_label(
            self.tr("There is nothing in the library yet. Choose folders, and Lectern reads them.")
        )
        self.choose = IconButton(self.tr("Choose folders…"), "folder-add", self.folders_requested)
        recent = wrapped_label(self.tr("Recent documents"), bold=True)
        self._headings = [recent, wrapped_label(bold=True)]
        self._connect()
        parts = (recent, self.documents, self._headings[1], self.searches, self.empty)
        column = filled(QVBoxLayout(self), *parts, edges=(L, L, L, 0), wide=self.searches)
        column.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignLeading)
        column.addStretch(0)

    def _connect(self) -> None:
        tree = self.searches
        style_list(tree, self.tr("Searches"), framed=False)
        tree.setHeaderHidden(True)
        tree.setRootIsDecorated(False)
        tree.setColumnCount(2)
        tree.setAllColumnsShowFocus(True)
        tree.viewport().setAutoFillBackground(False)
        tree.itemClicked.connect(self._search)
        tree.itemActivated.connect(self._search)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._open_menu)
        add_shortcut(tree, "Del", self._remove)
        self.documents.chosen.connect(lambda path: self.searched.emit(inside(path)))
        self.documents.dropped.connect(self.dropped)

    def show_searches(
        self, recent: Sequence[str], documents: Sequence[str], saved: Sequence[Saved], *,
        empty_library: bool,
    ) -> None:  # fmt: skip
        """Fill the panel."""
        self.empty.setVisible(empty_library)
        self.choose.setVisible(empty_library)
        shown = not empty_library and bool(documents)
        self.documents.show_documents(documents[:_SHOWN] if shown else ())
        self.documents.setMaximumHeight(max(self.documents.sizeHint().height(), 1))
        self._headings[0].setVisible(shown)
        self.documents.setVisible(shown)
        self._headings[1].setVisible(not empty_library)
        self.searches.setVisible(not empty_library)
        known = bool(recent or saved)
        heading = self.tr("Searches") if known else self.tr("Ask in your own words, or try")
        self._headings[1].setText(heading)
        self.searches.clear()
        for each in saved[:_SHOWN]:
            hint = amounts.new(each.new) if each.new else readable(each.text)
            self._add("star", each.name, hint, each.text, each.name)
        for text in recent[:_SHOWN]:
            self._add("history", readable(text), "", text)
        for example, description in () if known else examples():
            self._add("search", example, description, example)
        self._add("help", self.tr("Search syntax…"), "", "")
        header = self.searches.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)

    def _add(self, drawing: str, text: str, hint: str, query: str, name: str = "") -> None:
        item = QTreeWidgetItem(self.searches, [line(text), line(hint)])
        item.setIcon(0, icon(drawing))
        item.setToolTip(0, line(query or text))
        item.setData(0, _PATH, query)
        item.setData(0, _TEXT, name or (query if drawing == "history" else ""))

    def _search(self, item: QTreeWidgetItem) -> None:
        query = item.data(0, _PATH)
        if query:
            self.searched.emit(query)
        else:
            self.help_requested.emit()

    def _remove(self) -> None:
        """Remove a saved or a recent search; an example stays."""
        item = self.searches.currentItem()
        if item is not None and (name := item.data(0, _TEXT)):
            (self.dropped if name == item.data(0, _PATH) else self.discarded).emit(name)

    def _open_menu(self, at: QPoint) -> None:
        item = self.searches.itemAt(at)
        if item is not None:
            self.searches.setCurrentItem(item)
            entries = [MenuEntry(self.tr("Search for this"), partial(self._search, item))]
            if item.data(0, _TEXT):
                entries.append(MenuEntry(self.tr("Remove"), self._remove))
            name = self.tr("What to do with this search")
            popup_menu(self.searches, name, self.searches.viewport().mapToGlobal(at), entries)
