"""A question before something is done, and the progress of a task of some minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from ui.ports import ignore
from ui.theme import L, M, S
from ui.widgets import IconButton, wrapped_label
from ui.words import amounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.progress import Progress

_STEPS = 1000


class TaskLine(QWidget):
    """A bar, a button that stops the task, and its outcome.

    Signals:
        stopped: The person pressed the button.
    """

    stopped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QProgressBar()
        self.cancel = IconButton(self.tr("Sto&p"), "stop")
        self.cancel.setAutoDefault(False)
        self.cancel.clicked.connect(self.stopped)
        self.note = wrapped_label()
        row = QHBoxLayout()
        row.setSpacing(M)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addLayout(row)
        column.addWidget(self.note)
        self.end("")

    def begin(self, name: str) -> None:
        """Show that a task goes on; ``name`` is for screen readers."""
        self.say("")
        self.bar.setAccessibleName(name)
        self.bar.setRange(0, 0)
        self.bar.show()
        self.cancel.show()
        self.cancel.setFocus()

    def show_progress(self, progress: Progress) -> None:
        """Show how much is done; the range 0 to 0 while the rest cannot be counted."""
        if progress.bytes_total:
            done, total = progress.bytes_done, progress.bytes_total
            sizes = amounts.size(done), amounts.size(total)
            counted = self.tr("{done} of {total}").format(done=sizes[0], total=sizes[1])
            self.say(
                self.tr("Everything is here; it is being checked.") if done >= total else counted
            )
        else:
            done, total = progress.files_done, progress.files_total
        there = 0 < total > done
        self.bar.setRange(0, _STEPS if there else 0)
        self.bar.setValue(_STEPS * done // total if there else 0)

    def end(self, text: str) -> None:
        """Show what came of the task."""
        self.bar.hide()
        self.cancel.hide()
        self.say(text)

    def say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))


class Confirmation(QFrame):
    """A question with a button to agree and one to leave it; hidden while nothing is asked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._agreed: Callable[[], None] = ignore
        self.question = wrapped_label()
        self.agree, self.refuse = IconButton("", "check"), IconButton(self.tr("&Not now"), "close")
        self.agree.clicked.connect(self._agree)
        self.refuse.clicked.connect(self.dismiss)
        row = QHBoxLayout()
        row.setSpacing(S)
        for button in (self.agree, self.refuse):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, M, L, M)
        column.addWidget(self.question)
        column.addLayout(row)
        self.hide()

    def ask(self, text: str, label: str, agreed: Callable[[], None]) -> None:
        """Ask; ``label`` is of the button that calls ``agreed``."""
        self._agreed = agreed
        self.question.setText(text)
        self.agree.setText(label)
        self.agree.setAccessibleName(f"{label.replace('&', '')}. {text}")
        self.show()
        self.refuse.setFocus()

    def dismiss(self) -> None:
        self._agreed = ignore
        self.hide()

    def _agree(self) -> None:
        agreed = self._agreed
        self.dismiss()
        agreed()
