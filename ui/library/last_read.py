"""The files that were read last, each a link that searches in it."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ui.library.coverage_cells import has_pages
from ui.search.link import DocumentLink
from ui.search.safe_text import line
from ui.theme import XL, M, S
from ui.widgets import ElidedLabel
from ui.words import amounts
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import FileRow

# At least so many are shown, and at most.
LEAST, MOST = 8, 100


class LastRead(QWidget):
    """Signals: ``chosen`` with the path of a file."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: Sequence[FileRow] = ()
        self._shown: tuple[Sequence[FileRow], int] = ((), 1)  # and the number of columns
        self._room, self._columns = LEAST, 1
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2 * XL)

    def fit(self, height: int, columns: int) -> None:
        """Show as many files as fit into a height in some columns, and not fewer than ``LEAST``."""
        row = 2 * self.fontMetrics().height() + 2 * S + M  # a link, a line below it
        self._room, self._columns = max(LEAST, min(columns * (height // row), MOST)), columns
        self.show_files(self._files)

    def show_files(self, files: Sequence[FileRow]) -> None:
        """Show files, the one read last first, as many as have room."""
        self._files = files
        shown = tuple(files[: self._room])
        if (shown, self._columns) == self._shown:
            return
        self._shown = shown, self._columns
        while (item := self._row.takeAt(0)) is not None:
            column = item.widget()
            if column is not None:
                column.hide()
                column.deleteLater()
        high = -(-len(shown) // self._columns)
        for number in range(self._columns):
            self._row.addWidget(self._column(shown[number * high : (number + 1) * high]), 1)

    def _column(self, files: Sequence[FileRow]) -> QWidget:
        held = QWidget()
        column = QVBoxLayout(held)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for file in files:
            link = DocumentLink(file.path, file.path)
            link.followed.connect(self.chosen)
            about = ElidedLabel(Qt.TextElideMode.ElideMiddle, QPalette.ColorRole.PlaceholderText)
            about.setText(_about(file))
            column.addWidget(link)
            column.addWidget(about)
            column.addSpacing(M)
        column.addStretch(1)
        return held


def _about(file: FileRow) -> str:
    """The amount of a file, and where it is."""
    pages = amounts.pages(file.pages) if file.pages and has_pages(file.file) else ""
    folder = from_home(line(str(PurePath(file.path).parent)))
    return " · ".join(filter(None, (pages, amounts.size(file.size), folder)))
