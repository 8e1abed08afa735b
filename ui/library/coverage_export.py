"""The list of files as comma-separated values, asked for in pages and written at once."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from ui.file_worker import FileWorker
from ui.library.questions import Questions
from ui.words import failures, names

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.answers import FileList
    from indexer.api.errors import LecternError
    from indexer.api.types import FileRow
    from ui.library.coverage_model import FileFilter
    from ui.ports import Context

PAGE = 2000
HEADINGS = ("path", "state", "reason", "size", "modified", "pages", "pages not read")


class CoverageExport(QObject):
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
        self._text = io.StringIO()
        self._text.write("\ufeff")  # spreadsheets detect UTF-8 by a byte order mark
        self._table = csv.writer(self._text)
        self._table.writerow(HEADINGS)

    def request_files(self) -> None:
        """Ask for the next files, until there are no more."""
        request = self._filter.request(self._done, PAGE)
        self._questions.ask(request, self._handle_files, failed=self._failed)

    def _handle_files(self, listed: FileList) -> None:
        self._done += len(listed.files)
        self._table.writerows(map(_cells, listed.files))
        if listed.files:
            self.request_files()
        else:
            work = partial(write_file, self._target, self._text.getvalue())
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
    )
