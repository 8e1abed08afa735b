"""The activity page: the current work, its results, and what the library holds.

It gets the activity from the window's feed, and asks for the status while it is visible and the
library changes.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, ListFiles, Order, SetPace
from indexer.api.status import Speed
from indexer.api.types import SEARCHABLE_STATES, FileState
from ui.desktop import open_path
from ui.library.coverage_model import has_pages
from ui.library.current_work import CurrentWork, holdings, still_queued
from ui.library.page_parts import ColumnPage, StateBar, TonesBar
from ui.ports import ignore
from ui.requests import Questions
from ui.search.labels import DocumentLink, Link
from ui.search.safe_text import line
from ui.theme import XL, L, M, S
from ui.widgets import ElidedLabel, Facts, filled, plain_label, timer
from ui.words import amounts
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent

    from indexer.api.answers import FileList
    from indexer.api.status import Activity, RootStatus, Status
    from indexer.api.types import FileRow
    from ui.ports import Context

# Milliseconds between requests for the status, which counts every file.
STATUS_MS = 2000
# The least width of each half, in widths of a letter.
_HALF = 70


class ActivityPanel(ColumnPage):
    """The current work and its results at the left, the folders and files at the right.

    Where there is no room, all are below each other.

    Signals:
        files_requested: The state whose files are to be shown.
        folder_requested: The path of a folder whose files are to be shown.
        document_requested: The path of a file to search in.
    """

    files_requested = Signal(str)
    folder_requested = Signal(str)
    document_requested = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._activity: Activity | None = None
        self._counts: Mapping[str, int] = {}
        self._folders = True  # whether the library has any
        self.setAccessibleName(self.tr("Activity"))
        self._make_parts()
        self._arrange()
        self._asked_for = -1  # ``Activity.changes`` when the status was last asked for
        self.timer = timer(self, STATUS_MS, self._ask_status)
        self._show()

    def show_activity(self, activity: Activity | None) -> None:
        """Show the engine's activity; None while there is no engine."""
        self._activity = activity
        self._show()
        if self.isVisible() and not self.timer.isActive():
            self._ask_status()

    def _show(self) -> None:
        activity = self._activity
        asked = self._context.link.is_connected and activity is None
        self.work.show_activity(activity, self._counts, asked=asked, folders=self._folders)
        # Files read since they were counted come from the progress.
        running = activity.running if activity is not None else None
        progress = running.progress if running is not None else None
        self.states.show_counts(still_queued(self._counts, progress))

    def _ask_status(self) -> None:
        """Ask for the status, if the library has changed since."""
        activity = self._activity
        if activity is None or not self.isVisible() or activity.changes == self._asked_for:
            return
        self._asked_for = activity.changes
        self._questions.ask_engine(GetStatus(), self._show_status, failed=ignore)
        last = ListFiles(order=Order.READ, limit=MOST_READ)
        self._questions.ask_engine(last, self._show_last, failed=ignore)
        self.timer.start()

    def _show_status(self, status: Status) -> None:
        self._counts = status.files
        self._folders = bool(status.roots)
        self._show()
        self.folders.show_roots(status.roots)
        self.holdings.show_facts(holdings(status))
        for part in self._of_status:
            part.setVisible(self._folders)
        self._fit_last()

    def _show_last(self, found: FileList) -> None:
        files = [row for row in found.files if row.state in SEARCHABLE_STATES]
        self.last.show_files(files)
        self._last_title.setVisible(bool(files))
        self.last.setVisible(bool(files))
        self._fit_last()

    def _fit_last(self) -> None:
        """Let the files that were read last fill the page."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        if page is None or layout is None:
            return
        layout.activate()
        top = self.last.mapTo(page, QPoint(0, 0)).y()
        below = self.viewport().height() - top - XL
        self.last.fit(below, 2 if self._is_wide(self.last.width()) else 1)

    # -- arrangement ----------------------------------------------------------------------------

    def _make_parts(self) -> None:
        self.work = CurrentWork()
        self.add_title(self.work.headline)
        self.work.pause_toggled.connect(self._toggle_pause)
        self.work.speed_chosen.connect(self._choose_speed)
        self.work.aside_requested.connect(self._want_set_aside)
        self._states_title = self._heading(self.tr("What was read"))
        self.states = StateBar()
        self.states.chosen.connect(self.files_requested)
        self._folders_title = self._heading(self.tr("Folders"))
        self.folders = FolderShares()
        self.folders.chosen.connect(self.folder_requested)
        self._holdings_title = self._heading(self.tr("In the library"))
        self.holdings = Facts()
        self._last_title = self._heading(self.tr("Read last"))
        self.last = LastRead()
        self.last.chosen.connect(self.document_requested)

    def _heading(self, text: str) -> QLabel:
        return self.add_heading(plain_label(text))

    def _arrange(self) -> None:
        held = QWidget()
        # In a row, because a merely aligned widget gets the height for the full width.
        row = QHBoxLayout()
        row.addWidget(held)
        row.addStretch(1)
        self._halves = QBoxLayout(QBoxLayout.Direction.TopToBottom, held)
        self._halves.setContentsMargins(0, 0, 0, 0)
        column, beside = QVBoxLayout(), QVBoxLayout()
        for half in (column, beside):
            half.setSpacing(M)
            self._halves.addLayout(half, 1)
        column.addWidget(self.work)
        column.addSpacing(L)
        sections: tuple[tuple[QVBoxLayout, QLabel, QWidget], ...] = (
            (column, self._states_title, self.states),
            (column, self._holdings_title, self.holdings),
            (beside, self._folders_title, self.folders),
            (beside, self._last_title, self.last),
        )
        for place, title, shown in sections:
            for part in (title, shown):
                place.addWidget(part)
                part.hide()
            place.addSpacing(L)
        self._of_status = [part for _, *parts in sections[:-1] for part in parts]
        for half in (column, beside):
            half.addStretch(1)  # takes the room that is left
        outer = self.hold(held)
        outer.addLayout(row)
        outer.addStretch(1)
        self.setFocusProxy(self.work)

    def column_width(self, room: int) -> int:
        wide = self._is_wide(room)
        direction = QBoxLayout.Direction
        self._halves.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._halves.setSpacing(2 * XL if wide else 0)  # below each other they keep their own
        return room if wide else super().column_width(room)

    def _is_wide(self, room: int) -> bool:
        """Return whether two halves fit into a width beside each other."""
        return room >= 2 * _HALF * self.fontMetrics().averageCharWidth() + 2 * XL

    def style_fonts(self) -> None:
        super().style_fonts()
        self.work.style_fonts()

    # -- events ---------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask_status()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_last()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.timer.stop()
        self._asked_for = -1
        self._questions.cancel(GetStatus.wire_name)
        self._questions.cancel(ListFiles.wire_name)

    # -- actions --------------------------------------------------------------------------------

    def _toggle_pause(self) -> None:
        self._pace(SetPace(paused=self._activity is None or not self._activity.paused))

    def _choose_speed(self, speed: str) -> None:
        try:
            self._context.settings.set("speed", speed)
        except WorldError as error:
            self._questions.report(error)
        self._pace(SetPace(Speed(speed)))

    def _pace(self, request: SetPace) -> None:
        self._questions.ask_engine(request, self.show_activity)

    def _want_set_aside(self) -> None:
        self.files_requested.emit(FileState.FAILED)


_SHOWN = 8


class FolderShares(QWidget):
    """The largest folders with their progress. Signals: ``chosen`` with the path of a folder."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[Link, TonesBar, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(S)
        for column, stretch in enumerate((3, 2, 0)):
            self._grid.setColumnStretch(column, stretch)

    def show_roots(self, roots: Sequence[RootStatus]) -> None:
        largest = sorted(roots, key=lambda root: -root.files)[:_SHOWN]
        while len(self._rows) < len(largest):
            self._add()
        for number, row in enumerate(self._rows):
            for part in row:
                part.setVisible(number < len(largest))
        for (name, bar, amount), root in zip(self._rows, largest, strict=False):
            name.target = root.path
            name.setText(line(from_home(root.path)))
            name.setAccessibleName(name.text())
            name.setToolTip(line(root.path))
            counts = root.states
            found = sum(counts.get(state, 0) for state in SEARCHABLE_STATES)
            # Without those that cannot be read: the bar is full when nothing waits.
            total = max(found + counts.get(FileState.QUEUED, 0), 1)
            waiting = counts.get(FileState.TEXT_ONLY, 0)
            bar.show_shares(found / total, (found - waiting) / total)
            text = self.tr("{files}, {size}")
            amount.setText(
                text.format(files=amounts.files(root.files), size=amounts.size(root.bytes))
            )
            bar.setAccessibleName(f"{root.path}, {amount.text()}")

    def _add(self) -> None:
        name, bar, amount = Link("", ""), TonesBar(), plain_label()
        name.elide = Qt.TextElideMode.ElideMiddle
        name.followed.connect(self.chosen)
        name.add_to_menu(self.tr("Show files"), name.click)
        name.add_to_menu(self.tr("Open folder"), lambda: open_path(name.target))
        copy = QGuiApplication.clipboard().setText
        name.add_to_menu(self.tr("Copy path"), lambda: copy(name.target))
        bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for column, part in enumerate((name, bar, amount)):
            self._grid.addWidget(part, len(self._rows), column)
        self._rows.append((name, bar, amount))


