"""What the engine does now: progress, throughput and device, and the choice of the speed.

Owns how an activity is shown. It must not know the engine: it emits what was chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from indexer.api.status import Speed
from indexer.api.types import SEARCHABLE_STATES
from ui.icons import icon
from ui.library.activity_words import Smooth, facts, headline
from ui.library.change_line import ChangeLine
from ui.library.speed_choice import SpeedChoice
from ui.library.tones import Legend, TonesBar
from ui.theme import L, M
from ui.widgets import ElidedLabel, Facts, IconButton, plain_label, wrapped_label
from ui.words import names
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.api.progress import Progress
    from indexer.api.status import Activity


class CurrentWork(QWidget):
    """Nothing in it moves while the engine works.

    Signals:
        pause_toggled: Pause, or go on.
        speed_chosen: A speed.
        aside_requested: The documents that were set aside are to be shown.
    """

    pause_toggled = Signal()
    speed_chosen = Signal(str)
    aside_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._smooth = Smooth()
        self.headline = wrapped_label()
        self.reason = plain_label()
        self.bar = TonesBar()
        self.bar.setAccessibleName(self.tr("Share of the work that is done"))
        self.legend = Legend()
        self.current = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self._change = ChangeLine()
        self.facts = Facts()
        self.pause = IconButton(self.tr("&Pause"), "pause")
        self.pause.clicked.connect(self.pause_toggled)
        self.speed = SpeedChoice()
        self.speed.chosen.connect(self.speed_chosen)
        self._aside = wrapped_label()
        self.show_aside = IconButton(self.tr("&Show them"), "warning")
        self.show_aside.clicked.connect(self.aside_requested)
        self._arrange()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
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
        self.setFocusProxy(self.pause)

    def style_fonts(self) -> None:
        """Follow the font of the page."""
        # Tabular digits, so that nothing moves while they change.
        even = QFont(self.font())
        even.setFeature(QFont.Tag("tnum"), 1)
        self.facts.setFont(even)
        self.pause.setMinimumHeight(self.speed.buttons[Speed.NORMAL].sizeHint().height())

    def show_activity(
        self,
        activity: Activity | None,
        counts: Mapping[str, int],
        *,
        asked: bool = False,
        folders: bool = True,
    ) -> None:
        """Show an activity.

        Args:
            activity: None while there is none.
            counts: The number of files in each state.
            asked: Whether an engine is connected that has not answered yet.
            folders: Whether the library has any.
        """
        known = activity is not None
        paused = activity is not None and activity.paused
        reason = names.pause(activity.reason) if activity is not None else ""
        rests = activity is None or (activity.running is None and not activity.pending)
        empty = not folders and rests and known and not paused
        if empty:
            self.headline.setText(self.tr("There is nothing in the library yet"))
            self.reason.setText(self.tr("Choose folders, and Lectern reads what is in them."))
        else:
            self.headline.setText("" if asked else headline(activity))
            self.reason.setText("" if paused or rests else reason)
        self.reason.setVisible(bool(self.reason.text()))
        running = activity.running if activity is not None else None
        self._show_progress(activity, running.progress if running is not None else None, counts)
        self._change.show_state(activity)
        for part in (self.bar, self.legend):
            part.setVisible(known and not empty)
        told = None if empty else activity
        self.facts.show_facts(facts(told, self._smooth) if told is not None else [])
        self._show_controls(activity)

    def _show_progress(
        self, activity: Activity | None, progress: Progress | None, counts: Mapping[str, int]
    ) -> None:
        self.current.setVisible(progress is not None)
        self.current.setText(from_home(progress.current) if progress is not None else "")
        if progress is not None and progress.files_total:
            read = min(progress.files_done / progress.files_total, 1.0)
            # Until passages are counted, the share is that of the files read. The library has
            # less than the job has embedded until that is written.
            done = progress.share if progress.passages else 0.0
            known = activity.embedded_share if activity is not None else 0.0
            self.bar.show_shares(read, min(done, read * known))
        elif activity is not None:  # at rest, or in the scan, which does not know its work
            there = sum(counts.get(state, 0) for state in SEARCHABLE_STATES)
            read = there / (there + activity.pending) if activity.pending else 1.0
            self.bar.show_shares(read, read * activity.embedded_share)

    def _show_controls(self, activity: Activity | None) -> None:
        known = activity is not None
        paused = activity is not None and activity.paused
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
