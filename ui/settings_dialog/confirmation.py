"""A question beside what it is about, with a button to agree and one to leave it.

It must not know what is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ui.ports import ignore
from ui.theme import L, M, S
from ui.widgets import IconButton, wrapped_label

if TYPE_CHECKING:
    from collections.abc import Callable


class Confirmation(QFrame):
    """Hidden while nothing is asked."""

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
