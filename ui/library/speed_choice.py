"""The choice of the speed: slow, normal or fast, and why it is slower at the moment.

Owns the three buttons. It must not know the engine.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QVBoxLayout, QWidget

from indexer.api.labels import SPEEDS
from ui.flow import FlowLayout
from ui.theme import L, S
from ui.words import states


class SpeedChoice(QWidget):
    """Signals: ``chosen`` with a speed, when a person chose it."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Speed"))
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        row = QWidget()
        flow = FlowLayout(row, L)
        for speed in SPEEDS:
            button = QRadioButton(states.speed(speed))
            button.setToolTip(states.speed_help(speed))
            button.setAccessibleDescription(states.speed_help(speed))
            self._group.addButton(button)
            self.buttons[speed] = button
            flow.addWidget(button)
        self.hint = QLabel()
        self.hint.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(row)
        column.addWidget(self.hint)
        self._group.buttonClicked.connect(self._choose)

    @property
    def speed(self) -> str:
        return next((name for name, each in self.buttons.items() if each.isChecked()), "")

    def show_speed(self, speed: str) -> None:
        button = self.buttons.get(speed)
        if button is not None and not button.isChecked():
            button.setChecked(True)
        self.hint.setText(states.speed_help(speed))

    def _choose(self) -> None:
        self.hint.setText(states.speed_help(self.speed))
        self.chosen.emit(self.speed)
