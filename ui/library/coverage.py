"""The list of files: each with its state, the reason, what helps, its password, and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from indexer.api.contract import LibraryPart
from indexer.api.requests import GetStatus
from indexer.api.types import FileState
from ui import passwords
from ui.export import ExportFormat, ask_export_file
from ui.help import about
from ui.library.coverage_actions import CoverageActions, CoverageExport
from ui.library.coverage_model import CoverageModel
from ui.library.coverage_table import CoverageTable, StateList
from ui.ports import Notice, ignore
from ui.requests import Questions
from ui.theme import L, M, S, icon
from ui.widgets import (
    ElidedLabel,
    FlowLayout,
    IconButton,
    add_shortcut,
    button_for,
    filled,
    keep_from_wheel,
    make_bold,
    open_menu,
    timer,
    wrapped_label,
)
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QAction, QHideEvent, QShowEvent

    from indexer.api.status import Status
    from indexer.api.types import FileRow
    from ui.passwords import Passwords
    from ui.ports import Context


class CoverageDetails(QScrollArea):
    """Scrolls where its content does not fit.

    Signals:
        password_entered: With the password and whether to keep it.
        laid_out: The content may need another height, see ``needed``.
    """

    password_entered = Signal(str, bool)
    laid_out = Signal()

    def __init__(
        self, passwords: Passwords, actions: Sequence[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = QWidget()
        self.setAccessibleName(self.tr("About the chosen file"))
        self.name = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.why = _sentence()
        self.advice = _sentence()
        self.password = PasswordLine(passwords)
        self.password.entered.connect(self.password_entered)
        self.buttons = QWidget()
        row = FlowLayout(self.buttons)
        for action in actions:
            row.addWidget(button_for(action))
        parts = (self.name, self.why, self.advice, self.password, self.buttons)
        filled(QVBoxLayout(self._inner), *parts, spacing=S, edges=(L, M, L, M))
        self._path = ""
        self.setWidget(self._inner)
        self._inner.installEventFilter(self)
        self.show_rows([])

    @property
    def needed(self) -> int:
        """The height of all of the content, in pixels."""
        layout = self._inner.layout()
        assert layout is not None  # noqa: S101  # made above
        height = layout.totalSizeHint().height()
        if layout.hasHeightForWidth():
            height = layout.totalHeightForWidth(self.viewport().width())
        return height + 2 * self.frameWidth()

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), min(self.needed, self._least()))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.needed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.laid_out.emit()
        return super().eventFilter(watched, event)

    def _least(self) -> int:
        return 3 * self.fontMetrics().lineSpacing() + 2 * M

    def show_rows(self, rows: Sequence[FileRow]) -> None:
        """Show one file, or say how many are chosen."""
        one = rows[0] if len(rows) == 1 else None
        make_bold(self.name, bold=bool(rows))
        self.name.setText(self._title(rows))
        self.name.setToolTip(one.path if one else "")
        why = (failures.row_reason(one) or names.state_help(one.state)) if one else ""
        _say(self.why, why)
        _say(self.advice, failures.step(one.code, one.detail) if one else "")
        locked = one is not None and one.state is FileState.NEEDS_PASSWORD
        path = one.path if one is not None else ""
        if locked and (path != self._path or not self.password.isVisibleTo(self)):
            self.password.prepare()
        self._path = path
        self.password.setVisible(locked)
        self.buttons.setVisible(bool(rows))

    def _title(self, rows: Sequence[FileRow]) -> str:
        if not rows:
            return self.tr("Select a file to see details.")
        if len(rows) == 1:
            return rows[0].path
        size = amounts.size(sum(row.size for row in rows))
        text = self.tr("%Ln file(s) chosen, {size}", "", len(rows))
        return text.format(size=size)


def _sentence() -> QLabel:
    label = wrapped_label()
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _say(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))


class PasswordLine(QWidget):
    """A field for a password. Signals: ``entered`` with it, and whether the keyring keeps it."""

    entered = Signal(str, bool)

    def __init__(self, passwords: Passwords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._passwords = passwords
        self._checked = False
        label = QLabel(self.tr("&Password:"))
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(self.tr("Password of the document"))
        self.field.returnPressed.connect(self.enter)
        self.field.textChanged.connect(self._update)
        label.setBuddy(self.field)
        self.eye = self._add_eye()
        self.button = QPushButton(self.tr("&Unlock"))
        self.button.clicked.connect(self.enter)
        self.keep = QCheckBox(self.tr("&Keep it in the system's keyring"))
        self.keep.setToolTip(self.tr("Otherwise Lectern forgets the password when it is quit."))
        self.note = QLabel()
        self.note.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(M)
        grid.setVerticalSpacing(S)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.field, 0, 1)
        grid.addWidget(self.button, 0, 2)
        grid.addWidget(self.keep, 1, 1, 1, 2)
        grid.addWidget(self.note, 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        self.note.hide()
        self._update()

    def prepare(self) -> None:
        """Empty the field, for another document; check for a keyring the first time."""
        self.field.clear()
        self._mask(shown=False)
        if not self._checked:
            self._checked = True
            self.keep.setEnabled(False)
            self._passwords.check_keyring(self._show_keyring)

    def _add_eye(self) -> QAction:
        eye = self.field.addAction(icon("eye"), QLineEdit.ActionPosition.TrailingPosition)
        eye.setCheckable(True)
        eye.toggled.connect(self._show_letters)
        return eye

    def _mask(self, *, shown: bool) -> None:
        self.eye.setChecked(shown)
        self._show_letters(shown)

    def _show_letters(self, shown: bool) -> None:  # a slot
        mode = QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password
        self.field.setEchoMode(mode)
        self.eye.setIcon(icon("eye-off" if shown else "eye"))
        self.eye.setToolTip(self.tr("Hide the password") if shown else self.tr("Show the password"))

    def _show_keyring(self, there: bool) -> None:  # a callback
        if not isValid(self):
            return
        self.keep.setEnabled(there)
        if not there:
            self.keep.setChecked(False)
            self.note.setText(
                self.tr("No supported keyring found; Lectern forgets this password when you quit.")
            )
        self.note.setVisible(not there)

    def _update(self) -> None:
        self.button.setEnabled(bool(self.field.text()))

    def enter(self) -> None:
        if self.field.text():
            self.entered.emit(self.field.text(), self.keep.isChecked())
            self.field.clear()


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
            self._questions.ask_engine(GetStatus(), self._handle_status, failed=ignore)

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
        self.file_actions.apply_to(rows)
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
