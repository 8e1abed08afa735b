"""The page of the library's folders: adding, estimating, patterns, and removing with undo."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from indexer.api.contract import LibraryPart
from indexer.api.json_files import changing, put_aside, read_object
from indexer.api.requests import GetStatus, Index, Remove
from ui import desktop
from ui.keys import shown
from ui.library.cards import EstimateCard, PatternsEditor
from ui.library.current_work import ChangeLine
from ui.library.folder_list import FolderList, FolderModel, name_of
from ui.ports import Notice, ignore
from ui.requests import Questions
from ui.theme import L, M
from ui.widgets import (
    FlowLayout,
    IconButton,
    add_shortcut,
    choose_files,
    choose_folder,
    dropped_paths,
    filled,
    open_menu,
    scrolling,
    timer,
    wrapped_label,
)
from ui.words import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHideEvent, QShowEvent

    from indexer.api.errors import LecternError
    from indexer.api.status import RootStatus, Status
    from ui.ports import Context


log = logging.getLogger(__name__)

FILE_NAME = "removals.json"


class Removals(QObject):
    """Removals of folders that can be undone. Signals: ``changed`` when ``hidden`` changes."""

    changed = Signal()

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._file = context.folder / FILE_NAME
        self._waiting: set[str] = set()  # hidden, and not removed while their notice is shown
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
        self._context.notices.post(
            Notice(
                text.format(folder=PurePath(path).name or path),
                undo=partial(self._undo, path, tuple(patterns)),
                expired=partial(self._expire, path),
            )
        )

    def send_removals(self) -> None:
        """Send the removals that are due to the engine, if it is connected."""
        if self._due and self._context.link.is_connected:
            request = Remove(tuple(map(Path, self._due)))
            self._questions.send_lasting(request, self._removed, failed=self._failed)

    def _undo(self, path: str, patterns: tuple[str, ...]) -> None:
        if path in self._waiting:
            self._waiting.discard(path)
        else:  # it was removed, or is about to be: the engine works in the order of requests
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
        self._due = []
        self._write()
        self.changed.emit()
        if error.code != "not_a_root":  # else it is removed already
            self._questions.report(error)

    def _write(self) -> None:
        """Note the removals, by their library: windows of several share the file."""
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


SOON_MS = 300


class FoldersPage(QWidget):
    """The page of folders. Signals: ``files_requested`` with a folder whose files to show."""

    files_requested = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._roots: Sequence[RootStatus] = ()
        self._known = False  # whether the engine has said which folders there are
        self.removals = Removals(context, self)
        self.model = FolderModel(self)
        self.card = EstimateCard(context)
        self.patterns = PatternsEditor(context)
        self.setAcceptDrops(True)
        self.change = ChangeLine()
        self.uncovered = wrapped_label()
        self.uncovered.hide()
        self._make_list()
        self._make_buttons()
        self._arrange()
        self._soon = timer(self, SOON_MS, self.refresh)
        self._dividing = timer(self, 0, self._divide)
        self._connect()
        self._update()

    def add_paths(self, paths: Sequence[str]) -> None:
        """Show the estimate for some paths, with Start to add them."""
        known = {root.path for root in self.model.roots}
        fresh = [path for path in paths if path not in known]
        if fresh:
            self.patterns.hide()
            self.card.estimate_paths([*self.card.paths, *fresh])
            self._below.ensureWidgetVisible(self.card)
        elif paths:
            self._context.notices.post(Notice(self.tr("That is in the library already.")))
        self._update()

    def refresh(self) -> None:
        """Ask the engine for its status."""
        if self._context.link.is_connected and not self._questions.is_waiting(GetStatus.wire_name):
            self._questions.ask_engine(GetStatus(), self.show_status, failed=ignore)

    def _make_list(self) -> None:
        self.list = FolderList(self.model)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self._empty = QLabel(
            self.tr("No folders yet.\n\nDrop folders or files here, or add them above.")
        )
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.list)
        self.stack.addWidget(self._empty)

    def _make_buttons(self) -> None:
        self._top = QWidget()
        top = FlowLayout(self._top)
        self.add = self._button(
            top, self.tr("&Add folder…"), "folder-add", self._ask_folder, "Ctrl+N"
        )
        self._button(top, self.tr("Add fi&les…"), "document", self._ask_files)
        self.rescan_all = self._button(
            top, self.tr("Loo&k for changes"), "refresh", lambda: self._index([]), "F5"
        )
        self._actions = QWidget()
        row = FlowLayout(self._actions)
        self.rescan = self._button(row, self.tr("&Rescan"), "refresh", self._rescan)
        self.edit = self._button(row, self.tr("&Patterns…"), "filter", self._edit_patterns)
        self.files = self._button(row, self.tr("Show fil&es"), "document", self._want_files)
        self.open = self._button(row, self.tr("&Open folder"), "folder-open", self._open)
        self.remove = self._button(row, self.tr("Re&move"), "trash", self._remove)
        on_list = Qt.ShortcutContext.WidgetShortcut
        add_shortcut(self.list, QKeySequence.StandardKey.Delete, self._remove, on_list)

    def _open_menu(self, at: QPoint) -> None:
        """Open a menu of the buttons' actions at the pointer."""
        if not self.list.selectionModel().hasSelection():
            return
        buttons = (self.files, self.open, self.rescan, self.edit, self.remove)
        name = self.tr("What to do with this folder")
        open_menu(self, name, buttons, self.list.viewport().mapToGlobal(at))

    def _button(
        self,
        row: FlowLayout,
        text: str,
        drawing: str,
        act: Callable[[], None],
        key: str = "",
    ) -> IconButton:
        button = IconButton(text, drawing)
        button.clicked.connect(act)
        row.addWidget(button)
        if key:
            plain = text.replace("&", "").rstrip("…")
            button.setToolTip(self.tr("{what} ({key})").format(what=plain, key=shown([key])))
            add_shortcut(self, key, button.click)
        return button

    def _arrange(self) -> None:
        inner = QWidget()
        self._under = filled(QVBoxLayout(inner), self.card, self.patterns)
        self._under.addStretch(1)
        self._below = scrolling(inner)
        upper = QWidget()
        filled(QVBoxLayout(upper), self.stack, self._actions, wide=self.stack)
        split = self._split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(upper)
        split.addWidget(self._below)
        split.setStretchFactor(0, 1)
        parts = (self._top, self.change, self.uncovered, split)
        filled(QVBoxLayout(self), *parts, edges=(L, L, L, L)).setStretch(3, 1)
        self.setFocusProxy(self.list)

    def _connect(self) -> None:
        self.card.accepted.connect(self._start)
        self.card.dismissed.connect(self._update)
        self.card.estimated.connect(self._divide)
        self.patterns.saved.connect(lambda path: self._index([path]))
        self.patterns.closed.connect(self._update)
        self.removals.changed.connect(self._show_roots)
        self.list.selectionModel().selectionChanged.connect(self._update)
        self.list.doubleClicked.connect(self._want_files)
        self._context.link.connected.connect(self.refresh)
        self._context.link.changed.connect(self._handle_changes)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for each in (self._soon, self._dividing):
            each.stop()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = dropped_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.add_paths(paths)

    def show_status(self, status: Status) -> None:
        self.change.show_state(status)
        self.uncovered.setText(names.uncovered(status))
        self.uncovered.setVisible(bool(self.uncovered.text()))
        self._roots, self._known = status.roots, True
        self._show_roots()

    def _show_roots(self) -> None:
        self.model.show_roots(self._roots, self.removals.hidden)
        self._update()

    def _update(self, *_what: object) -> None:
        chosen = self.list.chosen()
        one = len(chosen) == 1
        here = [root for root in chosen if not root.offline]
        self.stack.setCurrentIndex(0 if self.model.roots or not self._known else 1)
        self._actions.setVisible(bool(self.model.roots))
        below = self.card.isVisibleTo(self._below) or self.patterns.isVisibleTo(self._below)
        if below != self._below.isVisibleTo(self):
            self._below.setVisible(below)
            self._dividing.start()
        self.rescan_all.setEnabled(bool(self.model.roots))
        self.rescan.setEnabled(bool(here))
        self.edit.setEnabled(one)
        self.files.setEnabled(one)
        self.open.setEnabled(one and bool(here))
        self.remove.setEnabled(bool(chosen))

    def _divide(self) -> None:
        """Give the panel below the height it needs, at most two thirds."""
        whole = sum(self._split.sizes())
        needed = self._under.totalHeightForWidth(self._below.viewport().width())
        panel = min(needed + M, whole * 2 // 3)
        self._split.setSizes([whole - panel, panel])

    def _ask_folder(self) -> None:
        choose_folder(self, self.tr("Add a folder"), self.add_paths)

    def _ask_files(self) -> None:
        choose_files(self, self.tr("Add files"), self.add_paths)

    def _start(self, paths: list[str]) -> None:
        self._index(paths)
        self._context.notices.post(
            Notice(self.tr("Reading has begun. What is read can be searched at once."))
        )

    def _rescan(self) -> None:
        self._index([root.path for root in self.list.chosen() if not root.offline])

    def _index(self, paths: Sequence[str]) -> None:
        self._questions.send_lasting(Index(tuple(map(Path, paths)), kept=True), self._indexed)
        self._update()
        self._soon.start()

    def _handle_changes(self, parts: frozenset[str]) -> None:
        if LibraryPart.FILES in parts and self.isVisible():
            self.refresh()

    def _indexed(self, _summary: object) -> None:
        self.refresh()

    def _edit_patterns(self) -> None:
        for root in self.list.chosen()[:1]:
            self.card.dismiss()
            self.patterns.edit_patterns(root.path, name_of(root))
            self._update()

    def _want_files(self, _index: object = None) -> None:
        for root in self.list.chosen()[:1]:
            self.files_requested.emit(root.path)

    def _open(self) -> None:
        for root in self.list.chosen()[:1]:
            desktop.open_path(root.path, self._context.notices)

    def _remove(self) -> None:
        chosen = self.list.chosen()
        for root in chosen:
            self.removals.remove_folder(root.path, root.patterns)
        if chosen:
            (self.list if self.model.roots else self.add).setFocus()
