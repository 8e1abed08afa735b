"""What the engine does now: progress, pace and device, and the choice of the speed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from indexer.api.labels import SPEEDS
from indexer.api.progress import Step
from indexer.api.status import Speed
from indexer.api.types import SEARCHABLE_STATES, FileState
from ui import theme
from ui.library.page_parts import Legend, TonesBar
from ui.theme import L, M, S, blend, icon
from ui.widgets import ElidedLabel, Facts, IconButton, filled, keep_room, plain_label, wrapped_label
from ui.words import amounts, failures, names
from ui.words.amounts import from_home
from ui.words.names import language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QPaintEvent

    from indexer.api.progress import Progress
    from indexer.api.status import Activity, Status


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
        parts = (self.headline, self.reason, self.bar, self.legend, self.current, self._change)
        column = filled(QVBoxLayout(self), *parts)
        for part in (self.reason, self.current):
            keep_room(part)
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
            self.headline.setText("" if asked else work_headline(activity))
            self.reason.setText("" if paused or rests else reason)
        self.reason.setVisible(bool(self.reason.text()))
        running = activity.running if activity is not None else None
        self._show_progress(activity, running.progress if running is not None else None, counts)
        self._change.show_state(activity)
        for part in (self.bar, self.legend):
            part.setVisible(known and not empty)
        told = None if empty else activity
        self.facts.show_facts(work_facts(told, self._smooth) if told is not None else [])
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


translate = QCoreApplication.translate

# Weight of a new value in the exponential smoothing.
_NEW_RATE = 0.35
# The most languages that are named.
_LANGUAGES = 6


@dataclass(slots=True)
class Smooth:
    """Exponential smoothing of values by key; missing values are dropped."""

    _kept: dict[str, float] = field(default_factory=dict)

    def follow(self, name: str, value: float) -> float:
        """Add a value and return the smoothed one; a large change is not smoothed."""
        if value <= 0:
            self._kept.pop(name, None)
            return value
        before = self._kept.get(name, value)
        smooth = value if not 0.3 < value / before < 3 else before + _NEW_RATE * (value - before)
        self._kept[name] = smooth
        return smooth

    def clear(self) -> None:
        self._kept.clear()


def work_headline(activity: Activity | None) -> str:
    """The current activity in a few words."""
    if activity is None:
        return translate("ActivityPanel", "The engine is starting…")
    if activity.paused:
        return translate("ActivityPanel", "Paused")
    if activity.running is not None:
        return names.doing(activity.running.progress)
    if activity.pending:
        return amounts.waiting(activity.pending)
    return translate("ActivityPanel", "Everything is up to date")


def work_facts(activity: Activity, smooth: Smooth) -> list[tuple[str, str]]:
    """The lines below the work_headline."""
    rows = []
    progress = activity.running.progress if activity.running is not None else None
    # Recognition counts pages, not files, and has no estimate of time.
    if progress is not None and progress.step is not Step.RECOGNISE:
        rows.append((translate("ActivityPanel", "Pace:"), _rates(activity, smooth)))
        eta = progress.eta_seconds
        value = amounts.about(eta) if eta is not None else "…"
        rows.append((translate("ActivityPanel", "Time left:"), value))
    else:
        smooth.clear()
    # A library without text counts as embedded, which says nothing while it is first read.
    known = progress is None or progress.passages or activity.embedded_share < 1
    share = _share(activity.embedded_share) if known else "…"
    rows.append((translate("ActivityPanel", "Meaning search:"), share))
    rows.append((translate("ActivityPanel", "Device:"), _device(activity)))
    return rows


def holdings(status: Status) -> list[tuple[str, str]]:
    """What the library holds, in which languages, with which model, and on how much of the disk."""
    amount = (
        amounts.documents(status.documents),
        amounts.pages(status.pages),
        amounts.hits(status.passages),
    )
    spoken = sorted(status.languages, key=lambda each: -each.documents)
    shown = [
        f"\u2068{language(each.language)}\u2069 {amounts.count(each.documents)}"
        for each in spoken
        if each.language
    ]
    disk = translate("ActivityPanel", "{size} on the disk, where {free} are free").format(
        size=amounts.size(status.bytes), free=amounts.size(status.free_bytes)
    )
    rows = [
        (translate("ActivityPanel", "Text:"), " · ".join(amount)),
        (translate("ActivityPanel", "Languages:"), " · ".join(shown[:_LANGUAGES])),
        (translate("ActivityPanel", "Model:"), status.model),
        (translate("ActivityPanel", "Index:"), disk),
    ]
    return [(name, value) for name, value in rows if value]


def still_queued(counts: Mapping[str, int], progress: Progress | None) -> dict[str, int]:
    """Return the files by state, without the queued ones that a job has read since.

    What became of these is not known before the next status.
    """
    made = dict(counts)
    if progress is not None and progress.step is Step.INDEX and progress.files_total:
        left = max(progress.files_total - progress.files_done, 0)
        made[FileState.QUEUED] = min(made.get(FileState.QUEUED, 0), left)
    return made


def _rates(activity: Activity, smooth: Smooth) -> str:
    pages = smooth.follow("pages", activity.pages_per_second)
    passages = smooth.follow("passages", activity.passages_per_second)
    return translate("ActivityPanel", "{pages} pages and {passages} passages a second").format(
        pages=amounts.rate(pages), passages=amounts.rate(passages)
    )


def _share(share: float) -> str:
    if share >= 1:
        return translate("ActivityPanel", "ready for all of the text")
    text = translate("ActivityPanel", "{share} ready; exact words are found in all that was read")
    return text.format(share=amounts.share(share))


def _device(activity: Activity) -> str:
    device = activity.device.upper()
    reason = failures.notes(activity.device_notes)
    if not device:
        return translate("ActivityPanel", "chosen when reading starts")
    if not reason:
        return device
    return translate("ActivityPanel", "{device} ({reason})").format(device=device, reason=reason)


# The share of the accent in a segment under the pointer.
_HOVER = 0.12


class SpeedChoice(QWidget):
    """Slow, normal or fast side by side, with a sentence on what the chosen one means.

    Signals: ``chosen`` with a speed, after a click or a key.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Speed"))
        self._group = QButtonGroup(self)
        self.buttons: dict[str, Segment] = {}
        self.hint = wrapped_label()
        for speed in SPEEDS:
            first, last = not self.buttons, len(self.buttons) == len(SPEEDS) - 1
            button = self.buttons[speed] = Segment(names.speed(speed), first=first, last=last)
            button.setToolTip(names.speed_help(speed))
            button.setAccessibleDescription(names.speed_help(speed))
            self._group.addButton(button)
        row = filled(QHBoxLayout(), *self.buttons.values(), spacing=0)
        row.addStretch(1)
        filled(QVBoxLayout(self), row, self.hint, spacing=S)
        self._group.buttonClicked.connect(self._choose)

    @property
    def speed(self) -> str:
        return next((name for name, each in self.buttons.items() if each.isChecked()), "")

    def show_speed(self, speed: str) -> None:
        button = self.buttons.get(speed)
        if button is not None and not button.isChecked():
            button.setChecked(True)
        self.hint.setText(names.speed_help(speed))

    def _choose(self) -> None:
        self.hint.setText(names.speed_help(self.speed))
        self.chosen.emit(self.speed)


