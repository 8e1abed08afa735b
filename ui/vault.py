"""The encryption of the library in the window: its card in the settings, and its dialogs.

A change that is chosen in the card happens after the window has closed, since the window's own
files move with the library. ``app.encryption`` makes these changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QEventLoop, QMetaObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QProgressDialog,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from indexer.api.errors import LecternError, WorldError
from ui.passwords import shared
from ui.ports import Context, EndAction, Ending
from ui.theme import L, M, S
from ui.widgets import CardFrame, IconButton, filled, wrapped_label
from ui.words import failures

if TYPE_CHECKING:

    class AcceptPassphrase(Protocol):
        """Raises a ``LecternError`` if it does not accept a passphrase; runs in a thread."""

        def __call__(self, passphrase: str, *, keep: bool) -> None: ...


# Bits below which a passphrase is called weak, and below which it is called fair.
WEAK, FAIR = 45, 65
# Bits of a letter, of a digit, of a sign, and of a word among some 16,000; letters of a long word.
_LETTER, _DIGIT, _SIGN, _WORD, _LONG = 4.7, 3.3, 3.0, 14.0, 12
_PART = re.compile(r"[^\W\d_]+|\d+|[\W_]")
_LETTERS = 64  # the width of a dialog


def strength(passphrase: str) -> float:
    """Estimate the bits of a passphrase against guesses by words and by counting on.

    A character that repeats or continues the one before adds nothing. A word adds no more than one
    from a long list, except for letters beyond the length of a long word.
    """
    before = zip(" " + passphrase, passphrase, strict=False)
    fresh = [abs(ord(one) - ord(two)) > 1 for one, two in before]
    bits = 0.0
    for part in _PART.finditer(passphrase):
        new = min(sum(fresh[slice(*part.span())]), 2 * len(set(part[0])))
        if part[0].isalpha():
            bits += min(new * _LETTER, _WORD + max(0, new - _LONG) * _LETTER)
        else:
            bits += new * (_DIGIT if part[0].isdigit() else _SIGN)
    return bits


class PassphraseDialog(QDialog):
    """Asks for a passphrase: a new one twice, with its strength.

    Args:
        told: A sentence that says what it is for.
        new: Whether it is a new passphrase.
        can_keep: Whether to offer to keep it in the keyring, if the system has one.
        check: Accepts it, or raises an error.
        parent: The window of the dialog.
    """

    def __init__(
        self, told: str, *, new: bool = False, can_keep: bool = True,
        check: AcceptPassphrase | None = None, parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setWindowTitle(self.tr("Encryption"))
        self._new, self._check = new, check
        hidden = QLineEdit.EchoMode.Password
        self.passphrase, self.again = QLineEdit(echoMode=hidden), QLineEdit(echoMode=hidden)
        self.strength, self.trouble = wrapped_label(), wrapped_label()
        self.keep = QCheckBox(self.tr("&Keep it in the keyring of this system"))
        self.keep.hide()
        if can_keep:
            shared().check_keyring(self._offer_keyring)
        self._arrange(told)
        self._judge()

    def _arrange(self, told: str) -> None:
        form = QFormLayout()
        form.addRow(self.tr("&Passphrase:"), self.passphrase)
        if self._new:
            form.addRow(self.tr("Once &more:"), self.again)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        for line in (self.passphrase, self.again):
            line.textChanged.connect(self._judge)
        parts = (form, self.strength, self.trouble, self.keep, self.buttons)
        filled(QVBoxLayout(self), wrapped_label(told), *parts, edges=(L, L, L, L))
        self.setFixedWidth(self.fontMetrics().averageCharWidth() * _LETTERS)
        self.strength.setVisible(self._new)
        self.trouble.hide()
        self._fit()

    def _offer_keyring(self, there: bool) -> None:
        if isValid(self):
            self.keep.setVisible(there)
            self._fit()

    def _judge(self) -> None:
        text, bits = self.passphrase.text(), strength(self.passphrase.text())
        if not text:
            said = self.tr("Several words that do not belong together are strong.")
        elif bits < WEAK:
            said = self.tr("Weak: a computer guesses it.")
        elif bits < FAIR:
            said = self.tr("Fair: longer is better.")
        else:
            said = self.tr("Strong, unless others know it or it is quoted from somewhere.")
        self.strength.setText(said)
        same = not self._new or text == self.again.text()
        if self._new:
            differ = bool(self.again.text()) and not same
            self._complain(self.tr("The two differ.") if differ else "")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(
            bool(text.strip()) and same
        )

    def _complain(self, text: str) -> None:
        self.trouble.setText(text)
        self.trouble.setVisible(bool(text))
        self._fit()

    def _fit(self) -> None:
        """Make the dialog as high as its texts need, as Qt does not ask those that wrap."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))

    def accept(self) -> None:
        """Close the dialog if the passphrase is accepted."""
        text, keep = self.passphrase.text(), self.keep.isChecked()
        try:
            if self._check is not None:
                check = self._check
                work(lambda: check(text, keep=keep))
        except LecternError as error:
            self._complain(failures.failure(error))
            self.passphrase.selectAll()
            self.passphrase.setFocus()
        else:
            super().accept()


