"""The narrow rail at the window's side: one button for each page, the settings at its foot.

Owns the buttons and which of them is pressed. It must not know the pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QToolButton, QVBoxLayout

from ui.icons import icon
from ui.theme import M, S, icon_size

if TYPE_CHECKING:
    from PySide6.QtGui import QKeySequence
    from PySide6.QtWidgets import QWidget


ICON_LINES = 1.5
# Flat, in the colours of the palette; the focus is a ring.
STYLE = """
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 5px 6px 4px 6px; }
QToolButton:hover { background: palette(base); }
QToolButton:checked { background: palette(base); border-color: palette(mid); }
QToolButton:focus { border-color: palette(highlight); }
"""


class Rail(QFrame):
    """Signals: ``chosen`` with the name of a page, or of another button."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Pages"))
        self._buttons: dict[str, QToolButton] = {}
        self._pages = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(S, M, S, M)
        self._column.setSpacing(S)
        self.setStyleSheet(STYLE)

    def add_page(self, name: str, text: str, drawing: str, keys: QKeySequence) -> None:
        """Add the button of a page; the first one is pressed."""
        button = self._add(name, text, drawing, keys)
        button.setCheckable(True)
        button.setChecked(len(self._buttons) == 1)
        self._pages.addButton(button)

    def add_gap(self) -> None:
        self._column.addStretch(1)

    def add_button(self, name: str, text: str, drawing: str, keys: QKeySequence) -> None:
        """Add a button that opens something else than a page."""
        self._add(name, text, drawing, keys)

    def button(self, name: str) -> QToolButton:
        return self._buttons[name]

    def show_chosen(self, name: str) -> None:
        """Press the button of a page, without telling."""
        if name in self._buttons:
            self._buttons[name].setChecked(True)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            for button in self._buttons.values():
                button.setIconSize(icon_size(self, ICON_LINES))
        super().changeEvent(event)

    def _add(self, name: str, text: str, drawing: str, keys: QKeySequence) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setText(text)
        button.setIcon(icon(drawing))
        button.setIconSize(icon_size(self, ICON_LINES))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setAutoRaise(True)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(text)
        shown = keys.toString(keys.SequenceFormat.NativeText)
        button.setToolTip(
            self.tr("{name} ({keys})").format(name=text, keys=shown) if shown else text
        )
        button.clicked.connect(self._clicked)
        self._buttons[name] = button
        self._column.addWidget(button)
        return button

    def _clicked(self) -> None:
        self.chosen.emit(self.sender().objectName())
