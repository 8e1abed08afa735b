"""The actions on files of the list: retry, unlock, leave out, open, copy, export."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence

from indexer.api.private_files import write_file
from indexer.api.requests import Index, Remove, Retry, SetPatterns, Unlock
from indexer.api.types import SEARCHABLE_STATES, FileState
from ui import desktop, keys
from ui.export import table_text
from ui.file_worker import FileWorker
from ui.library.cards import pattern_for
from ui.passwords import note_kept
from ui.ports import Notice
from ui.requests import Questions
from ui.theme import icon
from ui.words import failures, names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.answers import FileList
    from indexer.api.errors import LecternError
    from indexer.api.types import FileRow
    from ui.library.file_model import FileFilter
    from ui.passwords import Passwords
    from ui.ports import Context


PAGE = 2000
HEADINGS = (
    "path", "state", "reason", "size", "modified", "pages", "pages not read", "title", "author",
)  # fmt: skip


class FileListExport(QObject):
    """Writes one file; deleted when it is done.

    Signals:
        finished: With a sentence on the outcome.
    """

    finished = Signal(str)

    def __init__(
        self, context: Context, file_filter: FileFilter, target: Path, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._worker = FileWorker(self)
        self._filter = file_filter
        self._target = target
        self._done = 0
        self._parts = ["\ufeff", table_text([HEADINGS])]  # spreadsheets detect UTF-8 by the mark

    def request_files(self) -> None:
        """Ask for the next files, until there are no more."""
        request = self._filter.request(self._done, PAGE)
        self._questions.ask_engine(request, self._handle_files, failed=self._failed)

    def _handle_files(self, listed: FileList) -> None:
        self._done += len(listed.files)
        self._parts.append(table_text(map(_cells, listed.files)))
        if listed.files:
            self.request_files()
        else:
            work = partial(write_file, self._target, "".join(self._parts))
            self._worker.run(work, self._written)

    def _failed(self, error: LecternError) -> None:
        self._finish_badly(failures.sentence(error.code, error.detail).rstrip("."))

    def _written(self, _result: object, error: OSError | None) -> None:
        if error is not None:
            self._finish_badly(error.strerror or type(error).__name__)
        else:
            text = self.tr("%Ln file(s) listed in {name}.", "", self._done)
            self._finish(text.format(name=self._target.name))

    def _finish_badly(self, reason: str) -> None:
        self._finish(self.tr("The list could not be saved: {reason}.").format(reason=reason))

    def _finish(self, message: str) -> None:
        self.finished.emit(message)
        self.deleteLater()


def _cells(row: FileRow) -> tuple[str, ...]:
    when = datetime.fromtimestamp(row.mtime_ns / 1e9, tz=UTC) if row.mtime_ns else None
    return (
        row.path,
        names.state(row.state),
        failures.sentence(row.code, row.detail),
        str(row.size),
        when.isoformat(timespec="seconds") if when else "",
        str(row.pages or ""),
        " ".join(map(str, row.bad_pages)),
        row.title,
        row.author,
    )


# States in which a retry changes nothing.
_NOT_RETRIED = frozenset({FileState.EXCLUDED, FileState.OFFLINE, FileState.QUEUED})
# The most documents opened at a time.
MOST_OPENED = 5


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

    def _action(
        self,
        text: str,
        drawing: str,
        act: Callable[[], None],
        key: str | QKeySequence.StandardKey,
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
        self._context.notices.post(
            Notice(
                self.tr("%Ln file(s) will be read again.", "", number)
                if number
                else self.tr("There is nothing to read again.")
            )
        )
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
            desktop.show_in_folder(row.path)

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
        self._context.notices.post(
            Notice(
                self.tr("%Ln file(s) left out.", "", len(rows)),
                undo=partial(self.set_patterns, root, before),
            )
        )

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
        """Remove files that were added by themselves, since they have no folder with patterns."""
        if error.code != "not_a_root":
            self._context.notices.post(Notice(failures.failure(error)))
            return
        paths = tuple(Path(row.path) for row in rows)
        self._questions.send_lasting(Remove(paths), self._emit_changed)
