"""The panel below the list of files: why a file is in its state, what helps, and its password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from indexer.api.types import FileState
from ui.icons import icon
from ui.theme import L, M, S
from ui.widgets import ElidedLabel, FlowLayout, button_for, filled, make_bold, wrapped_label
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QAction

    from indexer.api.types import FileRow
    from ui.passwords import Passwords


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
    """Signals: ``entered`` with the password and whether the keyring is to keep it."""

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
