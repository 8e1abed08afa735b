"""The page of other programs: a table of what each door may see, and the log of their calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.requests import GetStatus
from ui.lists import style_list
from ui.ports import Context, ignore
from ui.requests import Questions
from ui.search.safe_text import shown
from ui.theme import M
from ui.widgets import filled, wrapped_label
from ui.words import amounts, say

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from indexer.api.status import Status

EVERYTHING = "*"  # the name in a setting that stands for the whole library
SUFFIX = "_collections"  # ends the names of the settings that say what a door may see
CALLS_SHOWN = 200
ROWS_SHOWN = 8
NAME_LETTERS = 24
_WHAT = ("query", "document", "other", "collections")


def record_list(name: str, headers: Sequence[str], rows: int) -> QTreeWidget:
    """Return a list of records with columns, ``rows`` high; ``name`` is for screen readers."""
    tree = QTreeWidget()
    style_list(tree, name, across=True)
    tree.setHeaderLabels(headers)
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    tree.header().setStretchLastSection(True)
    tree.setFixedHeight(tree.fontMetrics().height() * (rows + 2) + 2 * M)
    return tree


def show_records(tree: QTreeWidget, records: Iterable[list[str]], nothing: QWidget) -> None:
    """Show records, else ``nothing``; the last cell of each is its tool tip, too."""
    tree.clear()
    for cells in records:
        item = QTreeWidgetItem(cells)
        item.setToolTip(len(cells) - 1, cells[-1])
        tree.addTopLevelItem(item)
    found = tree.topLevelItemCount() > 0
    tree.setVisible(found)
    nothing.setVisible(not found)


class DoorsPage(QWidget):
    """The page of the doors; the log is read when it is shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._questions = Questions(context, self)
        declared = context.settings.declared()
        self._doors = [each for each in declared if each.name.endswith(SUFFIX)]
        self._known: tuple[str, ...] = ()
        self._gone: set[str] = set()
        self._names: tuple[str, ...] = ()
        self.table = self._make_table()
        headers = (self.tr("When"), self.tr("Who"), self.tr("What"))
        self.calls = record_list(self.tr("What other programs asked"), headers, ROWS_SHOWN)
        self.no_calls = wrapped_label(self.tr("Nothing has been asked, or the log is off."))
        choose = wrapped_label(self.tr("Choose which collections each program may see:"))
        asked = wrapped_label(self.tr("What was asked:"))
        filled(QVBoxLayout(self), choose, self.table, asked, self.calls, self.no_calls)
        self.show_choices()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._questions.ask_engine(GetStatus(), self.show_status, failed=ignore)
        self._show_calls()

    def show_status(self, status: Status) -> None:
        """Show the collections of the library."""
        self._known = tuple(sorted(status.collections))
        self._gone.clear()
        self.show_choices()

    def show_choices(self) -> None:
        """Show what each door may see, including names of collections that are gone."""
        chosen = [set(self._context.settings[each.name]) for each in self._doors]
        # A name that was just denied stays, since its item may be reporting that change.
        self._gone |= set().union(*chosen) - {EVERYTHING, *self._known}
        names = (EVERYTHING, *self._known, *sorted(self._gone))
        with QSignalBlocker(self.table):
            if names != self._names:
                self._names = names
                self._make_rows()
            for row, name in enumerate(names):
                for column, allowed in enumerate(chosen):
                    on = Qt.CheckState.Checked if name in allowed else Qt.CheckState.Unchecked
                    if (item := self.table.item(row, column)) is not None:
                        item.setCheckState(on)

    def _make_rows(self) -> None:
        usable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        self.table.setRowCount(len(self._names))
        for row, name in enumerate(self._names):
            label = self.tr("The whole library") if name == EVERYTHING else shown(name).text
            self.table.setVerticalHeaderItem(row, QTableWidgetItem(label))
            for column, door in enumerate(self._doors):
                item = QTableWidgetItem()
                text = f"{say(door.label)}, {label}"
                item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
                item.setFlags(usable | Qt.ItemFlag.ItemIsUserCheckable)
                self.table.setItem(row, column, item)

    def _choose(self, item: QTableWidgetItem) -> None:
        name, setting = self._names[item.row()], self._doors[item.column()].name
        allowed: Iterable[str] = self._context.settings[setting]
        allowed = [each for each in allowed if each != name]
        if item.checkState() == Qt.CheckState.Checked:
            allowed.append(name)
        self._context.settings.set(setting, tuple(allowed))

    def _show_calls(self) -> None:
        def cells(call: Mapping[str, Any]) -> list[str]:
            asked = next((str(call[key]) for key in _WHAT if call.get(key)), "")
            return [
                amounts.instant(str(call.get("time", ""))),
                shown(str(call.get("who", ""))).text,
                shown(f"{call.get('what', '')} {asked}".strip()).text,
            ]

        show_records(self.calls, map(cells, self._context.read_calls(CALLS_SHOWN)), self.no_calls)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(self._doors))
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setAccessibleName(self.tr("Collections that other programs may see"))
        table.setHorizontalHeaderLabels([say(each.label) for each in self._doors])
        letter, head = table.fontMetrics(), table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        wrapped = Qt.AlignmentFlag.AlignCenter.value | Qt.TextFlag.TextWordWrap.value
        head.setDefaultAlignment(Qt.AlignmentFlag(wrapped))
        head.setFixedHeight(letter.lineSpacing() * 2 + M)
        table.verticalHeader().setMaximumWidth(letter.averageCharWidth() * NAME_LETTERS)
        table.setTabKeyNavigation(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setFixedHeight(table.fontMetrics().height() * 2 * ROWS_SHOWN)
        table.itemChanged.connect(self._choose)
        return table
