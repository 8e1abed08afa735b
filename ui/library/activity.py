"""The activity page: current work, throughput and device, and controls of the speed.

Owns the panel and its polling: often while something happens and someone looks, never while it is
hidden. It must not know how the numbers are made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from indexer.api.errors import WorldError
from indexer.api.requests import GetActivity, SetPace
from indexer.api.status import Speed
from ui.elided import ElidedLabel
from ui.icons import icon
from ui.library.activity_words import Smooth, facts, headline
from ui.library.buttons import IconButton
from ui.library.change_line import ChangeLine
from ui.library.column_page import ColumnPage
from ui.library.facts import Facts
from ui.library.questions import Questions, ignore
from ui.library.speed_choice import SpeedChoice
from ui.theme import L, M
from ui.timers import timer
from ui.words import states

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from indexer.api.progress import Progress
    from indexer.api.status import Activity
    from ui.ports import Context

BUSY_MS = 500
IDLE_MS = 2000
STEPS = 1000  # of the bar


class ActivityPanel(ColumnPage):
    """Signals: ``files_requested`` with the state whose files are to be shown."""

    files_requested = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._smooth = Smooth()
        self._activity: Activity | None = None
        self.setAccessibleName(self.tr("Activity"))
        self._make_parts()
        self._arrange()
        self.timer = timer(self, 0, self.refresh)
        context.link.connected.connect(self.refresh)
        context.link.disconnected.connect(self._lost)
        self._show()

    def refresh(self) -> None:
        """Ask now, and again after a while as long as someone looks."""
        self.timer.stop()
        if not self.isVisible():
            return
        if self._context.link.is_connected:
            self._questions.ask(GetActivity(), self._handle_activity, failed=ignore)
        self.timer.start(BUSY_MS if self._runs else IDLE_MS)

    def _make_parts(self) -> None:
        self.headline = QLabel()
        self.headline.setTextFormat(Qt.TextFormat.PlainText)
        self.headline.setWordWrap(True)
        self.add_title(self.headline)
        self.reason = QLabel()
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Share of the work that is done"))
        self.current = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self._change = ChangeLine()
        self.facts = Facts()
        self.pause = IconButton(self.tr("&Pause"), "pause")
        self.pause.clicked.connect(self._toggle_pause)
        self.speed = SpeedChoice()
        self.speed.chosen.connect(self._choose_speed)
        self._aside = QLabel()
        self._aside.setWordWrap(True)
        self.show_aside = IconButton(self.tr("&Show them"), "warning")
        self.show_aside.clicked.connect(self._want_set_aside)

    def _arrange(self) -> None:
        held = QWidget()
        # In a row: a column that is only aligned is as high as if it had all the width.
        row = QHBoxLayout()
        row.addWidget(held)
        row.addStretch(1)
        column = QVBoxLayout(held)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        for part in (self.headline, self.reason, self.bar, self.current, self._change):
            column.addWidget(part)
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
        outer = self.hold(held)
        outer.addLayout(row)
        outer.addStretch(1)
        self.setFocusProxy(self.pause)

    def style_fonts(self) -> None:
        super().style_fonts()
        # Figures of one width, so that nothing moves while they change.
        even = QFont(self.font())
        even.setFeature(QFont.Tag("tnum"), 1)
        self.facts.setFont(even)

    # -- events ---------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.timer.stop()
        self._questions.cancel(GetActivity.wire_name)

    def _lost(self) -> None:
        self._activity = None
        self._show()

    # -- what is shown --------------------------------------------------------------------------

    @property
    def _runs(self) -> bool:
        return self._activity is not None and self._activity.running is not None

    def _handle_activity(self, activity: Activity) -> None:
        ran, self._activity = self._runs, activity
        self._show()
        if self._runs and not ran and self.isVisible():
            self.timer.start(BUSY_MS)

    def _show(self) -> None:
        activity = self._activity
        known = activity is not None
        # Until the first answer of an engine that is there, nothing is known.
        asked = self._context.link.is_connected and not known
        _set(self.headline, "" if asked else headline(activity))
        paused = activity is not None and activity.paused
        reason = states.pause(activity.reason) if activity is not None else ""
        _set(self.reason, "" if paused else reason)
        self.reason.setVisible(bool(self.reason.text()))
        running = activity.running if activity is not None else None
        self._show_progress(running.progress if running is not None else None)
        self._change.show_state(activity)
        self.facts.show_facts(facts(activity, self._smooth) if activity is not None else [])
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
        _set(
            self._aside,
            self.tr(
                "%Ln document(s) were set aside, because reading them failed badly.", "", aside
            ),
        )

    def _show_progress(self, progress: Progress | None) -> None:
        self.bar.setVisible(progress is not None)
        self.current.setVisible(progress is not None)
        if progress is not None:
            # The total is unknown during the scan.
            self.bar.setRange(0, STEPS if progress.files_total else 0)
            self.bar.setValue(round(STEPS * progress.share))
            self.current.setText(progress.current)

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
        # An answer from before would put the buttons back for a moment.
        self._questions.cancel(GetActivity.wire_name)
        self._questions.ask(request, self._handle_activity)

    def _want_set_aside(self) -> None:
        self.files_requested.emit("failed")


def _set(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
