"""The coverage as a file of comma-separated values.

Owns the export: the files are asked for in pages and written by a worker, so that a hundred
thousand of them hold up nothing. The old file stays until the new one is complete.
"""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal

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
    _written = Signal(int, str)

    def __init__(
        self, context: Context, file_filter: FileFilter, target: Path, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._filter = file_filter
        self._target = target
        self._part = target.with_name(f"{target.name}.part")
        self._done = 0
        self._written.connect(self._next, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        heading = _line(HEADINGS)
        self._write(0, heading, begin=True, last=False)

    def _next(self, count: int, failure: str) -> None:
        """Ask for the next page, or finish."""
        self._done += max(0, count)
        if failure:
            QThreadPool.globalInstance().start(partial(_remove, self._part))
            self._finish(self.tr("The list could not be saved: {reason}.").format(reason=failure))
        elif count < 0:
            text = self.tr("%Ln file(s) listed in {name}.", "", self._done)
            self._finish(text.format(name=self._target.name))
        else:
            self._ask()

    def _ask(self) -> None:
        request = self._filter.request(self._done, PAGE)
        self._questions.ask(request, self._handle_files, failed=self._failed)

    def _handle_files(self, listed: FileList) -> None:
        rows = listed.files
        text = "".join(_line(_cells(row)) for row in rows)
        self._write(len(rows), text, begin=False, last=not rows)

    def _failed(self, error: LecternError) -> None:
        self._next(0, failures.sentence(error.code, error.detail).rstrip("."))

    def _write(self, count: int, text: str, *, begin: bool, last: bool) -> None:
        """Write on a worker thread, which emits ``_written``, with a count of -1 at the end."""
        part, target, written = self._part, self._target, self._written

        def work() -> None:
            failure = ""
            try:
                if last:
                    part.replace(target)
                else:
                    _append(part, text, begin=begin)
            except OSError as error:
                failure = error.strerror or type(error).__name__
            with suppress(RuntimeError):  # the window has closed meanwhile
                written.emit(-1 if last else count, failure)

        QThreadPool.globalInstance().start(work)

    def _finish(self, message: str) -> None:
        self.finished.emit(message)
        self.deleteLater()


def _append(part: Path, text: str, *, begin: bool) -> None:
    # Spreadsheets detect UTF-8 by a byte order mark.
    encoding = "utf-8-sig" if begin else "utf-8"
    with part.open("w" if begin else "a", encoding=encoding, errors="replace", newline="") as file:
        file.write(text)


def _remove(part: Path) -> None:
    with suppress(OSError):
        part.unlink()


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


def _line(cells: tuple[str, ...]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()
