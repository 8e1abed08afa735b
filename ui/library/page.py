"""The library: the work and what needs the person, the folders, and the files of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from indexer.api.contract import LibraryPart
from indexer.api.requests import GetStatus, Index, Remove
from indexer.api.types import FileRow, FileState
from ui import desktop, passwords
from ui.dialogs import choose_paths
from ui.help import about
from ui.keys import shown
from ui.library.cards import EstimateCard, PatternsEditor
from ui.library.file_actions import FileActions
from ui.library.file_details import DETAILS_PX, FileDetails
from ui.library.file_model import FileModel
from ui.library.file_table import FileTable
from ui.library.folder_tree import FolderTree, Removals, about_root
from ui.library.work_line import AttentionList, WorkLine
from ui.ports import Context, Notice, ignore
from ui.requests import Questions
from ui.theme import L
from ui.widgets import (
    ChoiceBox,
    IconButton,
    IconToolButton,
    MenuEntry,
    ScrollPage,
    add_shortcut,
    dropped_paths,
    filled,
    popup_menu,
    split,
    stacked,
    timer,
)
from ui.words import amounts, names
from ui.words.names import language

if TYPE_CHECKING:
    from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHideEvent, QResizeEvent, QShowEvent

    from indexer.api.answers import Document
    from indexer.api.status import Activity, Status

# Milliseconds after which a change of the library is shown or a typed filter is applied.
SOON_MS, TYPING_MS = 500, 200
# The most languages that are named.
MOST_LANGUAGES = 6
# The least width of the page, in letters, at which the details stand beside the files.
WIDE = 130


class LibraryPage(QWidget):
    """The page of the library. Signals: ``models_requested`` asks to show the choice of models."""

    models_requested = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._status: Status | None = None
        self._corrected: Document | None = None  # in the form of the details
        self.setAcceptDrops(True)
        self.removals = Removals(context, self)
        self.work, self.attention = WorkLine(context), AttentionList(context)
        self.tree = FolderTree(context)
        self.model = FileModel(context, self)
        self.file_actions = FileActions(context, passwords.shared(), self)
        self.table = FileTable(self.model, self.file_actions.all)
        self.details = FileDetails(passwords.shared(), context.library, self.file_actions)
        self.card, self.patterns = EstimateCard(context), PatternsEditor(context)
        self._make_bars()
        self._arrange()
        self._soon = timer(self, SOON_MS, self.refresh)
        self._typing = timer(self, TYPING_MS, self._filter)
        self._connect()
        self._show_panel()

    # -- what others may ask --------------------------------------------------------------------

    def show_activity(self, activity: Activity | None) -> None:
        """Show the engine's activity; None while there is no engine."""
        self.work.show_activity(activity)

    def show_files(self, state: str = "", root: str = "") -> None:
        """Show the files in a state, or under a folder that the person added."""
        self.text.clear()
        self.tree.choose_folder(root)
        self._choose_state(state)

    def add_paths(self, paths: Sequence[str]) -> None:
        """Show the estimate for some paths, with Start to add them."""
        fresh = [path for path in paths if path not in self.tree.roots]
        if fresh:
            self.patterns.hide()
            self.card.estimate_paths([*self.card.paths, *fresh])
        elif paths:
            self._context.notices.post(Notice(self.tr("That is in the library already.")))
        self._show_panel()

    def refresh(self) -> None:
        """Ask the engine for its status and the files."""
        if self._context.link.is_connected and not self._questions.is_waiting(GetStatus.wire_name):
            self._questions.ask_engine(GetStatus(), self.show_status, failed=ignore)
            self.model.refresh()

    def show_status(self, status: Status) -> None:
        self._status = status
        self.attention.show_status(status)
        self._show_roots()
        self._show_states()

    # -- parts ----------------------------------------------------------------------------------

    def _make_bars(self) -> None:
        self.add = IconButton(self.tr("&Add folder…"), "folder-add", self._ask_folder)
        self.add.setToolTip(
            self.tr("{what} ({key})").format(what=self.tr("Add a folder"), key=shown(["Ctrl+N"]))
        )
        self.more = IconToolButton("more", self.tr("More actions"), self._open_more)
        self.text = QLineEdit(clearButtonEnabled=True)
        self.text.setPlaceholderText(self.tr("Part of a name or path"))
        self.text.setAccessibleName(self.tr("Show only files with this in their path"))
        self.states = ChoiceBox()
        self.states.setAccessibleName(self.tr("Files by state"))
        self.states.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.states.addItem(self.tr("All files"), "")

    def _arrange(self) -> None:
        bar = filled(QHBoxLayout(), self.add, self.more, None)
        left, right = QWidget(), QWidget()
        filled(QVBoxLayout(left), bar, self.tree, wide=self.tree)
        self._narrowing = QWidget()
        filled(QHBoxLayout(self._narrowing), self.text, self.states, wide=self.text)
        self._files = split(self.table, self.details, shares=(1, 0))
        self.empty = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        cards = QWidget()
        filled(QVBoxLayout(cards), self.card, self.patterns, None)
        self.panel = stacked(self._files, self.empty, ScrollPage(cards))
        filled(QVBoxLayout(right), self._narrowing, self.panel, wide=self.panel)
        both = split(left, right, shares=(0, 1))
        for splitter in (self._files, both):
            splitter.setHandleWidth(L)
        parts = (self.work, self.attention, both)
        filled(QVBoxLayout(self), *parts, spacing=L, edges=(L, L, L, L), wide=both)
        self.setFocusProxy(self.tree)

    def _connect(self) -> None:
        self.attention.files_requested.connect(self._show_troubled)
        self.attention.models_requested.connect(self.models_requested)
        self.tree.chosen.connect(self._filter)
        self.tree.customContextMenuRequested.connect(self._open_menu_of_folder)
        self.removals.changed.connect(self._show_roots)
        self.states.activated.connect(self._filter)
        self.text.textChanged.connect(lambda _text: self._typing.start())
        self.card.accepted.connect(self._start)
        self.card.dismissed.connect(self._show_panel)
        self.patterns.saved.connect(self._patterns_saved)
        self.patterns.closed.connect(self._show_panel)
        self.file_actions.changed.connect(self.refresh)
        self.model.counted.connect(self._show_count)
        self.model.dataChanged.connect(self._show_chosen)
        self.model.modelReset.connect(self._show_chosen)
        self.table.selectionModel().selectionChanged.connect(self._show_chosen)
        self.table.doubleClicked.connect(self.file_actions.open.trigger)
        self.details.unlocked.connect(self._unlock)
        self.details.correction_requested.connect(self._ask_correction)
        self.details.correction.saved.connect(self._correct)
        self._context.link.connected.connect(self.refresh)
        self._context.link.changed.connect(self._handle_changes)
        on_tree = Qt.ShortcutContext.WidgetShortcut
        add_shortcut(self, QKeySequence.StandardKey.Find, self.text.setFocus)
        add_shortcut(self, "Ctrl+N", self._ask_folder)
        add_shortcut(self.tree, "F5", self._look_for_changes, on_tree)
        add_shortcut(self.tree, QKeySequence.StandardKey.Delete, self._remove, on_tree)

    # -- events ---------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for each in (self._soon, self._typing):
            each.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= WIDE * self.fontMetrics().averageCharWidth()
        sides = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._files.orientation() != sides or event.oldSize().width() < 1:
            self._files.setOrientation(sides)
            self.details.show_beside(beside=wide)
            room = self.width() if wide else self.height()
            part = DETAILS_PX if wide else room // 3
            self._files.setSizes([room - part, part])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = dropped_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.add_paths(paths)

    def _handle_changes(self, parts: frozenset[str]) -> None:
        if LibraryPart.FILES in parts and self.isVisible() and not self._soon.isActive():
            self._soon.start()

    # -- what is shown --------------------------------------------------------------------------

    def _show_roots(self) -> None:
        if self._status is not None:
            self.tree.show_roots(self._status.roots, self.removals.hidden)
        self._show_facts()
        self._show_panel()

    def _show_facts(self) -> None:
        root = self.tree.root
        if root is not None:
            lines = [*about_root(root), root.path]
            self.details.show_library(PurePath(root.path).name, [("", line) for line in lines])
        elif self._status is not None and not self.tree.path:
            self.details.show_library(self.tr("All folders"), self._holdings(self._status))
        else:
            self.details.show_library(PurePath(self.tree.path).name, [("", self.tree.path)])

    def _holdings(self, status: Status) -> list[tuple[str, str]]:
        """Return labelled rows on the library's text, languages, model and size on the disk."""
        spoken = sorted(status.languages, key=lambda each: -each.documents)
        shown = [f"\u2068{language(each.language)}\u2069" for each in spoken if each.language]
        disk = self.tr("{size} on the disk, where {free} are free").format(
            size=amounts.size(status.bytes), free=amounts.size(status.free_bytes)
        )
        held = (amounts.documents(status.documents), amounts.pages(status.pages))
        rows = [
            (self.tr("Text:"), ", ".join((*held, amounts.hits(status.passages)))),
            (self.tr("Languages:"), ", ".join(shown[:MOST_LANGUAGES])),
            (self.tr("Model:"), status.model),
            (self.tr("Index:"), disk),
        ]
        return [(name, value) for name, value in rows if value]

    def _show_states(self) -> None:
        """List the states that files are in, with their numbers; the chosen one stays."""
        counts = self._status.files if self._status is not None else {}
        chosen = str(self.states.currentData() or "")
        wanted = [("", sum(counts.values()))] + [
            (str(state), counts.get(state, 0))
            for state in FileState
            if counts.get(state) or state == chosen
        ]
        named = self.tr("{state} ({number})").format
        labels = [
            named(state=names.state(state) or self.tr("All files"), number=amounts.count(number))
            for state, number in wanted
        ]
        if labels == [self.states.itemText(at) for at in range(self.states.count())]:
            return
        self.states.clear()
        for (state, _number), label in zip(wanted, labels, strict=True):
            self.states.addItem(label, state)
            hint = int(Qt.ItemDataRole.ToolTipRole)
            self.states.setItemData(self.states.count() - 1, names.state_help(state), hint)
        self.states.setCurrentIndex(self.states.findData(chosen))

    def _choose_state(self, state: str) -> None:
        if self.states.findData(state) < 0:
            self.states.addItem(names.state(state), state)
        self.states.setCurrentIndex(self.states.findData(state))
        self._filter()

    def _filter(self, *_what: object) -> None:
        state, text = str(self.states.currentData() or ""), self.text.text().strip()
        self.model.show_files(state=state, root=self.tree.path, text=text)
        self._show_facts()

    def _show_troubled(self, state: str) -> None:
        self.show_files(state)
        self.table.setFocus()

    def _show_count(self, number: int) -> None:
        unlocking = self.model.filter.state == FileState.NEEDS_PASSWORD
        if number and unlocking and not self.table.selectionModel().hasSelection():
            self.table.selectRow(0)
            self.details.password.field.setFocus()
        self._show_panel()

    def _show_panel(self) -> None:
        """Show an open card, else the files, else a sentence that says why there are none."""
        chosen = self.model.filter
        if not self.card.isHidden() or not self.patterns.isHidden():
            self.panel.setCurrentIndex(2)
        elif self.model.total or self._status is None:
            self.panel.setCurrentIndex(0)
        else:
            self.panel.setCurrentIndex(1)
        self._narrowing.setVisible(self.panel.currentIndex() != 2)
        filtered = chosen.text or chosen.state
        nothing = self.tr("No files yet. Drop folders or files here, or add them.")
        unmatched = self.tr("No file matches. Choose another name, state or folder.")
        self.empty.setText(unmatched if filtered else nothing)

    def chosen(self) -> list[FileRow]:
        """Return the selected files that have been fetched."""
        rows = map(self.model.file, self.table.chosen_rows())
        return [row for row in rows if row is not None]

    def _show_chosen(self, *_what: object) -> None:
        rows = self.chosen()
        self.file_actions.apply_to(rows)
        self.details.show_rows(rows)
        code = rows[0].code if len(rows) == 1 else ""
        about(self.table, f"troubleshooting#{code}" if code else "library#states-of-files")

    def _unlock(self, password: str, keep: bool) -> None:
        for row in self.chosen()[:1]:
            self.file_actions.unlock(row, password, keep=keep)

    def _ask_correction(self) -> None:
        def show(document: Document) -> None:
            if [row.path for row in self.chosen()] == [document.path]:
                self._corrected = document
                self.details.correction.show_document(document)

        for row in self.chosen()[:1]:
            self.file_actions.ask_document(row, show)

    def _correct(self, title: str, author: str, year: str) -> None:
        if self._corrected is not None:
            self.file_actions.correct_document(self._corrected, title, author, year)

    # -- actions --------------------------------------------------------------------------------

    def _open_more(self) -> None:
        ask = partial(choose_paths, self, self.tr("Add files"), self.add_paths, folder=False)
        entries = (
            MenuEntry(self.tr("Add &files…"), ask, "document"),
            MenuEntry(self.tr("Loo&k for changes"), self._look_for_changes, "refresh"),
            *self._folder_entries(),
        )
        at = self.more.mapToGlobal(self.more.rect().bottomLeft())
        popup_menu(self, self.tr("More actions"), at, entries)

    def _open_menu_of_folder(self, at: QPoint) -> None:
        if self.tree.path:
            at = self.tree.viewport().mapToGlobal(at)
            popup_menu(self, self.tr("More actions"), at, self._folder_entries())

    def _folder_entries(self) -> tuple[MenuEntry, ...]:
        root, here = self.tree.root, bool(self.tree.path)
        online = here and (root is None or not root.offline)
        known = root is not None
        open_folder = partial(desktop.open_path, self.tree.path, self._context.notices)
        rescan = partial(self._index, [self.tree.path])
        return (
            MenuEntry(self.tr("&Open folder"), open_folder, "folder-open", online),
            MenuEntry(self.tr("&Rescan folder"), rescan, "refresh", known and online),
            MenuEntry(self.tr("&Patterns of folder…"), self._edit_patterns, "filter", known),
            MenuEntry(self.tr("Re&move folder"), self._remove, "trash", known),
        )

    def _ask_folder(self) -> None:
        choose_paths(self, self.tr("Add a folder"), self.add_paths, folder=True)

    def _start(self, paths: list[str]) -> None:
        self._index(paths)
        text = self.tr("Reading has begun. What is read can be searched at once.")
        self._context.notices.post(Notice(text, undo=partial(self._forget, paths)))

    def _forget(self, paths: list[str]) -> None:
        request = Remove(tuple(map(Path, paths)))
        self._questions.send_lasting(request, lambda _removal: self.refresh(), failed=ignore)

    def _look_for_changes(self) -> None:
        self._index([])

    def _index(self, paths: Sequence[str]) -> None:
        request = Index(tuple(map(Path, paths)), kept=True)
        self._questions.send_lasting(request, lambda _summary: self.refresh())
        self._show_panel()
        self._soon.start()

    def _edit_patterns(self) -> None:
        root = self.tree.root
        if root is not None:
            self.card.dismiss()
            self.patterns.edit_patterns(root.path, PurePath(root.path).name or root.path)
            self._show_panel()

    def _patterns_saved(self, root: str, before: tuple[str, ...]) -> None:
        self._index([root])
        text = self.tr("The patterns of {folder} were changed.")
        undo = partial(self.file_actions.set_patterns, root, before)
        text = text.format(folder=PurePath(root).name or root)
        self._context.notices.post(Notice(text, undo=undo))

    def _remove(self) -> None:
        root = self.tree.root
        if root is not None:
            self.removals.remove_folder(root.path, root.patterns)
            self.tree.setFocus()