class Segment(QAbstractButton):
    """One of the choices; the arrow keys move to its neighbours."""

    def __init__(self, text: str, *, first: bool, last: bool) -> None:
        super().__init__()
        self._first, self._last = first, last
        self.setText(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 2 * L, metrics.height() + 2 * M)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mirrored = self.isRightToLeft()
        begins = self._last if mirrored else self._first
        ends = self._first if mirrored else self._last
        # A segment in the middle clips the rounded frame, which is drawn wider than it.
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5 if ends else 0.5, -0.5)
        shape = QPainterPath()
        shape.addRoundedRect(area.adjusted(0 if begins else -L, 0, 0 if ends else L, 0), S, S)
        fill = colours.base
        if self.isChecked():
            fill = colours.selection if self.isEnabled() else colours.line
        elif self.underMouse():
            fill = blend(colours.selection, colours.base, _HOVER)
        painter.setClipRect(self.rect())
        painter.fillPath(shape, fill)
        painter.setPen(QPen(colours.edge, 1))
        painter.drawPath(shape)
        if not ends:
            painter.drawLine(area.topRight(), area.bottomRight())
        colour = colours.selection_text if self.isChecked() else colours.text
        painter.setPen(colour if self.isEnabled() else colours.muted)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


_STEPS = 1000


class ChangeLine(QWidget):
    """Shows a ``names.ChangeText``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = wrapped_label()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self.bar.setAccessibleName(self.tr("Change of the language model"))
        self.bar.setMaximumHeight(self.fontMetrics().height() // 2)
        filled(QVBoxLayout(self), self.label, self.bar, spacing=S)
        self.hide()

    def show_state(self, state: Activity | Status | None) -> None:
        change = names.change(state) if state is not None else None
        self.setVisible(change is not None)
        if change is not None:
            self.label.setText(f"{change.sentence} {change.meanwhile}")
            self.bar.setValue(round(_STEPS * change.done))
