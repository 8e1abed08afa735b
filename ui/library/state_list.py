"""The list of file states with their counts, which filters the coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSizePolicy, QWidget

from indexer.api.types import FileState
from ui.theme import M, S
from ui.widgets import RowDelegate
from ui.words import amounts, names

if TYPE_CHECKING:
    from collections.abc import Mapping

ROLE = int(Qt.ItemDataRole.UserRole)


class StateList(QListWidget):
    """Signals: ``chosen`` with a state, "" for all."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Files by state"))
        self.setItemDelegate(RowDelegate(self))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSpacing(S // 2)
        self._items: dict[str, QListWidgetItem] = {}
        self.show_counts({})
        self.setCurrentRow(0)
        self.currentItemChanged.connect(self._choose)

    @property
    def chosen_state(self) -> str:
        # None without a selection, which the stub leaves out.
        item: QListWidgetItem | None = self.currentItem()
        return str(item.data(ROLE)) if item is not None else ""

    def choose(self, state: str) -> None:
        """Select a state, which is added if no file is in it."""
        if state not in self._items:
            self._add(state, 0)
        self.setCurrentItem(self._items[state])

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Show how many files are in each state; states without any are not listed."""
        chosen = self.chosen_state
        wanted = {"": sum(counts.values())}
        wanted |= {
            str(state): counts.get(state, 0)
            for state in FileState
            if counts.get(state) or state == chosen
        }
        for state in [state for state in self._items if state not in wanted]:
            self.takeItem(self.row(self._items.pop(state)))
        for row, (state, number) in enumerate(wanted.items()):
            self._set(state, number, row)
        self.setMinimumWidth(self.sizeHint().width())

    def sizeHint(self) -> QSize:
        width = self.sizeHintForColumn(0) + 2 * (self.frameWidth() + self.spacing()) + M
        return QSize(max(width, self.fontMetrics().averageCharWidth() * 16), 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setMinimumWidth(self.sizeHint().width())

    def _set(self, state: str, number: int, row: int) -> None:
        if state not in self._items:
            self._add(state, row)
        label = names.state(state) if state else self.tr("All files")
        text = self.tr("{state} ({number})").format(state=label, number=amounts.count(number))
        item = self._items[state]
        if item.text() != text:
            item.setText(text)
            item.setToolTip(names.state_help(state))

    def _add(self, state: str, row: int) -> None:
        item = QListWidgetItem(names.state(state))
        item.setData(ROLE, state)
        self._items[state] = item
        self.insertItem(row, item)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(str(item.data(ROLE)))
