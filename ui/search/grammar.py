"""The help of the query grammar: every operator of ``indexer.query.filters`` with an example.

It must not know how a query is answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from indexer.query.filters import GRAMMAR, help_of
from ui.search.link import Link
from ui.theme import L, M, S
from ui.widgets import wrapped_label
from ui.words import say

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[tuple[str, str]]:
    """Return the example and the explanation of each operator."""
    return ((operator.example, help_of(operator, say)) for operator in GRAMMAR)


class GrammarHelp(QFrame):
    """A popover with an example on each line, which can be clicked.

    Signals:
        tried: The example, to be searched for.
    """

    tried = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(self.tr("What you can type"))
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(L, M, L, L)
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(S)
        title = QLabel(self.tr("What you can type; click an example to try it"))
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        title.setWordWrap(True)
        grid.addWidget(title, 0, 0, 1, 2)
        for at, (example, description) in enumerate(rows(), 1):
            link = Link(example, example)
            link.setAccessibleDescription(description)
            link.followed.connect(self._try)
            text = wrapped_label(description)
            grid.addWidget(link, at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, at, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(1, 1)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setWidget(inside)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._area)

    def open_below(self, widget: QWidget) -> None:
        """Show it under a widget, as wide as the window allows."""
        window = widget.window()
        width = min(window.width() - 2 * L, self.fontMetrics().averageCharWidth() * 90)
        inside = self._area.widget()
        wanted = inside.heightForWidth(width) if inside is not None else 0
        height = min(wanted + 2, window.height() - L)
        self.resize(QSize(width, max(height, 0)))
        corner = widget.mapToGlobal(QPoint(widget.width() - width, widget.height()))
        if widget.isRightToLeft():
            corner = widget.mapToGlobal(QPoint(0, widget.height()))
        self.move(corner)
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)
        self.focusNextChild()

    def _try(self, example: str) -> None:
        self.hide()
        self.tried.emit(example)
