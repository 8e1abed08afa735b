"""The files that were read last, each a link that searches in it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QWidget

from ui.elided import ElidedLabel
from ui.search.link import Link
from ui.search.safe_text import line
from ui.theme import L
from ui.words.paths import from_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import FileRow

SHOWN = 8


class LastRead(QWidget):
    """Signals: ``chosen`` with the path of a file."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paths: list[str] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)

    def show_files(self, files: Sequence[FileRow]) -> None:
        """Show files, the one read last first."""
        paths = [row.path for row in files]
        if paths == self._paths:
            return
        self._paths = paths
        for part in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            part.hide()
            part.deleteLater()
        for row, path in enumerate(paths):
            place = PurePath(path)
            link = Link(place.name, path)
            link.setToolTip(path)
            link.followed.connect(self.chosen)
            folder = ElidedLabel(Qt.TextElideMode.ElideMiddle, QPalette.ColorRole.PlaceholderText)
            folder.setText(from_home(line(str(place.parent))))
            self._grid.addWidget(link, row, 0, Qt.AlignmentFlag.AlignLeading)
            self._grid.addWidget(folder, row, 1)
