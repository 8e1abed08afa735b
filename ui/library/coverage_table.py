"""The table of all files, and the list of states beside it that filters it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSizePolicy,
    QTableView,
    QWidget,
)

from indexer.api.types import FileState
from ui.library.coverage_model import Column
from ui.theme import M, S
from ui.widgets import RowDelegate, select_something
from ui.words import amounts, names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from PySide6.QtGui import QAction, QFocusEvent, QResizeEvent
    from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

    from ui.library.coverage_model import CoverageModel

# The most selected rows that are taken.
MOST_CHOSEN = 5000
# Widths of columns in average letters; names and reasons share the rest.
_LETTERS = {
    Column.FOLDER: 20, Column.REASON: 28, Column.SIZE: 12, Column.MODIFIED: 22, Column.PAGES: 9,
}  # fmt: skip
LETTERS_OF_NAME = 28


class _Delegate(RowDelegate):
    """Shortens folders at their beginning, which most have in common."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if index.column() == Column.FOLDER:
            option.textElideMode = Qt.TextElideMode.ElideLeft


class CoverageTable(QTableView):
    """Shows a ``CoverageModel``, with ``actions`` in its menu and by their keys."""

    def __init__(
        self, model: CoverageModel, actions: Sequence[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._files = model
        self._sorted = (int(Column.NAME), Qt.SortOrder.AscendingOrder)
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(self.tr("Files"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # With the table's selection model each paint would check whether all rows are selected.
        header.setSelectionModel(QItemSelectionModel(model, header))
        header.setSectionsMovable(True)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(*self._sorted)
        header.sectionClicked.connect(self._sort)
        for action in actions:
            self.addAction(action)
        self._size_columns()

    def chosen_rows(self) -> Iterator[int]:
        """Return the numbers of the selected rows, at most ``MOST_CHOSEN``."""
        left = MOST_CHOSEN
        selection = self.selectionModel().selection()
        for number in range(selection.size()):
            part = selection.at(number)
            last = min(part.bottom(), part.top() + left - 1)
            yield from range(part.top(), last + 1)
            left -= max(0, last - part.top() + 1)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._size_columns()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        select_something(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_texts()

    def _size_columns(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        header = self.horizontalHeader()
        header.setMinimumSectionSize(letter * 8)
        for column, letters in _LETTERS.items():
            header.resizeSection(column, letters * letter)
        # States are never elided, in any language: they are what this list is for.
        widest = max(self.fontMetrics().horizontalAdvance(names.state(each)) for each in FileState)
        header.resizeSection(Column.STATE, widest + 2 * M)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + M)
        self._fit_texts()

    def _fit_texts(self) -> None:
        """Share the remaining width between names and reasons, with a minimum for each."""
        header, letter = self.horizontalHeader(), self.fontMetrics().averageCharWidth()
        both = header.sectionSize(Column.NAME) + header.sectionSize(Column.REASON)
        room = self.viewport().width() - (header.length() - both)
        reason = _LETTERS[Column.REASON] * letter
        name = max(LETTERS_OF_NAME * letter, min(room - reason, 3 * room // 5))
        header.resizeSection(Column.NAME, name)
        header.resizeSection(Column.REASON, max(reason, room - name))

    def _sort(self, column: int) -> None:
        header = self.horizontalHeader()
        if self._files.can_sort(column):
            self._sorted = (column, header.sortIndicatorOrder())
            self.sortByColumn(*self._sorted)
        else:
            header.setSortIndicator(*self._sorted)

    def _show_menu(self, place: QPoint) -> None:
        index: QModelIndex = self.indexAt(place)
        if index.isValid():
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions(self.actions())
            menu.popup(self.viewport().mapToGlobal(place))


ROLE = int(Qt.ItemDataRole.UserRole)


class StateList(QListWidget):
    """The states with their numbers of files. Signals: ``chosen`` with a state, "" for all."""

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

    def choose_state(self, state: str) -> None:
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
