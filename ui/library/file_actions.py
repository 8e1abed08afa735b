"""The actions on files of the list: retry, unlock, leave out, open, copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence

from indexer.api.requests import (
    CorrectDocument,
    GetDocument,
    Index,
    Remove,
    Retry,
    SetPatterns,
    Unlock,
)
from indexer.api.types import SEARCHABLE_STATES, FileRow, FileState
from ui import desktop, keys
from ui.library.cards import pattern_for
from ui.passwords import Passwords, note_kept
from ui.ports import Context, Notice
from ui.requests import Questions
from ui.theme import icon
from ui.words import amounts, failures

if TYPE_CHECKING:
    from indexer.api.answers import Document
    from indexer.api.errors import LecternError


# States in which a retry changes nothing.
_NOT_RETRIED = frozenset({FileState.EXCLUDED, FileState.OFFLINE, FileState.QUEUED})
# The most documents opened at a time.
MOST_OPENED = 5


def cited_by(document: Document) -> tuple[str, str, str]:
    """Return the title, the author and the year of a document."""
    return document.title, document.author, document.created[:4]


class FileActions(QObject):
    """Acts on files. Signals: ``changed`` after an action; ``compare_requested`` with two paths."""

    changed = Signal()
    compare_requested = Signal(str, str)

    def __init__(self, context: Context, passwords: Passwords, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._passwords = passwords
        self._questions = Questions(context, self)
        self._rows: Sequence[FileRow] = ()
        self.retry = self._action(self.tr("&Retry"), "refresh", self._retry, "F5")
        self.open = self._action(self.tr("&Open"), "open", self._open, "Return")
        self.show_folder = self._action(
            self.tr("&Show in folder"), "folder-open", self._show_folder, "Ctrl+Return"
        )
        self.copy = self._action(
            self.tr("&Copy path"), "copy", self._copy, QKeySequence.StandardKey.Copy
        )
        self.compare = self._action(self.tr("Co&mpare"), "compare", self._compare, keys.COMPARE)
        self.exclude = self._action(self.tr("&Leave out"), "eye-off", self._exclude, "Delete")
        self.all = (self.retry, self.open, self.show_folder, self.copy, self.compare, self.exclude)
        self.apply_to([])

    def apply_to(self, rows: Sequence[FileRow]) -> None:
        """Set the files that the actions apply to."""
        self._rows = rows
        here = [row for row in rows if row.state is not FileState.OFFLINE]
        self.retry.setEnabled(any(row.state not in _NOT_RETRIED for row in rows))
        self.open.setEnabled(0 < len(here) <= MOST_OPENED)
        self.show_folder.setEnabled(len(here) == 1)
        self.copy.setEnabled(bool(rows))
        self.compare.setEnabled(
            len(rows) == 2 and all(row.state in SEARCHABLE_STATES for row in rows)
        )
        self.exclude.setEnabled(any(row.state is not FileState.EXCLUDED for row in rows))

    def unlock(self, row: FileRow, password: str, *, keep: bool) -> None:
        """Unlock a document; ``keep`` also puts the password into the keyring."""
        self._passwords.remember_password(row.path, password)
        if keep:
            note_kept(self._context.folder, row.path)
            self._passwords.keep_in_keyring(row.path, password, partial(self._kept, row))
        self._questions.send_lasting(Unlock(Path(row.path), password), self._emit_changed)

    def ask_document(self, row: FileRow, done: Callable[[Document], None]) -> None:
        """Ask the engine for the document of a file, and call ``done`` with it."""
        self._questions.ask_engine(GetDocument(Path(row.path)), done)

    def correct_document(self, before: Document, title: str, author: str, year: str) -> None:
        """Correct the title, the author and the year of a document; this can be undone."""

        def corrected(_document: Document) -> None:
            text = self.tr("{file} is corrected.").format(file=Path(before.path).name)
            undo = partial(self._correct, before.path, *cited_by(before), self._emit_changed)
            self._context.notices.post(Notice(text, undo=undo))
            self.changed.emit()

        self._correct(before.path, title, author, year, corrected)

    def _correct(
        self, path: str, title: str, author: str, year: str, done: Callable[[Document], None]
    ) -> None:
        self._questions.send_lasting(CorrectDocument(Path(path), title, author, year), done)

    def _action(
        self, text: str, drawing: str, act: Callable[[], None], key: str | QKeySequence.StandardKey
    ) -> QAction:
        action = QAction(icon(drawing), text, self)
        action.setData(drawing)
        sequence = QKeySequence(key)
        action.setShortcut(sequence)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        plain = text.replace("&", "")
        shown = sequence.toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(self.tr("{what} ({key})").format(what=plain, key=shown))
        action.triggered.connect(act)
        return action

    def _retry(self) -> None:
        paths = tuple(Path(row.path) for row in self._rows if row.state not in _NOT_RETRIED)
        if paths:
            self._questions.ask_engine(Retry(paths), self._retried)

    def _compare(self) -> None:
        first, second = self._rows
        self.compare_requested.emit(first.path, second.path)

    def _retried(self, number: int) -> None:
        self._context.notices.post(Notice(amounts.retried(number)))
        self.changed.emit()

    def _kept(self, row: FileRow, kept: bool) -> None:
        if not kept:
            text = self.tr("The keyring refused the password of {file}.")
            self._context.notices.post(Notice(text.format(file=row.file)))

    def _open(self) -> None:
        for row in self._rows[:MOST_OPENED]:
            desktop.open_path(row.path, self._context.notices)

    def _show_folder(self) -> None:
        for row in self._rows[:1]:
            desktop.show_in_folder(row.path, self._context.notices)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(row.path for row in self._rows))
        self._context.notices.post(
            Notice(self.tr("%Ln path(s) copied.", "", len(self._rows)), seconds=3.0)
        )

    # -- leaving out --------------------------------------------------------------------------

    def _exclude(self) -> None:
        by_root: dict[str, list[FileRow]] = {}
        for row in self._rows:
            if row.state is not FileState.EXCLUDED:
                by_root.setdefault(row.root, []).append(row)
        for root, rows in by_root.items():
            done = partial(self._add_patterns, root, rows)
            failed = partial(self._not_a_folder, rows)
            self._questions.ask_engine(SetPatterns(Path(root)), done, failed=failed, slot=root)

    def _add_patterns(self, root: str, rows: list[FileRow], before: tuple[str, ...]) -> None:
        added = [pattern_for(row.file) for row in rows]
        after = (*before, *(pattern for pattern in added if pattern not in before))
        self.set_patterns(root, after)
        text, undo = self.tr("%Ln file(s) left out.", "", len(rows)), (root, before)
        self._context.notices.post(Notice(text, undo=partial(self.set_patterns, *undo)))

    def set_patterns(self, root: str, patterns: tuple[str, ...]) -> None:
        """Set the patterns of a folder, and scan it."""
        request = SetPatterns(Path(root), patterns)
        self._questions.send_lasting(request, partial(self._rescan, root))

    def _rescan(self, root: str, _patterns: object) -> None:
        self._questions.send_lasting(Index((Path(root),), kept=True), self._emit_changed)
        self.changed.emit()

    def _emit_changed(self, _answer: object) -> None:
        self.changed.emit()

    def _not_a_folder(self, rows: list[FileRow], error: LecternError) -> None:
        """Remove files that were added singly, since no folder's patterns apply to them."""
        if error.code != "not_a_root":
            self._context.notices.post(Notice(failures.failure(error)))
            return
        paths = tuple(Path(row.path) for row in rows)
        self._questions.send_lasting(Remove(paths), self._emit_changed)
