"""The files that were read last, each a link that searches in it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QWidget

from ui.elided import ElidedLabel
from ui.search.link import DocumentLink
from ui.search.safe_text import line
from ui.theme import L, S
from ui.words.paths import from_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import FileRow

# At least so many are shown, and at most.
LEAST, MOST = 8, 40


class LastRead(QWidget):
    """Signals: ``chosen`` with the path of a file."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: Sequence[FileRow] = ()
        self._paths: list[str] = []
        self._room = LEAST
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)

    def fit(self, height: int) -> None:
        """Show as many files as fit into a height, and not fewer than ``LEAST``."""
        row = self.fontMetrics().height() + 2 * S  # as high as a link
        self._room = max(LEAST, min(height // row, MOST))
        self.show_files(self._files)

    def show_files(self, files: Sequence[FileRow]) -> None:
        """Show files, the one read last first, as many as have room."""
        self._files = files
        paths = [row.path for row in files[: self._room]]
        if paths == self._paths:
            return
        self._paths = paths
        for part in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            part.hide()
            part.deleteLater()
        for row, path in enumerate(paths):
            link = DocumentLink(path, path)
            link.followed.connect(self.chosen)
            folder = ElidedLabel(Qt.TextElideMode.ElideLeft, QPalette.ColorRole.PlaceholderText)
            folder.setText(from_home(line(str(PurePath(path).parent))))
            self._grid.addWidget(link, row, 0, Qt.AlignmentFlag.AlignLeading)
            self._grid.addWidget(folder, row, 1)
