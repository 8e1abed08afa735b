"""The table of files: the name with its folder, the state as a chip, and columns as room allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyle, QStyleOptionViewItem, QTableView

from indexer.api.types import FileRow, FileState
from ui import theme
from ui.library.file_model import ROW_ROLE, Column, FileModel, cell_text, folder_text, reason_text
from ui.lists import Index, RowDelegate
from ui.theme import M, S, blend, paint_rounded
from ui.widgets import Restyled
from ui.words import amounts, names

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QColor, QFocusEvent, QPainter, QResizeEvent

# The most selected rows that actions apply to.
MOST_CHOSEN = 5000
# Widths of columns in average letters. Where there is no room, the first of them is hidden first.
_LETTERS = {
    Column.AUTHOR: 20, Column.TITLE: 32, Column.PAGES: 8, Column.MODIFIED: 0, Column.SIZE: 0,
}  # fmt: skip
LETTERS_OF_NAME, LETTERS_OF_REASON, LEAST_LETTERS = 40, 24, 10
_START = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
_SAMPLE = 1_703_980_740_000_000_000  # an instant with two digits in each part of date and time
_TINT = 0.18  # the share of a state's colour in the background of its chip


def chip_colours(state: FileState, *, by_words: bool = False) -> tuple[QColor, QColor]:
    """Return the background and the text colour of a state's chip."""
    colours = theme.current()
    if state is FileState.INDEXED and not by_words:
        return blend(colours.good, colours.base, _TINT), colours.text
    if state in names.TROUBLED:
        return blend(colours.warning, colours.base, _TINT), colours.text
    if by_words or state in {FileState.QUEUED, FileState.TEXT_ONLY}:
        return blend(colours.accent, colours.base, _TINT), colours.text
    return colours.raised, colours.muted


class _FileDelegate(RowDelegate):
    """Paints the folder after the name, and the state as a chip."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if isinstance(index.data(ROW_ROLE), FileRow) and index.column() in (0, Column.STATE):
            option.text = ""  # painted below

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        row = index.data(ROW_ROLE)
        if not isinstance(row, FileRow):
            return
        painter.save()
        painter.setLayoutDirection(option.direction)
        painter.setFont(option.font)
        if index.column() == Column.NAME:
            self._paint_name(painter, option, row)
        elif index.column() == Column.STATE:
            self._paint_chip(painter, option, row)
        painter.restore()

    def _paint_name(self, painter: QPainter, option: QStyleOptionViewItem, row: FileRow) -> None:
        table, metrics = self.parent(), option.fontMetrics
        cell = option.rect.adjusted(M, 0, -M, 0)
        name = metrics.elidedText(
            cell_text(row, Column.NAME), Qt.TextElideMode.ElideMiddle, cell.width()
        )
        painter.setPen(theme.current().text)
        painter.drawText(cell, _START, f"\u2068{name}\u2069")
        folder = folder_text(row, table.folder) if isinstance(table, FileTable) else ""
        _paint_rest(painter, option, metrics.horizontalAdvance(name), folder)

    @staticmethod
    def _paint_chip(painter: QPainter, option: QStyleOptionViewItem, row: FileRow) -> None:
        metrics, cell = option.fontMetrics, option.rect.adjusted(S, 0, -S, 0)
        text = cell_text(row, Column.STATE)
        chip = QRect(cell.left(), 0, metrics.horizontalAdvance(text) + 2 * M, metrics.height() + 2)
        chip.moveTop(cell.top() + (cell.height() - chip.height()) // 2)
        chip = QStyle.visualRect(option.direction, cell, chip)
        back, colour = chip_colours(row.state, by_words=row.by_words)
        paint_rounded(painter, QRectF(chip), Qt.PenStyle.NoPen, back, chip.height() / 2)
        painter.setPen(colour)
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)
        _paint_rest(painter, option, chip.width(), reason_text(row))


def _paint_rest(painter: QPainter, option: QStyleOptionViewItem, used: int, text: str) -> None:
    """Paint a muted text from ``used`` pixels on, shortened, if there is room for some of it."""
    metrics, cell = option.fontMetrics, option.rect.adjusted(M, 0, -M, 0)
    left = cell.width() - used - M
    if not text or left < LEAST_LETTERS * metrics.averageCharWidth():
        return
    rest = QStyle.visualRect(option.direction, cell, cell.adjusted(used + M, 0, M, 0))
    painter.setPen(theme.current().muted)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, left)
    painter.drawText(rest, _START, f"\u2068{shown}\u2069")


class FileTable(Restyled, QTableView):
    """Shows a ``FileModel``, with ``actions`` in its menu and by their keys."""

    def __init__(self, model: FileModel, actions: Sequence[QAction]) -> None:
        super().__init__()
        self._files = model
        self._sorted = (int(Column.NAME), Qt.SortOrder.AscendingOrder)
        self.setModel(model)
        self.setItemDelegate(_FileDelegate(self))
        self.setAccessibleName(self.tr("Files"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # With the table's own selection model each paint would check whether all rows are selected.
        header.setSelectionModel(QItemSelectionModel(model, header))
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(*self._sorted)
        header.sectionClicked.connect(self._sort)
        for action in actions:
            self.addAction(action)
        self.restyle()

    @property
    def folder(self) -> str:
        """The folder whose files are listed; "" for all."""
        return self._files.filter.root

    def chosen_rows(self) -> Iterator[int]:
        """Return the numbers of the selected rows, at most ``MOST_CHOSEN``."""
        selection = self.selectionModel().selection()
        parts = map(selection.at, range(selection.size()))
        rows = (range(part.top(), part.bottom() + 1) for part in parts)
        return islice(chain.from_iterable(rows), MOST_CHOSEN)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # If there is only one row, no key selects it, since the current row does not change.
        if not self.selectionModel().hasSelection():
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().select(self.currentIndex(), flags.Select | flags.Rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.restyle()

    def restyle(self) -> None:
        """Give names the room that is left, and hide columns if names have too little."""
        metrics, header = self.fontMetrics(), self.horizontalHeader()
        letter = metrics.averageCharWidth()
        header.setMinimumSectionSize(4 * letter)
        self.verticalHeader().setDefaultSectionSize(metrics.height() + M + S)
        widths = {column: letters * letter for column, letters in _LETTERS.items()}
        widths[Column.SIZE] = metrics.horizontalAdvance(amounts.size(999)) + 2 * M
        widths[Column.MODIFIED] = metrics.horizontalAdvance(amounts.moment(_SAMPLE)) + 2 * M
        # States are never shortened, in any language: this list exists to show them.
        widest = max(metrics.horizontalAdvance(names.state(each)) for each in FileState)
        widths[Column.STATE] = widest + 2 * M + 2 * S
        room, least = self.viewport().width(), LETTERS_OF_NAME * letter
        for column in _LETTERS:
            hidden = room - sum(widths.values()) < least
            header.setSectionHidden(column, hidden)
            if hidden:
                del widths[column]
        reason = LETTERS_OF_REASON * letter
        if room - sum(widths.values()) - least > 2 * reason:
            widths[Column.STATE] += reason
        for column, width in widths.items():
            header.resizeSection(column, width)
        header.resizeSection(Column.NAME, max(room - sum(widths.values()), least // 2))

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
            menu.setAccessibleName(self.tr("What to do with these files"))
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions(self.actions())
            menu.popup(self.viewport().mapToGlobal(place))
