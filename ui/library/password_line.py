"""A line in which the password of one document is entered.

Owns the masked field and the choice where the password is kept. It must not know the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget
from shiboken6 import isValid

from ui.icons import icon
from ui.theme import M, S

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from ui.passwords import Passwords


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
            self._passwords.check(self._show_keyring)

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
                self.tr(
                    "This system has no keyring that Lectern trusts, so the password is "
                    "forgotten when Lectern is quit."
                )
            )
        self.note.setVisible(not there)

    def _update(self) -> None:
        self.button.setEnabled(bool(self.field.text()))

    def enter(self) -> None:
        if self.field.text():
            self.entered.emit(self.field.text(), self.keep.isChecked())
            self.field.clear()
