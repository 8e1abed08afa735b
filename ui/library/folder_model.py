"""The folders of the library as the rows of a list, and the texts about each.

It must not know how a row is painted.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from indexer.api.types import FileState
from ui.words import amounts, failures

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from indexer.api.status import RootStatus

Index = QModelIndex | QPersistentModelIndex

ROOT_ROLE = int(Qt.ItemDataRole.UserRole)
_NOWHERE = QModelIndex()
_EMBEDDED = (FileState.INDEXED, FileState.PARTIAL)
_TROUBLED = (FileState.FAILED, FileState.UNREADABLE, FileState.NEEDS_PASSWORD)


def name_of(root: RootStatus) -> str:
    return PurePath(root.path).name or root.path


def embedded(root: RootStatus) -> float:
    """Return the share of the documents that are embedded, 0 to 1."""
    documents = _count(root, *_EMBEDDED, FileState.TEXT_ONLY, FileState.QUEUED)
    return _count(root, *_EMBEDDED) / documents if documents else 1.0


def troubled(root: RootStatus) -> int:
    """Return the number of files that could not be read."""
    return _count(root, *_TROUBLED)


def _count(root: RootStatus, *states: FileState) -> int:
    return sum(root.states.get(state, 0) for state in states)


class FolderModel(QAbstractListModel):
    """The folders of the engine's status, without the hidden ones."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._roots: list[RootStatus] = []

    @property
    def roots(self) -> Sequence[RootStatus]:
        return self._roots

    def show_roots(self, roots: Sequence[RootStatus], hidden: Collection[str] = ()) -> None:
        """Show these folders; rows that stay are changed in place."""
        wanted = {root.path: root for root in roots if root.path not in hidden}
        for row in reversed(range(len(self._roots))):
            if self._roots[row].path not in wanted:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._roots[row]
                self.endRemoveRows()
        known = {root.path: row for row, root in enumerate(self._roots)}
        for path, root in wanted.items():
            row = known.get(path, -1)
            if row < 0:
                end = len(self._roots)
                self.beginInsertRows(QModelIndex(), end, end)
                self._roots.append(root)
                self.endInsertRows()
            elif self._roots[row] != root:
                self._roots[row] = root
                self.dataChanged.emit(self.index(row), self.index(row))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._roots)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._roots):
            return None
        root = self._roots[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return name_of(root)
            case Qt.ItemDataRole.ToolTipRole:
                return root.path
            case Qt.ItemDataRole.AccessibleTextRole:
                return ". ".join((root.path, *lines_about(root)))
            case int() if role == ROOT_ROLE:
                return root
        return None


def lines_about(root: RootStatus) -> tuple[str, str]:
    """Return the texts of a folder: its size and its progress."""
    holds = QCoreApplication.translate("FolderModel", "{files}, {size}").format(
        files=amounts.files(root.files), size=amounts.size(root.bytes)
    )
    return holds, state_of(root)


def state_of(root: RootStatus) -> str:
    """Return a line on the progress of a folder, and on how its changes are detected."""
    if root.offline:
        return QCoreApplication.translate(
            "FolderModel",
            "Offline: its drive or folder is not available. What was read of it can still be "
            "found.",
        )
    parts = []
    if (share := embedded(root)) < 1:
        text = QCoreApplication.translate("FolderModel", "{share} embedded")
        parts.append(text.format(share=amounts.share(share)))
    waiting = root.states.get(FileState.QUEUED, 0)
    if waiting:
        parts.append(amounts.waiting(waiting))
    if count := troubled(root):
        parts.append(amounts.unreadable(count))
    if not parts:
        parts.append(QCoreApplication.translate("FolderModel", "Up to date"))
    parts += watching(root)
    return QCoreApplication.translate("FolderModel", " · ").join(parts)


def watching(root: RootStatus) -> list[str]:
    """Return a text on how changes in a folder are detected; none while unknown."""
    match root.watched:
        case "events":
            text = QCoreApplication.translate("FolderModel", "Changes are noticed at once")
        case "polling":
            text = QCoreApplication.translate(
                "FolderModel", "Checked for changes every few minutes: {reason}"
            ).format(reason=failures.phrase(root.watched_why, {}))
        case _:
            return []
    return [text]
