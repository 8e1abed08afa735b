"""The head of the library: one line on the work, with pause and pace, and what needs the person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from indexer.api.errors import WorldError
from indexer.api.labels import SPEEDS
from indexer.api.requests import Retry, SetPace
from indexer.api.types import FileState
from ui.ports import Context, Notice, ignore
from ui.requests import Questions
from ui.theme import S, icon
from ui.widgets import (
    ChoiceBox,
    Drawing,
    ElidedLabel,
    IconButton,
    Restyled,
    filled,
    remove_widgets,
    wrapped_label,
)
from ui.words import amounts, failures, names, work
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from indexer.api.status import Activity, Status

STEPS = 1000
BAR_PX = 6
_MOST = 1000  # a sentence gets room before the widgets beside it


class WorkLine(QWidget):
    """The engine's work, the share of text that can be found by meaning, pause and pace."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._paused = False
        self.sentence = wrapped_label(bold=True)
        self.about = ElidedLabel(role=QPalette.ColorRole.PlaceholderText)
        self.bar = QProgressBar(maximum=STEPS, textVisible=False)
        self.bar.setAccessibleName(self.tr("Share of the text that can be found by meaning"))
        self.bar.setFixedHeight(BAR_PX)
        self.pause = IconButton(self.tr("&Pause"), "pause", self._toggle_pause)
        self.pace = ChoiceBox()
        self.pace.setAccessibleName(self.tr("Speed"))
        for speed in SPEEDS:
            self.pace.addItem(names.speed(speed), speed)
            hint = int(Qt.ItemDataRole.ToolTipRole)
            self.pace.setItemData(self.pace.count() - 1, names.speed_help(speed), hint)
        self.pace.activated.connect(self._choose_pace)
        texts = filled(QVBoxLayout(), self.sentence, self.about, spacing=S)
        line = filled(QHBoxLayout(), texts, self.pause, self.pace, wide=texts)
        filled(QVBoxLayout(self), line, self.bar)
        self.show_activity(None)

    def show_activity(self, activity: Activity | None) -> None:
        """Show the engine's activity; None while there is no engine."""
        self._paused = activity is not None and activity.paused
        self.pause.setEnabled(activity is not None)
        self.pause.setText(self.tr("&Go on") if self._paused else self.tr("&Pause"))
        spoken = self.tr("Go on reading") if self._paused else self.tr("Pause reading")
        self.pause.setAccessibleName(spoken)
        self.pause.setIcon(icon("play" if self._paused else "pause"))
        self.pace.setEnabled(activity is not None)
        share = activity.embedded_share if activity is not None else 1.0
        self.bar.setValue(round(STEPS * share))
        self.bar.setVisible(share < 1)
        self.about.setVisible(activity is not None)
        if activity is None:
            self.sentence.setText(self.tr("The engine is starting…"))
            return
        self.pace.setCurrentIndex(self.pace.findData(str(activity.speed)))
        self.pace.setToolTip(names.speed_help(activity.speed))
        self.sentence.setText(work.sentence(activity))
        self.about.setText(" · ".join(filter(None, self._details(activity))))
        self.about.setVisible(bool(self.about.text()))
        self.about.setToolTip(failures.notes(activity.device_notes))

    def _details(self, activity: Activity) -> Iterator[str]:
        if self.sentence.text() != (said := work.meaning(activity.embedded_share)):
            yield said
        if activity.pages_per_second and not activity.paused:
            text = self.tr("{pages} pages a second")
            yield text.format(pages=amounts.rate(activity.pages_per_second))
        if activity.running is not None:
            yield activity.device.upper()
            yield from_home(activity.running.progress.current)

    def _toggle_pause(self) -> None:
        self._questions.send_lasting(SetPace(paused=not self._paused), ignore)

    def _choose_pace(self) -> None:
        try:
            self._context.settings.set("speed", str(self.pace.currentData()))
        except WorldError as error:
            self._questions.report(error)


class AttentionList(Restyled, QWidget):
    """Lines on what needs the person's attention, each with a button that helps.

    Signals:
        files_requested: Show the files in a state.
        models_requested: Show the choice of the language model.
    """

    files_requested = Signal(str)
    models_requested = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._column = filled(QVBoxLayout(self), spacing=S)
        self.lines: list[tuple[str, str]] = []  # each with its sentence, and the text of its button
        self.hide()

    def show_status(self, status: Status) -> None:
        """Show what needs attention; lines that stay are not made anew."""
        needs = list(self._needs(status))
        wanted = [(text, label) for text, label, _act in needs]
        if wanted == self.lines:
            return
        self.lines = wanted
        remove_widgets(self._column)
        for text, label, act in needs:
            self._column.addWidget(self._line(text, label, act))
        self.setVisible(bool(needs))
        self.restyle()

    def _needs(self, status: Status) -> Iterator[tuple[str, str, Callable[[], None]]]:
        count, show = status.files.get, self.files_requested.emit
        if locked := count(FileState.NEEDS_PASSWORD, 0):
            text = self.tr("%Ln file(s) need a password", "", locked)
            yield text, self.tr("&Unlock…"), partial(show, FileState.NEEDS_PASSWORD)
        if aside := status.set_aside:
            text = self.tr("%Ln file(s) stopped the engine and were set aside", "", aside)
            yield text, self.tr("Show t&hem"), partial(show, FileState.FAILED)
        failed = count(FileState.FAILED, 0) - aside + count(FileState.UNREADABLE, 0)
        if failed > 0:
            text = self.tr("%Ln file(s) could not be read", "", failed)
            retry = partial(self._questions.ask_engine, Retry(), self._retried)
            yield text, self.tr("&Try again"), retry
        if away := sum(root.offline for root in status.roots):
            yield self.tr("%Ln folder(s) offline: the drive is not connected", "", away), "", ignore
        if status.watch_problem is not None:
            why = failures.note(status.watch_problem)
            yield self.tr("Changes in the folders wait: {why}").format(why=why), "", ignore
        yield from self._of_languages(status)

    def _of_languages(self, status: Status) -> Iterator[tuple[str, str, Callable[[], None]]]:
        rows = [row for row in status.languages if row.advice is not None]
        if not rows:
            return
        documents = sum(row.documents for row in rows)
        text = self.tr("%Ln document(s) in {languages} are found by words only", "", documents)
        text = text.format(languages=amounts.languages(len(rows)))
        if any(row.offered for row in rows):
            yield text, self.tr("Use the multil&ingual model…"), self.models_requested.emit
        else:
            yield f"{text}. {names.uncovered(status)}", "", ignore

    def _line(self, text: str, label: str, act: Callable[[], None]) -> QWidget:
        held, said = QWidget(), wrapped_label(text)
        row = filled(QHBoxLayout(held), Drawing("warning", "warning", 1.5), said)
        row.setStretchFactor(said, _MOST)
        if label:
            button = IconButton(label, pressed=act)
            button.setAccessibleDescription(text)
            row.addWidget(button)
        row.addStretch(1)
        return held

    def restyle(self) -> None:
        """Keep each button near its text, which breaks only where there is no room for it."""
        for said in self.findChildren(QLabel):
            if text := said.text():
                said.setMaximumWidth(self.fontMetrics().horizontalAdvance(text) + 2)

    def _retried(self, number: int) -> None:
        self._context.notices.post(Notice(amounts.retried(number)))
