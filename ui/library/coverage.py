"""The list of files: every file of the library with its state, the reason, and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from indexer.api.contract import LibraryPart
from indexer.api.requests import GetStatus
from ui import passwords
from ui.export import ExportFormat, ask_export_file
from ui.help import about
from ui.icons import icon
from ui.library.coverage_actions import CoverageActions, CoverageExport
from ui.library.coverage_details import CoverageDetails
from ui.library.coverage_model import CoverageModel
from ui.library.coverage_table import CoverageTable, StateList
from ui.ports import Notice, ignore
from ui.requests import Questions
from ui.theme import L
from ui.widgets import (
    FlowLayout,
    IconButton,
    add_shortcut,
    filled,
    keep_from_wheel,
    open_menu,
    timer,
)
from ui.words import names

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QHideEvent, QShowEvent

    from indexer.api.status import Status
    from indexer.api.types import FileRow
    from ui.ports import Context

TYPING_MS = 200
# The least width of the field, in average letters.
_LEAST = 12


class CoveragePage(QWidget):
    """Every file, with its state and its reason."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._export: CoverageExport | None = None
        self.model = CoverageModel(context, self)
        self.file_actions = CoverageActions(context, passwords.shared(), self)
        self.states = StateList()
        self._make_bar()
        self.table = CoverageTable(self.model, self.file_actions.all)
        self.details = CoverageDetails(passwords.shared(), self.file_actions.all)
        self.empty = QLabel()
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._arrange()
        self._make_timers()
        self._connect()

    # -- what others may ask --------------------------------------------------------------------

    def show_files(self, state: str = "", root: str = "") -> None:
        """Show the files in a state, or under a root."""
        if root and self._roots.findData(root) < 0:
            self._roots.addItem(root, root)
        self._roots.setCurrentIndex(max(0, self._roots.findData(root)))
        self.states.choose_state(state)

    def refresh(self) -> None:
        """Ask the engine for the files and their counts."""
        if self._context.link.is_connected:
            self.model.refresh()
            self._questions.ask(GetStatus(), self._handle_status, failed=ignore)

    # -- parts ----------------------------------------------------------------------------------

    def _make_bar(self) -> None:
        self._roots = QComboBox()
        keep_from_wheel(self._roots)
        self._roots.setAccessibleName(self.tr("Folder to show"))
        self._roots.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._roots.setMinimumContentsLength(14)
        self._roots.addItem(self.tr("All folders"), "")
        self.text = QLineEdit()
        self.text.setPlaceholderText(self.tr("Part of a name or path"))
        self.text.setAccessibleName(self.tr("Show only files with this in their path"))
        self.text.setClearButtonEnabled(True)
        self._size_field()
        self.retry_all = IconButton(self.tr("Retry &all that failed"), "refresh")
        self.retry_all.setToolTip(self.tr("Read everything again that could not be read."))
        self.save = IconButton(self.tr("&Export…"), "export")
        self.save.setToolTip(self.tr("Save this list as a table (CSV)."))

    def _arrange(self) -> None:
        buttons = QWidget()  # below each other where there is no room beside the field
        flow = FlowLayout(buttons)
        flow.addWidget(self.retry_all)
        flow.addWidget(self.save)
        bar = filled(QHBoxLayout(), self._roots, self.text, buttons, wide=self.text)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        right = self._split = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self.stack)
        right.addWidget(self.details)
        right.setStretchFactor(0, 1)
        right.setChildrenCollapsible(False)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(self.states)
        both.addWidget(right)
        both.setStretchFactor(1, 1)
        both.setChildrenCollapsible(False)
        filled(QVBoxLayout(self), bar, both, edges=(L, L, L, L), wide=both)
        self.setFocusProxy(self.table)

    def _open_menu_of_states(self, at: QPoint) -> None:
        name, buttons = self.tr("What to do with these files"), (self.retry_all, self.save)
        open_menu(self, name, buttons, self.states.viewport().mapToGlobal(at))

    def _make_timers(self) -> None:
        self._typing = timer(self, TYPING_MS, self._filter)
        self._dividing = timer(self, 0, self._divide)

    def _connect(self) -> None:
        self.states.chosen.connect(self._choose_state)
        self.states.customContextMenuRequested.connect(self._open_menu_of_states)
        self._roots.currentIndexChanged.connect(self._filter)
        self.text.textChanged.connect(self._typing.start)
        self.retry_all.clicked.connect(self.file_actions.retry_failed)
        self.save.clicked.connect(self._ask_target)
        self.details.laid_out.connect(self._dividing.start)
        self.file_actions.changed.connect(self.refresh)
        self.model.counted.connect(self._show_count)
        self.model.dataChanged.connect(self._show_chosen)
        self.model.modelReset.connect(self._show_chosen)
        self.table.selectionModel().selectionChanged.connect(self._show_chosen)
        self.table.doubleClicked.connect(self.file_actions.open.trigger)
        self.details.password_entered.connect(self._unlock)
        self._context.link.connected.connect(self.refresh)
        self._context.link.changed.connect(self._handle_changes)
        add_shortcut(self, QKeySequence.StandardKey.Find, self.text.setFocus)

    # -- events ---------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "text"):
            self._size_field()

    def _size_field(self) -> None:
        self.text.setMinimumWidth(_LEAST * self.fontMetrics().averageCharWidth())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._typing.stop()
        self._dividing.stop()

    def chosen(self) -> list[FileRow]:
        """Return the selected files that have been fetched."""
        rows = []
        for row in self.table.chosen_rows():
            file = self.model.file(row)
            if file is not None:
                rows.append(file)
        return rows

    def _show_chosen(self, *_what: object) -> None:
        rows = self.chosen()
        self.file_actions.use(rows)
        self.details.show_rows(rows)
        code = rows[0].code if len(rows) == 1 else ""
        about(self, f"troubleshooting#{code}" if code else "library#states-of-files")

    def _divide(self) -> None:
        """Give the details the height they need, at most two thirds."""
        whole = sum(self._split.sizes())
        panel = min(self.details.needed, whole * 2 // 3)
        if self._split.sizes()[1] != panel:
            self._split.setSizes([whole - panel, panel])

    def _choose_state(self, state: str) -> None:
        self.model.show_files(state=state)

    def _filter(self, _index: int = 0) -> None:
        self.model.show_files(
            root=str(self._roots.currentData() or ""), text=self.text.text().strip()
        )

    def _show_count(self, number: int) -> None:
        self.stack.setCurrentIndex(0 if number else 1)
        self.save.setEnabled(number > 0)
        if number:
            return
        shown = self.model.filter
        if shown.text or shown.state or shown.root:
            self.empty.setText(self.tr("No file matches. Choose another state or folder."))
        else:
            self.empty.setText(self.tr("No files yet. Add a folder to begin."))

    def _unlock(self, password: str, keep: bool) -> None:
        rows = self.chosen()
        if len(rows) == 1:
            self.file_actions.unlock(rows[0], password, keep=keep)
            self.table.setFocus()  # the field may be for another file soon

    def _handle_changes(self, parts: frozenset[str]) -> None:
        if LibraryPart.FILES in parts and self.isVisible():
            self.refresh()

    def _handle_status(self, status: Status) -> None:
        self.states.show_counts(status.files)
        self.retry_all.setEnabled(any(status.files.get(state) for state in names.TROUBLED))
        for path in (root.path for root in status.roots):
            if self._roots.findData(path) < 0:
                self._roots.addItem(icon("folder"), path, path)
                self._roots.setItemData(
                    self._roots.count() - 1, path, int(Qt.ItemDataRole.ToolTipRole)
                )

    # -- export ---------------------------------------------------------------------------------

    def _ask_target(self) -> None:
        title, name = self.tr("Export the list of files"), self.tr("files")
        ask_export_file(self, title, name, ExportFormat.CSV, self.export_to)

    def export_to(self, target: Path) -> None:
        """Save the list as it is filtered and sorted; a notice reports the outcome."""
        self.save.setEnabled(False)
        self._export = CoverageExport(self._context, self.model.filter, target, self)
        self._export.finished.connect(self._exported)
        self._export.request_files()

    def _exported(self, message: str) -> None:
        self._export = None
        self.save.setEnabled(self.model.total > 0)
        if message:
            self._context.notices.post(Notice(message))
