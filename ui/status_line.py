"""The status line: what the engine does, the embedded share, the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy

from ui.icons import icon
from ui.supervisor import EngineState
from ui.theme import L, M, S
from ui.widgets import IconToolButton, filled, wrapped_label
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from indexer.api.errors import LecternError
    from indexer.api.progress import Progress
    from indexer.api.status import Activity


# Reasons that are shown also while no job runs.
LASTING = frozenset({"paused", "disk_full", "library_read_only", "model_missing", "model_absent"})


class StatusLine(QFrame):
    """Signals: ``pause_requested`` with whether to pause, ``retry_requested``, ``clicked``."""

    pause_requested = Signal(bool)
    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Status"))
        self._engine = EngineState.STARTING
        self._problem: LecternError | None = None
        self._activity: Activity | None = None
        self._sentence = wrapped_label()
        self._sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._retry = QPushButton(self.tr("Try again"))
        self._retry.setAccessibleName(self.tr("Start the engine again"))
        self._retry.clicked.connect(self.retry_requested)
        self._embedded = QLabel()
        self._embedded.setToolTip(
            self.tr("How much of the text can be found by its meaning; all of it by its words.")
        )
        self._device = QLabel()
        self._pause = IconToolButton()
        self._pause.setCheckable(True)
        self._pause.clicked.connect(self.pause_requested)
        parts = (self._sentence, self._retry, self._embedded, self._device, self._pause)
        filled(QHBoxLayout(self), *parts, spacing=L, edges=(L, S, M, S)).setStretch(0, 1)
        self._show()

    @property
    def text(self) -> str:
        return self._sentence.text()

    def show_engine(self, state: EngineState, problem: LecternError | None) -> None:
        self._engine, self._problem = state, problem
        self._show()

    def show_activity(self, activity: Activity | None) -> None:
        self._activity = activity
        self._show()

    def _show(self) -> None:
        activity = self._activity if self._engine is EngineState.READY else None
        known = activity is not None
        self._sentence.setText(self._state_sentence())
        self._retry.setVisible(self._engine is EngineState.FAILED)
        self._pause.setVisible(known)
        self._embedded.setVisible(known)
        self._device.setVisible(known)
        if activity is not None:
            self._show_activity(activity)

    def _show_activity(self, activity: Activity) -> None:
        embedded_share = activity.embedded_share
        self._embedded.setVisible(embedded_share < 1)
        text = self.tr("Meaning search {share} ready").format(share=amounts.share(embedded_share))
        self._embedded.setText(text)
        device = activity.device.upper()
        self._device.setText(device)
        self._device.setAccessibleName(self.tr("Device: {device}").format(device=device))
        self._device.setToolTip(failures.notes(activity.device_notes))
        paused = activity.paused
        name = self.tr("Go on reading") if paused else self.tr("Pause reading")
        self._pause.setChecked(paused)
        self._pause.setIcon(icon("play" if paused else "pause"))
        self._pause.setToolTip(name)
        self._pause.setAccessibleName(name)

    def _state_sentence(self) -> str:
        match self._engine:
            case EngineState.FAILED if self._problem is not None:
                return failures.failure(self._problem)
            case EngineState.RESTARTING:
                return self.tr("The engine stopped and is being started again. Nothing is lost.")
            case EngineState.READY if self._activity is not None:
                return self._doing(self._activity)
            case _:
                return self.tr("Starting…")

    def _doing(self, activity: Activity) -> str:
        reason = names.pause(activity.reason)
        if activity.running is None:
            # Without a job the other reasons slow nothing down.
            return reason if activity.reason in LASTING else self._resting(activity)
        change = names.change(activity)
        if activity.paused and not change:
            doing = names.doing(activity.running.progress)
            return self.tr("{reason}. {progress}.").format(reason=reason, progress=doing)
        sentence = change.sentence if change else self._progress(activity.running.progress)
        if not reason:
            return sentence
        return self.tr("{progress} {reason}.").format(progress=sentence, reason=reason)

    def _resting(self, activity: Activity) -> str:
        if activity.pending:
            return amounts.waiting(activity.pending)
        change = names.change(activity)
        return change.sentence if change else self.tr("Up to date")

    def _progress(self, progress: Progress) -> str:
        doing = names.doing(progress)
        if progress.eta_seconds is None:
            return f"{doing}."
        left = amounts.about(progress.eta_seconds)
        return self.tr("{progress}, {time} left.").format(progress=doing, time=left)
