"""The files of the library as the rows of a table, fetched in pages as they come into view."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from indexer.api.formats import BY_EXTENSION
from indexer.api.lru_cache import LruCache
from indexer.api.requests import ListFiles, Order
from indexer.api.types import FileRow, FileState
from ui.requests import Questions
from ui.search.safe_text import line
from ui.widgets import timer
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from indexer.api.answers import FileList
    from indexer.api.errors import LecternError
    from ui.ports import Context


class Column(IntEnum):
    """The columns, in their order."""

    NAME = 0
    STATE = 1
    PAGES = 2
    SIZE = 3
    MODIFIED = 4
    TITLE = 5
    AUTHOR = 6


_NUMBERS = frozenset({Column.SIZE, Column.MODIFIED, Column.PAGES})


_END = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
_START = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = {column: _END if column in _NUMBERS else _START for column in Column}


def cell_text(row: FileRow, column: Column) -> str:
    match column:
        case Column.NAME:
            return row.file.rpartition("/")[2]
        case Column.STATE:
            return names.row_state(row)
        case Column.SIZE:
            return amounts.size(row.size)
        case Column.MODIFIED:
            return amounts.moment(row.mtime_ns)
        case Column.TITLE:
            return line(row.title)
        case Column.AUTHOR:
            return line(row.author)
        case Column.PAGES:
            return amounts.count(row.pages) if row.pages and has_pages(row.file) else ""


def reason_text(row: FileRow) -> str:
    """Return why a file is in its state, in a few words, unless the state's name says it."""
    reason = failures.reason(row.code)
    said = names.state(row.state).casefold() in reason.casefold()
    return failures.cause(row) if said else reason


def folder_text(row: FileRow, chosen: str) -> str:
    """Return the folder of a file below the chosen one; "" for a file directly in that."""
    folder = PurePath(row.path).parent
    above = PurePath(chosen) if chosen else PurePath(row.root).parent
    if not folder.is_relative_to(above):
        return str(folder)
    return folder.relative_to(above).as_posix().removeprefix(".")


def has_pages(file: str) -> bool:
    """Return whether a file's format has pages or slides; True for an unknown ending."""
    known = BY_EXTENSION.get(PurePath(file).suffix.lower())
    return known is None or bool(known.unit)


def cell_hint(row: FileRow, column: Column) -> str:
    if column is Column.NAME:
        return row.path
    if column is Column.STATE:
        return failures.row_reason(row) or names.row_help(row)
    return ""


Index = QModelIndex | QPersistentModelIndex

PAGE = 200
PAGES_KEPT = 40
AT_ONCE = 3  # pages fetched at a time; a screen shows fewer
_NOWHERE = QModelIndex()


# The engine's order for a column, and whether a first click on the column sorts ascending.
_ORDERS = {
    Column.NAME: (Order.NAME, True),
    Column.STATE: (Order.STATE, True),
    Column.SIZE: (Order.SIZE, False),
    Column.MODIFIED: (Order.MODIFIED, False),
    Column.TITLE: (Order.TITLE, True),
    Column.AUTHOR: (Order.AUTHOR, True),
}
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
_COLUMNS = tuple(Column)
_ROLES = frozenset({
    ROW_ROLE,
    int(Qt.ItemDataRole.DisplayRole),
    int(Qt.ItemDataRole.TextAlignmentRole),
    int(Qt.ItemDataRole.ToolTipRole),
    int(Qt.ItemDataRole.AccessibleTextRole),
})  # fmt: skip


class FileFilter(Struct, frozen=True):
    """The filter and the order of files; "" for a state or a root means any."""

    state: str = ""
    root: str = ""
    text: str = ""
    order: Order = Order.NAME
    backwards: bool = False

    def request(self, offset: int, limit: int) -> ListFiles:
        return ListFiles(
            FileState(self.state) if self.state else None,
            Path(self.root) if self.root else None,
            offset,
            limit,
            self.order,
            self.text,
        )


