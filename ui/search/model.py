"""The model of the results, and the drag of a hit."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QUrl,
)

from ui.citations import CitedSource, quoted
from ui.search.describe import row_spoken
from ui.search.rows import HitGroup, Key, ResultRow, ResultsLayout, rows_of

Index = QModelIndex | QPersistentModelIndex


ROW_ROLE = int(Qt.ItemDataRole.UserRole)  # of the ``ResultRow`` of a row


class ResultsModel(QAbstractListModel):
    """Rows of results. ``rows`` is read-only; indexes are valid for ``rows``' positions."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ResultRow] = []
        self.phrases = ""  # the phrases of the query
        self.new: AbstractSet[Key] = frozenset()  # new hits of a saved search
        self._places: dict[Key, int] = {}

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return row_spoken(row, self.phrases, is_new=row.key in self.new)
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        if not self.rows[index.row()].is_reachable:
            return flags
        if self.rows[index.row()].is_hit:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags | Qt.ItemFlag.ItemIsSelectable

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the data of a drag: the file and the cited passage."""
        data = QMimeData()
        hits = [self.rows[index.row()].hit for index in indexes]
        data.setUrls([QUrl.fromLocalFile(hit.path) for hit in hits])
        cited = (quoted(hit, CitedSource.from_hit(hit)).text() for hit in hits)
        data.setText("\n\n".join(cited))
        return data

    def place(self, key: Key) -> int:
        """Return the position of a row by its key; -1 if missing."""
        return self._places.get(key, -1)

    def show_groups(
        self, groups: Sequence[HitGroup], *, same_query: bool, layout: ResultsLayout | None = None
    ) -> None:
        """Show an answer.

        Args:
            groups: The documents in their order.
            same_query: It is to the same query as the last one, with more hits, another order or
                changes of the library: rows that stay keep their indexes.
            layout: How the groups are laid out.
        """
        rows = rows_of(groups, layout or ResultsLayout())
        places = {row.key: at for at, row in enumerate(rows)}
        if same_query and any(row.key in places for row in self.rows):
            self._remove(places)
            self._order(places)
            self._insert(rows, places)
        else:
            self.beginResetModel()
            self.rows, self._places = rows, places
            self.endResetModel()

    def clear(self) -> None:
        self.show_groups((), same_query=False)

    def _remove(self, places: dict[Key, int]) -> None:
        """Remove the rows that are not in ``places``, a run at a time, from the end."""
        end = len(self.rows)
        while end:
            start = end
            while start and self.rows[start - 1].key not in places:
                start -= 1
            if start < end:
                self.beginRemoveRows(QModelIndex(), start, end - 1)
                del self.rows[start:end]
                self._places = {row.key: at for at, row in enumerate(self.rows)}
                self.endRemoveRows()
            end = start - 1 if start else 0

    def _order(self, places: dict[Key, int]) -> None:
        """Reorder the remaining rows; their indexes follow."""
        if all(places[a.key] < places[b.key] for a, b in pairwise(self.rows)):
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [self.rows[index.row()].key for index in before]
        self.rows = sorted(self.rows, key=lambda row: places[row.key])
        self._places = {row.key: at for at, row in enumerate(self.rows)}
        after = [self.index(self._places[key]) for key in keys]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _insert(self, rows: list[ResultRow], places: dict[Key, int]) -> None:
        """Insert the new rows, a run at a time."""
        known = set(self._places)
        at = 0
        while at < len(rows):
            if rows[at].key in known:
                at += 1
                continue
            end = at
            while end < len(rows) and rows[end].key not in known:
                end += 1
            self.beginInsertRows(QModelIndex(), at, end - 1)
            self.rows[at:at] = rows[at:end]
            self.endInsertRows()
            at = end
        self.rows, self._places = rows, places
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