# At least so many are shown, and at most.
LEAST_READ, MOST_READ = 8, 100


class LastRead(QWidget):
    """The files that were read last. Signals: ``chosen`` with the path of a file."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: Sequence[FileRow] = ()
        self._shown: tuple[Sequence[FileRow], int] = ((), 1)  # and the number of columns
        self._room, self._columns = LEAST_READ, 1
        self._row = filled(QHBoxLayout(self), spacing=2 * XL)

    def fit(self, height: int, columns: int) -> None:
        """Show as many files as fit into a height in some columns, at least ``LEAST_READ``."""
        row = 2 * self.fontMetrics().height() + 2 * S + M  # a link, a line below it
        self._room, self._columns = (
            max(LEAST_READ, min(columns * (height // row), MOST_READ)),
            columns,
        )
        self.show_files(self._files)

    def show_files(self, files: Sequence[FileRow]) -> None:
        """Show files, the one read last first, as many as have room."""
        self._files = files
        shown = tuple(files[: self._room])
        if (shown, self._columns) == self._shown:
            return
        self._shown = shown, self._columns
        while (item := self._row.takeAt(0)) is not None:
            column = item.widget()
            if column is not None:
                column.hide()
                column.deleteLater()
        high = -(-len(shown) // self._columns)
        for number in range(self._columns):
            self._row.addWidget(self._column(shown[number * high : (number + 1) * high]), 1)

    def _column(self, files: Sequence[FileRow]) -> QWidget:
        held = QWidget()
        column = filled(QVBoxLayout(held), spacing=0)
        for file in files:
            link = DocumentLink(file.path, file.path)
            link.followed.connect(self.chosen)
            about = ElidedLabel(Qt.TextElideMode.ElideMiddle, QPalette.ColorRole.PlaceholderText)
            about.setText(_file_line(file))
            column.addWidget(link)
            column.addWidget(about)
            column.addSpacing(M)
        column.addStretch(1)
        return held


def _file_line(file: FileRow) -> str:
    """The amount of a file, and where it is."""
    pages = amounts.pages(file.pages) if file.pages and has_pages(file.file) else ""
    folder = from_home(line(str(PurePath(file.path).parent)))
    return " · ".join(filter(None, (pages, amounts.size(file.size), folder)))
