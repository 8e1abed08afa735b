"""The largest folders of the library, each with its read and its embedded share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from indexer.api.types import SEARCHABLE_STATES, FileState
from ui.desktop import open_path
from ui.library.tones import TonesBar
from ui.search.link import Link
from ui.search.safe_text import line
from ui.theme import L, S
from ui.widgets import plain_label
from ui.words import amounts
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.status import RootStatus

_SHOWN = 8


class FolderShares(QWidget):
    """Signals: ``chosen`` with the path of a folder."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[Link, TonesBar, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(S)
        for column, stretch in enumerate((3, 2, 0)):
            self._grid.setColumnStretch(column, stretch)

    def show_roots(self, roots: Sequence[RootStatus]) -> None:
        largest = sorted(roots, key=lambda root: -root.files)[:_SHOWN]
        while len(self._rows) < len(largest):
            self._add()
        for number, row in enumerate(self._rows):
            for part in row:
                part.setVisible(number < len(largest))
        for (name, bar, amount), root in zip(self._rows, largest, strict=False):
            name.target = root.path
            name.setText(line(from_home(root.path)))
            name.setAccessibleName(name.text())
            name.setToolTip(line(root.path))
            counts = root.states
            found = sum(counts.get(state, 0) for state in SEARCHABLE_STATES)
            # Without those that cannot be read: the bar is full when nothing waits.
            total = max(found + counts.get(FileState.QUEUED, 0), 1)
            waiting = counts.get(FileState.TEXT_ONLY, 0)
            bar.show_shares(found / total, (found - waiting) / total)
            text = self.tr("{files}, {size}")
            amount.setText(
                text.format(files=amounts.files(root.files), size=amounts.size(root.bytes))
            )
            bar.setAccessibleName(f"{root.path}, {amount.text()}")

    def _add(self) -> None:
        name, bar, amount = Link("", ""), TonesBar(), plain_label()
        name.elide = Qt.TextElideMode.ElideMiddle
        name.followed.connect(self.chosen)
        name.offer(self.tr("Show files"), name.click)
        name.offer(self.tr("Open folder"), lambda: open_path(name.target))
        copy = QGuiApplication.clipboard().setText
        name.offer(self.tr("Copy path"), lambda: copy(name.target))
        bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for column, part in enumerate((name, bar, amount)):
            self._grid.addWidget(part, len(self._rows), column)
        self._rows.append((name, bar, amount))
