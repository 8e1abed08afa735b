"""The details of the chosen file: its first page, state, advice, password and actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QPalette, QPixmap, QRegularExpressionValidator
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from indexer.api.pages import DocumentSource, Open
from indexer.api.types import SEARCHABLE_STATES, FileRow, FileState
from ui.flow_layout import FlowLayout
from ui.library.file_actions import FileActions, cited_by
from ui.library.file_model import has_pages
from ui.preview.client import RenderClient
from ui.preview.document import want_first_page
from ui.theme import XL, L, S, icon
from ui.widgets import ElidedLabel, Facts, IconButton, ScrollPage, filled, timer, wrapped_label
from ui.words import amounts, failures, names
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from ui.passwords import Passwords

# The width of the first page in pixels, and for how many milliseconds a file must be chosen before
# the page is rendered.
PAGE_PX, SOON_MS = 240, 150


def button_for(action: QAction) -> IconButton:
    """Return a button for an action, enabled with it; the action's data names the drawing."""
    button = IconButton(action.text(), str(action.data() or ""), action.trigger)
    button.setToolTip(action.toolTip())
    action.enabledChanged.connect(button.setEnabled)
    button.setEnabled(action.isEnabled())
    return button


class FirstPage(QLabel):
    """Shows the first page of a document, rendered by a child that lives while it is visible."""

    def __init__(self, library: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._client = RenderClient(self, library)
        self._source: DocumentSource | None = None
        self._soon = timer(self, SOON_MS, self._render)
        self.setAccessibleName(self.tr("First page"))
        self.setAlignment(Qt.AlignmentFlag.AlignLeading)
        self.hide()

    def show_document(self, source: DocumentSource | None) -> None:
        """Show the first page of a document after a moment; None shows nothing."""
        if source == self._source:
            return
        self._source = source
        self.hide()
        self.setPixmap(QPixmap())
        self._soon.stop()
        if source is not None:
            self._soon.start()

    def try_password(
        self, source: DocumentSource, done: Callable[[LecternError | None], None]
    ) -> None:
        """Open a document with a password; ``done`` gets the error, or None if it opens."""
        self._client.ask_child(Open(source), lambda _found, _data: done(None), done)

    def close_child(self) -> None:
        """Cancel the requests to the child, and end it."""
        self._soon.stop()
        self._source = None
        self._client.end_child()

    def _render(self) -> None:
        source, ratio = self._source, self.devicePixelRatioF()

        def came(page: QPixmap | str) -> None:
            if isinstance(page, QPixmap) and source == self._source:
                page.setDevicePixelRatio(ratio)
                self.setPixmap(page)
                self.show()

        if source is not None:
            want_first_page(self._client, source, round(PAGE_PX * ratio), came)


class PasswordLine(QWidget):
    """A field for a password. Signals: ``entered`` with it, and whether to store it."""

    entered = Signal(str, bool)

    def __init__(self, passwords: Passwords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._passwords = passwords
        self._checked = False
        label = QLabel(self.tr("Pass&word:"))
        self.field = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(self.tr("Password of the document"))
        self.field.returnPressed.connect(self.enter)
        label.setBuddy(self.field)
        self.eye = self.field.addAction(icon("eye"), QLineEdit.ActionPosition.TrailingPosition)
        self.eye.setCheckable(True)
        self.eye.toggled.connect(self._show_letters)
        self.button = IconButton(self.tr("U&nlock"), pressed=self.enter)
        self.field.textChanged.connect(lambda text: self.button.setEnabled(bool(text)))
        self.button.setEnabled(False)
        self.keep = QCheckBox(self.tr("&Keep it in the system's keyring"))
        self.keep.setToolTip(self.tr("Otherwise Lectern forgets the password when it is quit."))
        self.note = wrapped_label()
        row = filled(QHBoxLayout(), self.field, self.button, wide=self.field)
        filled(QVBoxLayout(self), label, row, self.keep, self.note, spacing=S)
        self.note.hide()

    def prepare(self) -> None:
        """Empty the field, for another document; check for a keyring the first time."""
        self.field.clear()
        self.eye.setChecked(False)
        if not self._checked:
            self._checked = True
            self.keep.setEnabled(False)
            self._passwords.check_keyring(self._show_keyring)

    def say(self, text: str) -> None:
        """Show below the field whether a password was accepted."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def enter(self) -> None:
        if self.field.text():
            self.say(self.tr("Checking the password…"))
            self.entered.emit(self.field.text(), self.keep.isChecked())

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
            none = self.tr(
                "No supported keyring found; Lectern forgets this password when you quit."
            )
            self.keep.setToolTip(none)
            if not self.note.text():  # a remark on a password matters more
                self.say(none)


class CorrectionForm(QWidget):
    """Fields for a document's title, author and year. Signals: ``saved`` with these three."""

    saved = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        labels = (self.tr("Title:"), self.tr("Author:"), self.tr("Year:"))
        self.fields = tuple(QLineEdit() for _label in labels)
        for label, field in zip(labels, self.fields, strict=True):
            form.addRow(label, field)
            field.returnPressed.connect(self.save)
        self.fields[1].setPlaceholderText(self.tr("Last, First; Last, First"))
        self.fields[2].setValidator(QRegularExpressionValidator(r"([0-9]{4})?"))
        self.button = IconButton(self.tr("Sa&ve"), pressed=self.save)
        form.addRow(self.button)
        self.hide()

    def show_document(self, document: Document) -> None:
        """Fill the fields with the document's values."""
        for field, text in zip(self.fields, cited_by(document), strict=True):
            field.setText(text)
            field.setCursorPosition(0)
        self.show()
        self.fields[0].setFocus()

    def save(self) -> None:
        if all(field.hasAcceptableInput() for field in self.fields):
            self.hide()
            self.saved.emit(*(field.text() for field in self.fields))


class FileDetails(ScrollPage):
    """Shows details of the chosen files, or of the library while none is chosen.

    Signals:
        unlocked: A password that opens the document, and whether to keep it.
        correction_requested: The title, author or year of the document is to be corrected.
    """

    unlocked = Signal(str, bool)
    correction_requested = Signal()

    def __init__(self, passwords: Passwords, library: Path, actions: FileActions) -> None:
        super().__init__()
        self._passwords = passwords
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("About the chosen file"))
        self.page = FirstPage(library)
        self.name = wrapped_label(bold=True)
        self.place = ElidedLabel(Qt.TextElideMode.ElideMiddle, QPalette.ColorRole.PlaceholderText)
        self.why, self.advice = wrapped_label(), wrapped_label()
        for label in (self.name, self.why, self.advice):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts = Facts()
        self.password = PasswordLine(passwords)
        self.password.entered.connect(self._try_password)
        self.buttons = QWidget()
        row = FlowLayout(parent=self.buttons)
        correct = self.tr("&Correct title and author…")
        self.correct = IconButton(correct, pressed=self.correction_requested)
        self.correction = CorrectionForm()
        self._retry = actions.retry
        offered = (each for each in actions.all if each is not actions.copy)
        self._actions = {action: button_for(action) for action in offered}
        for button in self._actions.values():
            row.addWidget(button)
        row.addWidget(self.correct)
        inner, words = QWidget(), (self.name, self.place, self.why, self.advice)
        below = (self.facts, self.password, self.buttons, self.correction)
        parts = filled(QVBoxLayout(), *words, *below, None)
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, inner)
        filled(self._layout, self.page, parts, wide=parts, spacing=L, edges=(L, 0, S, 0))
        self._layout.setAlignment(self.page, Qt.AlignmentFlag.AlignTop)
        self.setWidget(inner)
        self._row: FileRow | None = None
        self._library: tuple[str, Sequence[tuple[str, str]]] = ("", ())
        self.show_rows([])

    def show_beside(self, *, beside: bool) -> None:
        """Arrange the parts for a high place beside the files, or for a wide one below them."""
        direction = QBoxLayout.Direction
        self._layout.setDirection(direction.TopToBottom if beside else direction.LeftToRight)

    def show_library(self, title: str, facts: Sequence[tuple[str, str]]) -> None:
        """Set the content that is shown while no file is chosen."""
        self._library = (title, facts)
        if self.name.property("library"):
            self.show_rows([])

    def show_rows(self, rows: Sequence[FileRow]) -> None:
        """Show one file, or say how many are chosen."""
        one = rows[0] if len(rows) == 1 else None
        another = one is None or self._row is None or one.path != self._row.path
        self._row = one
        self.name.setProperty("library", not rows)
        self.name.setText(self._title(rows))
        self.place.setText(from_home(str(Path(one.path).parent)) if one else "")
        self.place.setToolTip(one.path if one else "")
        self.place.setVisible(one is not None)
        why = (failures.row_reason(one) or names.row_help(one)) if one else ""
        advice = failures.step(one.code, one.detail) if one else ""
        for label, text in ((self.why, why), (self.advice, advice)):
            label.setText(text)
            label.setVisible(bool(text))
        self.facts.show_facts(self._library[1] if not rows else [])
        locked = one is not None and one.state is FileState.NEEDS_PASSWORD
        if another:
            self.password.say("")
            self.correction.hide()
        if locked and (another or not self.password.isVisibleTo(self)):
            self.password.prepare()
        self.password.setVisible(locked)
        self.buttons.setVisible(bool(rows))
        self.correct.setVisible(one is not None and one.state in SEARCHABLE_STATES)
        ready = all(row.state is FileState.INDEXED for row in rows)
        for action, button in self._actions.items():
            button.setVisible(action.isEnabled() and not (ready and action is self._retry))
        readable = one is not None and one.state in SEARCHABLE_STATES and has_pages(one.file)
        self.page.show_document(self._source(one) if one is not None and readable else None)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.page.close_child()

    def _source(self, row: FileRow, password: str | None = None) -> DocumentSource:
        known = password or self._passwords.remembered_password(row.path)
        return DocumentSource(Path(row.path), password=known)

    def _title(self, rows: Sequence[FileRow]) -> str:
        if not rows:
            return self._library[0]
        if len(rows) == 1:
            return rows[0].file.rpartition("/")[2]
        size = amounts.size(sum(row.size for row in rows))
        return self.tr("%Ln file(s) chosen, {size}", "", len(rows)).format(size=size)

    def _try_password(self, password: str, keep: bool) -> None:
        """Try the password here, which takes a moment; the engine reads the document later."""
        row = self._row
        if row is None:
            return

        def done(error: LecternError | None) -> None:
            if self._row is None or row.path != self._row.path:
                return
            if error is not None and error.code in {"needs_password", "wrong_password"}:
                self.password.say(
                    self.tr("Wrong password. Try again; passwords are case-sensitive.")
                )
                self.password.field.selectAll()
                self.password.field.setFocus()
            else:
                self.password.say(self.tr("The document is unlocked and will be read."))
                self.unlocked.emit(password, keep)

        self.page.try_password(self._source(row, password), done)


DETAILS_PX = PAGE_PX + 2 * XL
