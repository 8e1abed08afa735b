"""Pairs of a label and a value, aligned in two columns; values wrap where there is no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from ui.labels import plain_label, wrapped_label
from ui.theme import L, S

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOP = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop


class Facts(QWidget):
    """Shows ``(label, value)`` pairs; rows are changed in place, so that nothing flickers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(S)
        self._grid.setColumnStretch(1, 1)

    def show_facts(self, rows: Sequence[tuple[str, str]]) -> None:
        while len(self._rows) < len(rows):
            self._add()
        for number, (name, value) in enumerate(self._rows):
            there = number < len(rows)
            name.setVisible(there)
            value.setVisible(there)
            if there:
                name.setText(rows[number][0])
                value.setText(rows[number][1])
                value.setAccessibleName(" ".join(rows[number]))
        self.setVisible(bool(rows))

    def value(self, label: str) -> str:
        """Return the value of a label; "" if it is not shown."""
        return next(
            (v.text() for n, v in self._rows if n.text() == label and n.isVisibleTo(self)), ""
        )

    def _add(self) -> None:
        name, value = plain_label(), wrapped_label()
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = len(self._rows)
        self._grid.addWidget(name, row, 0, _TOP)
        self._grid.addWidget(value, row, 1)
        self._rows.append((name, value))
