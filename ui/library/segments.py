"""A segmented control: a few choices side by side, of which one is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from ui import theme
from ui.theme import L, M, S, blend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QPaintEvent

_HOVER = 0.12


class Segments(QWidget):
    """Signals: ``chosen`` with the name of a choice, after a click or a key."""

    chosen = Signal(str)

    def __init__(
        self, choices: Mapping[str, tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        """Make a segment for each choice: its name with the text and the tooltip."""
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, Segment] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for at, (name, (text, meaning)) in enumerate(choices.items()):
            button = Segment(text, first=at == 0, last=at == len(choices) - 1)
            button.setToolTip(meaning)
            button.setAccessibleDescription(meaning)
            self._group.addButton(button)
            self.buttons[name] = button
            row.addWidget(button)
        row.addStretch(1)
        self._group.buttonClicked.connect(self._choose)

    def _choose(self, button: QAbstractButton) -> None:
        self.chosen.emit(next(name for name, each in self.buttons.items() if each is button))


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
