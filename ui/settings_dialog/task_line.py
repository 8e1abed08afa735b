"""A task of some minutes in the dialog: a bar, a button that stops it, and what came of it.

It must not know what the task is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from ui.theme import M
from ui.widgets import IconButton, wrapped_label
from ui.words import amounts

if TYPE_CHECKING:
    from indexer.api.progress import Progress

_STEPS = 1000


def bring_into_view(widget: QWidget) -> None:
    """Scroll to a widget once it is laid out."""
    area = widget.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if area is not None:
        QTimer.singleShot(0, area, partial(area.ensureWidgetVisible, widget))


class TaskLine(QWidget):
    """Signals: ``stopped``: the person has pressed the button."""

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
                self.tr("All is here; it is checked and compiled.") if done >= total else counted
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
