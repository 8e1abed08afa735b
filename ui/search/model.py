"""The model of the results, and the drag of a hit."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
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
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_spoken(row, self.phrases, is_new=row.key in self.new)
        return row if role == ROW_ROLE else None

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
            same_query: The last answer was to the same query; this one has more hits, another order
                or changes of the library. Rows that stay keep their indexes.
            layout: How the groups are laid out.
        """
        rows = rows_of(groups, layout or ResultsLayout())
        places = {row.key: at for at, row in enumerate(rows)}
        if not (same_query and any(row.key in places for row in self.rows)):
            self.beginResetModel()
            self.rows, self._places = rows, places
            self.endResetModel()
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [self.rows[index.row()].key for index in before]
        self.rows, self._places = rows, places
        after = [self.index(self.place(key)) for key in keys]  # invalid for a row that has gone
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def clear(self) -> None:
        self.show_groups((), same_query=False)
