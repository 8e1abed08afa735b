"""The tree of the library's folders with the number of files in each, and removing with undo."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from indexer.api.json_files import changing, put_aside, read_object
from indexer.api.requests import Index, ListFolders, Remove
from indexer.api.types import FileState
from ui.lists import style_tree
from ui.ports import Context, Notice, ignore
from ui.requests import Questions
from ui.theme import icon
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from indexer.api.answers import FolderCount
    from indexer.api.errors import LecternError
    from indexer.api.status import RootStatus

translate = QCoreApplication.translate
log = logging.getLogger(__name__)

PATH = int(Qt.ItemDataRole.UserRole)
Policy = QTreeWidgetItem.ChildIndicatorPolicy


class FolderTree(QTreeWidget):
    """A tree of folders; opening a folder asks the engine for those inside it.

    Signals:
        chosen: The path of a folder, "" for all of them.
    """

    chosen = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._questions = Questions(context, self)
        self.roots: dict[str, RootStatus] = {}
        style_tree(self, self.tr("Folders"))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setUniformRowHeights(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._all = self._make_item(self.invisibleRootItem(), "", self.tr("All folders"), "library")
        self.setCurrentItem(self._all)
        self.currentItemChanged.connect(lambda *_items: self.chosen.emit(self.path))
        self.itemExpanded.connect(self._ask)

    @property
    def path(self) -> str:
        """The path of the chosen folder; "" for all of them."""
        item: QTreeWidgetItem | None = self.currentItem()  # None without one
        return str(item.data(0, PATH)) if item is not None else ""

    @property
    def root(self) -> RootStatus | None:
        """The chosen folder, if it is one that the person added."""
        return self.roots.get(self.path)

    def choose_folder(self, path: str) -> None:
        """Choose a folder that the person added; "" chooses all of them."""
        items = self._items(self.invisibleRootItem())
        self.setCurrentItem(items.get(path, self._all))

    def show_roots(self, roots: Sequence[RootStatus], hidden: Collection[str]) -> None:
        """Show these folders, except for hidden ones; existing items are changed in place."""
        self.roots = {root.path: root for root in roots if root.path not in hidden}
        top = self.invisibleRootItem()
        items = self._items(top)
        for path in items.keys() - self.roots.keys() - {""}:
            top.removeChild(items[path])
        for path, root in self.roots.items():
            item = items.get(path) or self._make_item(top, path, PurePath(path).name or path)
            item.setIcon(0, icon("offline" if root.offline else "folder"))
            item.setToolTip(0, "\n".join((path, *about_root(root))))
            if not item.childCount() and not item.isExpanded():
                item.setChildIndicatorPolicy(Policy.ShowIndicator)
            self._count(item, root.files)
            self._ask_again(item)
        self._count(self._all, sum(root.files for root in self.roots.values()))

    def sizeHint(self) -> QSize:
        letter = self.fontMetrics().averageCharWidth()
        return QSize(30 * letter, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(18 * self.fontMetrics().averageCharWidth(), 0)

    def _make_item(
        self, parent: QTreeWidgetItem, path: str, name: str, drawing: str = "folder"
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem([name, ""])
        item.setIcon(0, icon(drawing))
        item.setData(0, PATH, path)
        item.setToolTip(0, path)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        parent.addChild(item)
        return item

    @staticmethod
    def _items(parent: QTreeWidgetItem) -> dict[str, QTreeWidgetItem]:
        items = (parent.child(at) for at in range(parent.childCount()))
        return {str(item.data(0, PATH)): item for item in items if item is not None}

    @staticmethod
    def _count(item: QTreeWidgetItem, files: int) -> None:
        item.setText(1, amounts.count(files))
        name = f"{item.text(0)}, {amounts.files(files)}"
        item.setData(0, int(Qt.ItemDataRole.AccessibleTextRole), name)

    def _ask(self, item: QTreeWidgetItem) -> None:
        path = str(item.data(0, PATH))
        if path:
            done = partial(self._show_folders, path)
            self._questions.ask_engine(ListFolders(Path(path)), done, failed=ignore, slot=path)

    def _ask_again(self, item: QTreeWidgetItem) -> None:
        if item.isExpanded():
            self._ask(item)
            for inner in self._items(item).values():
                self._ask_again(inner)

    def _find(self, path: str, parent: QTreeWidgetItem) -> QTreeWidgetItem | None:
        for other, item in self._items(parent).items():
            if other == path:
                return item
            if other and PurePath(path).is_relative_to(other):
                return self._find(path, item)
        return None

    def _show_folders(self, path: str, folders: Sequence[FolderCount]) -> None:
        parent = self._find(path, self.invisibleRootItem())
        if parent is None:
            return
        if not folders:
            parent.setChildIndicatorPolicy(Policy.DontShowIndicator)
        items = self._items(parent)
        for gone in items.keys() - {folder.path for folder in folders}:
            parent.removeChild(items[gone])
        for folder in folders:
            name = PurePath(folder.path).name
            item = items.get(folder.path) or self._make_item(parent, folder.path, name)
            shows = Policy.ShowIndicator if folder.has_folders else Policy.DontShowIndicator
            item.setChildIndicatorPolicy(shows)
            self._count(item, folder.files)


def about_root(root: RootStatus) -> list[str]:
    """Return lines on the size of a folder, and on how its changes are noticed."""
    holds = translate("FolderTree", "{files}, {size}").format(
        files=amounts.files(root.files), size=amounts.size(root.bytes)
    )
    if root.offline:
        return [holds, names.state_help(FileState.OFFLINE)]
    if root.watched == "events":
        return [holds, translate("FolderTree", "Changes are noticed at once")]
    if root.watched == "polling":
        text = translate("FolderTree", "Checked for changes every few minutes: {reason}")
        return [holds, text.format(reason=failures.phrase(root.watched_why, {}))]
    return [holds]


FILE_NAME = "removals.json"


class Removals(QObject):
    """Removals of folders that can be undone. Signals: ``changed`` when ``hidden`` changes."""

    changed = Signal()

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._file = context.folder / FILE_NAME
        self._waiting: set[str] = set()  # hidden; removed when their notice has gone
        self._due = self._listed_removals()
        context.link.connected.connect(self.send_removals)
        if self._due and context.link.is_connected:
            self.send_removals()

    @property
    def hidden(self) -> frozenset[str]:
        """The folders with a pending removal."""
        return frozenset((*self._waiting, *self._due))

    def remove_folder(self, path: str, patterns: Sequence[str]) -> None:
        """Hide a folder, and remove it from the library unless the person undoes it."""
        self._waiting.add(path)
        self._write()
        self.changed.emit()
        text = self.tr("{folder} was removed from the library. The files themselves stay.")
        text = text.format(folder=PurePath(path).name or path)
        undo, expired = partial(self._undo, path, tuple(patterns)), partial(self._expire, path)
        self._context.notices.post(Notice(text, undo=undo, expired=expired))

    def send_removals(self) -> None:
        """Send the removals that are due to the engine, if it is connected."""
        if self._due and self._context.link.is_connected:
            request = Remove(tuple(map(Path, self._due)))
            self._questions.send_lasting(request, self._removed, failed=self._failed)

    def _undo(self, path: str, patterns: tuple[str, ...]) -> None:
        if path in self._waiting:
            self._waiting.discard(path)
        else:  # it is removed already or soon, since the engine keeps the order of requests
            self._due = [each for each in self._due if each != path]
            request = Index((Path(path),), patterns=patterns, kept=True)
            self._questions.send_lasting(request, ignore)
        self._write()
        self.changed.emit()

    def _expire(self, path: str) -> None:
        self._waiting.discard(path)
        self._due.append(path)
        self.send_removals()

    def _removed(self, _removal: object) -> None:
        self._due = []
        self._write()
        self.changed.emit()

    def _failed(self, error: LecternError) -> None:
        if error.code == "engine_gone":
            return  # sent again with the next connection
        self._removed(None)
        if error.code != "not_a_root":  # else it is removed already
            self._questions.report(error)

    def _write(self) -> None:
        """Write the pending removals, by library, since windows of several share the file."""
        library, paths = str(self._context.library), [*self._due, *self._waiting]
        try:
            put_aside(self._file)
            with changing(self._file) as content:
                content.pop(library, None)
                if paths:
                    content[library] = paths
        except (OSError, ValueError) as error:
            log.warning("what is to be removed cannot be noted: %s", error)

    def _listed_removals(self) -> list[str]:
        with suppress(OSError, ValueError):
            paths = read_object(self._file).get(str(self._context.library), [])
            if isinstance(paths, list) and all(isinstance(path, str) for path in paths):
                return paths
        return []