class FileModel(QAbstractTableModel):
    """The files that match ``filter``.

    Signals:
        counted: The number of files, after each answer.
    """

    counted = Signal(int)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self.filter = FileFilter()
        self.total = 0
        self._pages: LruCache[int, Sequence[FileRow]] = LruCache(PAGES_KEPT)
        self._stale: set[int] = set()  # pages that are shown until they are fetched again
        self._queued: list[int] = []  # pages to fetch, the most recently seen last
        self._fetch = timer(self, 0, self._fetch_queued)

    def show_files(
        self, *, state: str | None = None, root: str | None = None, text: str | None = None
    ) -> None:
        """Change the filter; arguments that are None change nothing."""
        given = {"state": state, "root": root, "text": text}
        changed = {name: value for name, value in given.items() if value is not None}
        self._change(replace(self.filter, **changed))

    def refresh(self) -> None:
        """Fetch the visible pages again; the old rows stay until then."""
        self._stale = set(self._pages)
        self._queued = list(self._pages)[-AT_ONCE:] or [0]
        self._fetch.start(0)

    def file(self, row: int) -> FileRow | None:
        """Return the file of a row; None if it has not been fetched."""
        place = self._place(row)
        page = self._pages.get(place // PAGE)
        return page[place % PAGE] if page is not None and place % PAGE < len(page) else None

    # -- what Qt asks -------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else self.total

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings()[Column(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[Column(section)]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # Views ask for a dozen roles of each painted cell.
        if role not in _ROLES or not index.isValid():
            return None
        column = _COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[column]
        row = self.file(index.row())
        self._touch(self._place(index.row()) // PAGE)
        if row is None:
            return "…" if role == Qt.ItemDataRole.DisplayRole and column is Column.NAME else None
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell_hint(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            more = folder_text(row, self.filter.root) if column is Column.NAME else ""
            more = reason_text(row) if column is Column.STATE else more
            text = ", ".join(filter(None, (cell_text(row, column), more)))
            return f"{self._headings()[column]}: {text}"
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        known = _ORDERS.get(Column(column)) if 0 <= column < len(Column) else None
        if known is not None:
            ascending = order == Qt.SortOrder.AscendingOrder
            self._change(replace(self.filter, order=known[0], backwards=ascending is not known[1]))

    @staticmethod
    def can_sort(column: int) -> bool:
        return column in _ORDERS

    def _headings(self) -> dict[Column, str]:
        return {
            Column.NAME: self.tr("Name"),
            Column.STATE: self.tr("State"),
            Column.PAGES: self.tr("Pages"),
            Column.SIZE: self.tr("Size"),
            Column.MODIFIED: self.tr("Modified"),
            Column.TITLE: self.tr("Title or subject"),
            Column.AUTHOR: self.tr("Author"),
        }

    # -- fetching -----------------------------------------------------------------------------

    def _change(self, new: FileFilter) -> None:
        if new == self.filter:
            return
        self.filter = new
        self._questions.cancel_all()
        # The old rows stay until the first page of the new list has come.
        self._stale = set(self._pages)
        self._queued = []
        self._request(0, first=True)

    def _place(self, row: int) -> int:
        """Convert a row to its offset in the engine's order, or an offset to its row."""
        return self.total - 1 - row if self.filter.backwards else row

    def _touch(self, page: int) -> None:
        """Mark a page as recently used, and fetch it if missing or stale."""
        if self._pages.get(page) is not None and page not in self._stale:
            return
        if page in self._queued:
            self._queued.remove(page)
        elif self._questions.is_waiting(str(page)):
            return
        self._queued.append(page)
        if not self._fetch.isActive():
            self._fetch.start(0)

    def _fetch_queued(self) -> None:
        # After fast scrolling only the last pages are still visible.
        newest, self._queued = self._queued[-AT_ONCE:], []
        for page in newest:
            self._request(page)

    def _request(self, page: int, *, first: bool = False) -> None:
        def done(listed: FileList) -> None:
            self._handle_page(page, listed.files, listed.total, first=first)

        request = self.filter.request(page * PAGE, PAGE)
        self._questions.ask_engine(request, done, failed=self._failed, slot=str(page))

    def _handle_page(self, page: int, rows: Sequence[FileRow], total: int, *, first: bool) -> None:
        if first:
            self.beginResetModel()
            self._forget()
            self._pages.put(page, rows)
            self.total = total
            self.endResetModel()
        else:
            self._replace_page(page, rows, total)
            self._stale = (self._stale - {page}).intersection(self._pages)
            self._tell_changed(page, len(rows))
        self.counted.emit(self.total)

    def _replace_page(self, page: int, rows: Sequence[FileRow], total: int) -> None:
        """Replace the rows of a page; the selection follows the files."""
        old = self._pages.get(page) or ()
        if total > self.total:
            self._resize(total)
        if any(one.path != other.path for one, other in zip(old, rows, strict=False)):
            self.layoutAboutToBeChanged.emit()
            self._pages.put(page, rows)
            self._follow_files(page * PAGE, [row.path for row in old])
            self.layoutChanged.emit()
        else:
            self._pages.put(page, rows)
        if total < self.total:
            self._resize(total)

    def _follow_files(self, top: int, old: Sequence[str]) -> None:
        """Move Qt's persistent indexes, such as those of the selection, with their files."""
        new = {row.path: top + at for at, row in enumerate(self._pages.get(top // PAGE) or ())}
        indexes = [
            index
            for index in self.persistentIndexList()
            if top <= self._place(index.row()) < top + PAGE
        ]
        moved = [QModelIndex() for _index in indexes]
        for number, index in enumerate(indexes):
            at = self._place(index.row()) - top
            place = new.get(old[at]) if at < len(old) else None
            if place is not None:
                moved[number] = self.index(self._place(place), index.column())
        self.changePersistentIndexList(indexes, moved)

    def _resize(self, total: int) -> None:
        """Add or remove rows at the end of the engine's order, so that the others stay."""
        more = total - self.total
        first = 0 if self.filter.backwards else min(total, self.total)
        if more > 0:
            self.beginInsertRows(QModelIndex(), first, first + more - 1)
            self.total = total
            self.endInsertRows()
        elif more < 0:
            self.beginRemoveRows(QModelIndex(), first, first - more - 1)
            self.total = total
            self.endRemoveRows()

    def _tell_changed(self, page: int, count: int) -> None:
        places = (page * PAGE, page * PAGE + count - 1)
        rows = sorted(self._place(place) for place in places)
        top, bottom = max(0, rows[0]), min(self.total - 1, rows[1])
        if count and top <= bottom:
            self.dataChanged.emit(self.index(top, 0), self.index(bottom, len(Column) - 1))

    def _failed(self, _error: LecternError) -> None:
        self.counted.emit(self.total)

    def _forget(self) -> None:
        self._questions.cancel_all()
        self._pages.clear()
        self._stale.clear()
        self._queued = []
        self._fetch.stop()