def unlock_dialog(library: str, check: AcceptPassphrase) -> PassphraseDialog:
    """Return the dialog that opens a locked library."""
    text = QCoreApplication.translate("Vault", "The library {library} is encrypted and locked.")
    return PassphraseDialog(text.format(library=library), check=check)


class EncryptionCard(CardFrame):
    """Says whether the library is encrypted. Signals: ``ending_chosen`` with an ``Ending``."""

    ending_chosen = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        title = wrapped_label(self.tr("Encryption of the library"), bold=True)
        self.state, self.disk = wrapped_label(), wrapped_label()
        self.encrypt = IconButton(self.tr("&Encrypt…"), "lock", self._ask_new)
        self.decrypt = IconButton(self.tr("Dec&rypt…"), pressed=self._ask_old)
        lock = partial(self.ending_chosen.emit, Ending(EndAction.LOCK))
        self.lock = IconButton(self.tr("&Lock and quit"), "lock", lock)
        row = filled(QHBoxLayout(), self.encrypt, self.decrypt, self.lock, None)
        filled(QVBoxLayout(self), title, self.state, self.disk, row, spacing=S, edges=(L, M, L, M))
        self.show_state()

    def show_state(self) -> None:
        """Show whether the library and the disk are encrypted now."""
        now = self._context.encryption()
        if now.encrypted:
            text = self.tr(
                "Encrypted. It is locked when Lectern ends, after a time without use, and before "
                "this computer sleeps."
            )
            if now.kept:
                text += " " + self.tr("The keyring of this system unlocks it.")
        elif now.refusal:
            text = self.tr("Lectern cannot encrypt it here: {reason}.")
            text = text.format(reason=failures.phrase(now.refusal, {}))
        else:
            text = self.tr(
                "Not encrypted by Lectern. All that it keeps of your documents can be, by a "
                "passphrase; the documents themselves stay as they are."
            )
        self.state.setText(text)
        self.disk.setText(self._said_of_disk(now.disk))
        self.encrypt.setVisible(not now.encrypted and not now.refusal)
        self.decrypt.setVisible(now.encrypted)
        self.lock.setVisible(now.encrypted)
        self._kept = now.kept

    def _said_of_disk(self, encrypted: bool | None) -> str:
        if encrypted is None:
            return self.tr(
                "Whether this system encrypts its disk is not known to Lectern; its settings tell "
                "(BitLocker or Device encryption on Windows, FileVault on macOS)."
            )
        if encrypted:
            return self.tr("This system encrypts the disk of the library.")
        return self.tr("No encryption of the disk was found.")

    def _ask_new(self) -> None:
        told = self.tr(
            "Lectern closes, encrypts the library and opens again. Without the passphrase nobody "
            "can open it, you neither."
        )
        self._ask(PassphraseDialog(told, new=True, parent=self.window()), EndAction.ENCRYPT)

    def _ask_old(self) -> None:
        if self._kept:
            self.ending_chosen.emit(Ending(EndAction.DECRYPT))
            return
        told = self.tr("Lectern closes, decrypts the library and opens again.")
        self._ask(PassphraseDialog(told, can_keep=False, parent=self.window()), EndAction.DECRYPT)

    def _ask(self, dialog: PassphraseDialog, action: EndAction) -> None:
        def accepted() -> None:
            keep = dialog.keep.isChecked()
            self.ending_chosen.emit(Ending(action, dialog.passphrase.text(), keep))

        self.asking = dialog
        dialog.accepted.connect(accepted)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


def work(job: Callable[[], None]) -> None:
    """Run a job in a thread while the window is painted but takes no input; raise its errors."""
    loop = QEventLoop()

    def leave(_task: object) -> None:
        QMetaObject.invokeMethod(loop, "quit", Qt.ConnectionType.QueuedConnection)

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(job)
        task.add_done_callback(leave)
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    task.result()


def change_with_progress(action: EndAction, job: Callable[[], None]) -> bool:
    """Run a chosen change with a window of its own; show its failure, and return False then."""
    texts = {
        EndAction.ENCRYPT: QCoreApplication.translate("Vault", "Encrypting the library…"),
        EndAction.DECRYPT: QCoreApplication.translate("Vault", "Decrypting the library…"),
        EndAction.LOCK: QCoreApplication.translate("Vault", "Locking the library…"),
    }
    shown = QProgressDialog(texts[action], "", 0, 0)
    shown.setCancelButton(None)
    shown.show()
    try:
        work(job)
    except WorldError as error:
        shown.close()
        failure_box(failures.failure(error)).exec()
        return False
    finally:
        shown.close()
        shown.deleteLater()
    return True


def failure_box(text: str) -> QMessageBox:
    """Return a box with the reason of a failure."""
    box = QMessageBox(QMessageBox.Icon.Warning, "Lectern", text)
    box.setTextFormat(Qt.TextFormat.PlainText)
    return box
