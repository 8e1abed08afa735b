"""A line with a progress bar for a change of the language model; hidden without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from ui.theme import S
from ui.widgets import wrapped_label
from ui.words import names

if TYPE_CHECKING:
    from indexer.api.status import Activity, Status

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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self.label)
        column.addWidget(self.bar)
        self.hide()

    def show_state(self, state: Activity | Status | None) -> None:
        change = names.change(state) if state is not None else None
        self.setVisible(change is not None)
        if change is not None:
            self.label.setText(f"{change.sentence} {change.meanwhile}")
            self.bar.setValue(round(_STEPS * change.done))
