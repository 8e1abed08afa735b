"""The choice of the speed: slow, normal or fast, with a sentence on what it means."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from indexer.api.labels import SPEEDS
from ui.library.segments import Segments
from ui.theme import S
from ui.widgets import wrapped_label
from ui.words import names


class SpeedChoice(QWidget):
    """Signals: ``chosen`` with a speed, after a click or a key."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Speed"))
        self._segments = Segments(
            {speed: (names.speed(speed), names.speed_help(speed)) for speed in SPEEDS}
        )
        self._segments.setAccessibleName(self.accessibleName())
        self.buttons = self._segments.buttons
        self.hint = wrapped_label()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self._segments)
        column.addWidget(self.hint)
        self._segments.chosen.connect(self._choose)

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
