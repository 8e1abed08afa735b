"""The activity page: current work, throughput and device, and the choice of the speed.

It gets the activity from the window's feed, and asks for the status while it is visible and the
library changes. It must not know how numbers are computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, ListFiles, Order, SetPace
from indexer.api.status import Speed
from indexer.api.types import SEARCHABLE_STATES, FileState
from ui.elided import ElidedLabel
from ui.icons import icon
from ui.labels import plain_label, wrapped_label
from ui.library.activity_words import Smooth, facts, headline, still_queued
from ui.library.buttons import IconButton
from ui.library.change_line import ChangeLine
from ui.library.column_page import ColumnPage
from ui.library.facts import Facts
from ui.library.folder_shares import FolderShares
from ui.library.last_read import MOST, LastRead
from ui.library.questions import Questions
from ui.library.speed_choice import SpeedChoice
from ui.library.tones import Legend, StateBar, TonesBar
from ui.ports import ignore
from ui.theme import XL, L, M
from ui.timers import timer
from ui.words import states
from ui.words.paths import from_home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent

    from indexer.api.answers import FileList
    from indexer.api.progress import Progress
    from indexer.api.status import Activity, Status
    from ui.ports import Context

# Milliseconds between requests for the status, which counts every file.
STATUS_MS = 2000
# The least width of each half, in widths of a letter.
_HALF = 70


class ActivityPanel(ColumnPage):
    """The current work at the left, what has become of it at the right, what was read last below.

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
        self._smooth = Smooth()
        self._activity: Activity | None = None
        self._counts: Mapping[str, int] = {}
        self._empty = False  # whether the library has no folders
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

    def _ask_status(self) -> None:
        """Ask for the status, if the library has changed since."""
        activity = self._activity
        if activity is None or not self.isVisible() or activity.changes == self._asked_for:
            return
        self._asked_for = activity.changes
        self._questions.ask(GetStatus(), self._show_status, failed=ignore)
        last = ListFiles(order=Order.READ, limit=MOST)
        self._questions.ask(last, self._show_last, failed=ignore)
        self.timer.start()

    def _show_status(self, status: Status) -> None:
        self._counts = status.files
        self._empty = not status.roots
        self._show()
        self.folders.show_roots(status.roots)
        for part in (self._states_title, self.states, self._folders_title, self.folders):
            part.setVisible(bool(status.roots))

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

    def _show_counts(self) -> None:
        """Show the states of files; those read since they were counted come from the progress."""
        running = self._activity.running if self._activity is not None else None
        progress = running.progress if running is not None else None
        self.states.show_counts(still_queued(self._counts, progress))

    def _make_parts(self) -> None:
        self.headline = wrapped_label()
        self.add_title(self.headline)
        self.reason = plain_label()
        self.bar = TonesBar()
        self.bar.setAccessibleName(self.tr("Share of the work that is done"))
        self.legend = Legend()
        self.current = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self._change = ChangeLine()
        self.facts = Facts()
        self.pause = IconButton(self.tr("&Pause"), "pause")
        self.pause.clicked.connect(self._toggle_pause)
        self.speed = SpeedChoice()
        self.speed.chosen.connect(self._choose_speed)
        self._states_title = self.add_heading(plain_label(self.tr("What was read")))
        self.states = StateBar()
        self.states.chosen.connect(self.files_requested)
        self._folders_title = self.add_heading(plain_label(self.tr("Folders")))
        self.folders = FolderShares()
        self.folders.chosen.connect(self.folder_requested)
        self._last_title = self.add_heading(plain_label(self.tr("Read last")))
        self.last = LastRead()
        self.last.chosen.connect(self.document_requested)
        self._aside = wrapped_label()
        self.show_aside = IconButton(self.tr("&Show them"), "warning")
        self.show_aside.clicked.connect(self._want_set_aside)

    def _arrange(self) -> None:
        held = QWidget()
        # In a row, because a merely aligned widget gets the height for the full width.
        row = QHBoxLayout()
        row.addWidget(held)
        row.addStretch(1)
        self._halves = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._halves.setSpacing(2 * XL)
        column, beside = QVBoxLayout(), QVBoxLayout()
        for half in (column, beside):
            half.setSpacing(M)
            self._halves.addLayout(half, 1)
        held_column = QVBoxLayout(held)
        held_column.setContentsMargins(0, 0, 0, 0)
        held_column.setSpacing(M)
        held_column.addLayout(self._halves)
        held_column.addSpacing(L)
        for part in (self.headline, self.reason, self.bar, self.legend, self.current, self._change):
            column.addWidget(part)
        for part in (self.reason, self.current):
            # Keeps its room while hidden, so that nothing moves.
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
        column.addSpacing(M)
        column.addWidget(self.facts)
        column.addSpacing(L)
        controls = QGridLayout()
        controls.setHorizontalSpacing(L)
        controls.setVerticalSpacing(L)
        top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading
        controls.addWidget(self.pause, 0, 0, top)
        controls.addWidget(self.speed, 0, 1)
        controls.addWidget(self.show_aside, 1, 0, top)
        controls.addWidget(self._aside, 1, 1)
        controls.setColumnStretch(1, 1)
        column.addLayout(controls)
        parts: tuple[tuple[QVBoxLayout, QLabel, QWidget], ...] = (
            (beside, self._states_title, self.states),
            (beside, self._folders_title, self.folders),
            (held_column, self._last_title, self.last),
        )
        for place, title, shown in parts:
            for each in (title, shown):
                place.addWidget(each)
                each.hide()
            place.addSpacing(L)
        for half in (column, beside):
            half.addStretch(1)  # takes the room that is left
        outer = self.hold(held)
        outer.addLayout(row)
        outer.addStretch(1)
        self.setFocusProxy(self.pause)

    def column_width(self, room: int) -> int:
        wide = self._is_wide(room)
        direction = QBoxLayout.Direction
        self._halves.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        return room if wide else super().column_width(room)

    def _is_wide(self, room: int) -> bool:
        """Return whether two halves fit into a width beside each other."""
        return room >= 2 * _HALF * self.fontMetrics().averageCharWidth() + 2 * XL

    def style_fonts(self) -> None:
        super().style_fonts()
        # Tabular digits, so that nothing moves while they change.
        even = QFont(self.font())
        even.setFeature(QFont.Tag("tnum"), 1)
        self.facts.setFont(even)
        self.pause.setMinimumHeight(self.speed.buttons[Speed.NORMAL].sizeHint().height())

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

    # -- what is shown --------------------------------------------------------------------------

    def _show(self) -> None:
        activity = self._activity
        known = activity is not None
        # An engine is connected but has not answered yet.
        asked = self._context.link.is_connected and not known
        paused = activity is not None and activity.paused
        reason = states.pause(activity.reason) if activity is not None else ""
        rests = activity is None or (activity.running is None and not activity.pending)
        empty = self._empty and rests and known and not paused
        if empty:
            self.headline.setText(self.tr("There is nothing in the library yet"))
            self.reason.setText(self.tr("Choose folders, and Lectern reads what is in them."))
        else:
            self.headline.setText("" if asked else headline(activity))
            self.reason.setText("" if paused or rests else reason)
        self.reason.setVisible(bool(self.reason.text()))
        running = activity.running if activity is not None else None
        self._show_progress(activity, running.progress if running is not None else None)
        self._show_counts()
        self._change.show_state(activity)
        for part in (self.bar, self.legend):
            part.setVisible(known and not empty)
        told = None if empty else activity
        self.facts.show_facts(facts(told, self._smooth) if told is not None else [])
        self.pause.setEnabled(known)
        self.pause.setText(self.tr("&Go on") if paused else self.tr("&Pause"))
        self.pause.setAccessibleName(
            self.tr("Go on reading") if paused else self.tr("Pause reading")
        )
        self.pause.setIcon(icon("play" if paused else "pause"))
        self.speed.setEnabled(known)
        self.speed.show_speed(activity.speed if activity is not None else Speed.NORMAL)
        aside = activity.set_aside if activity is not None else 0
        self._aside.setVisible(aside > 0)
        self.show_aside.setVisible(aside > 0)
        self._aside.setText(
            self.tr("%Ln document(s) were set aside, because reading them failed badly.", "", aside)
        )

    def _show_progress(self, activity: Activity | None, progress: Progress | None) -> None:
        self.current.setVisible(progress is not None)
        self.current.setText(from_home(progress.current) if progress is not None else "")
        if progress is not None and progress.files_total:
            read = min(progress.files_done / progress.files_total, 1.0)
            # Until passages are counted, the share is that of the files read.
            self.bar.show_shares(read, progress.share if progress.passages else 0.0)
        elif activity is not None:  # at rest, or in the scan, which does not know its work
            there = sum(self._counts.get(state, 0) for state in SEARCHABLE_STATES)
            read = there / (there + activity.pending) if activity.pending else 1.0
            self.bar.show_shares(read, read * activity.embedded_share)

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
        self._questions.ask(request, self.show_activity)

    def _want_set_aside(self) -> None:
        self.files_requested.emit(FileState.FAILED)
