"""A list view for ten thousand rows of different heights.

Owns the positions and the painting of rows. Qt's own list asks a Python delegate for the size of
every row after each change, which takes longer than a frame; here heights are added up once, and
new rows do not move those on the screen. It is a ``QListView``, since Qt makes only its own views
accessible. It must not know keys.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QListView,
    QStyle,
    QStyleOptionViewItem,
)

from ui.search.delegate import ResultsDelegate
from ui.search.results_style import ResultsStyle
from ui.search.snippet import MOST_LINES

if TYPE_CHECKING:
    from PySide6.QtGui import QHoverEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from ui.search.grouping import Key
    from ui.search.model import Index, ResultsModel
    from ui.search.reasons import Words

# ``near_end`` is emitted when fewer heights of the view than this are left below.
_AHEAD = 1.0


class RowsView(QListView):
    """Shows the rows of a ``ResultsModel``.

    Signals:
        near_end: The end of the list is near; there may be more.
    """

    near_end = Signal()

    def __init__(self, model: ResultsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows_model = model
        self._tops: list[int] = [0]
        self._measured = False
        self._hovered = QPersistentModelIndex()
        self._anchor: tuple[QPersistentModelIndex, int] | None = None
        self.results = ResultsDelegate(
            ResultsStyle.from_widget(self, self.viewport().width()), self
        )
        self.setItemDelegate(self.results)
        self.setModel(model)
        for about_to in (
            model.rowsAboutToBeInserted,
            model.rowsAboutToBeRemoved,
            model.layoutAboutToBeChanged,
        ):
            about_to.connect(self._save_anchor)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A scroll bar that appeared with the rows would change their width.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setSizeAdjustPolicy(QAbstractScrollArea.SizeAdjustPolicy.AdjustIgnored)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)

    # What rows look like

    def set_stale(self, stale: bool) -> None:
        """Grey the rows if the query has changed since their answer."""
        if stale != self.results.stale:
            self.results.stale = stale
            self.viewport().update()

    def show_words(self, explained: tuple[Key, Words] | None) -> None:
        """Underline the matching words of one hit."""
        self.results.explained = explained
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        changes = (
            QEvent.Type.FontChange, QEvent.Type.PaletteChange,
            QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange,
        )  # fmt: skip
        if event.type() in changes and hasattr(self, "results"):
            self._look_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._look_again()
        else:
            self.updateGeometries()
        self._keep_in_sight(event.oldSize().height())

    def _keep_in_sight(self, height: int) -> None:
        """Scroll to the current row if its end was in sight at a height, and is cut off now.

        A banner that appears above the list makes it lower.
        """
        end = self.visualRect(self.currentIndex()).bottom()
        if self.viewport().height() <= end < height:
            self.scrollTo(self.currentIndex())

    def _look_again(self) -> None:
        self._save_anchor()
        self.results.use(ResultsStyle.from_widget(self, self.viewport().width()))
        self.doItemsLayout()

    # Geometry of rows

    def doItemsLayout(self) -> None:
        self._measured = False
        super(QListView, self).doItemsLayout()

    def reset(self) -> None:
        self._measured = False
        self._anchor = None
        if hasattr(self, "results"):
            self.results.forget()
        super().reset()
        self.verticalScrollBar().setValue(0)

    def updateGeometries(self) -> None:
        if not hasattr(self, "_measured"):
            return
        self._measure()
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setSingleStep(max(self.results.style.small_line * 2, 1))
        bar.setPageStep(max(height - self.results.style.title_line, 1))
        bar.setRange(0, max(0, self._tops[-1] - height))
        self._restore_anchor()

    def _measure(self) -> None:
        if not self._measured:
            self._measured = True
            heights = map(self.results.height, self.rows_model.rows)
            self._tops = list(accumulate(heights, initial=0))

    def _save_anchor(self) -> None:
        """Save the position of the current row on the screen, or of the top one if it is hidden."""
        if self._anchor is None and self._measured and self.rows_model.rows:
            value, height = self.verticalScrollBar().value(), self.viewport().height()
            row = self.currentIndex().row()
            if row < 0 or not value <= self._tops[row] < value + height:
                row = self.row_at(value)
            index = QPersistentModelIndex(self.rows_model.index(row))
            self._anchor = (index, value - self._tops[row])

    def _restore_anchor(self) -> None:
        if len(self._tops) != len(self.rows_model.rows) + 1:
            return  # more rows have come or gone since they were measured, and will be again
        anchor, self._anchor = self._anchor, None
        if anchor is not None and anchor[0].isValid() and anchor[0].row() + 1 < len(self._tops):
            self.verticalScrollBar().setValue(self._tops[anchor[0].row()] + anchor[1])

    def room(self, height: int) -> int:
        """Return how many passages fit below one document, above the line that unfolds more."""
        style = self.results.style
        left = height - 2 * self.frameWidth() - style.document_height - style.line_height
        return max(left // style.hit_height(MOST_LINES), 0)

    def top_of(self, row: int) -> int:
        """Return the offset of a row from the beginning of the list, in pixels."""
        self._measure()
        return self._tops[min(row, len(self._tops) - 1)]

    @property
    def scrolled_to(self) -> QPersistentModelIndex:
        """The top row in sight; invalid at the beginning of the list."""
        y = self.verticalScrollBar().value()
        return QPersistentModelIndex(self.rows_model.index(self.row_at(y)) if y else QModelIndex())

    def row_at(self, y: int) -> int:
        """Return the row at an offset from the beginning of the list, or the nearest one."""
        return min(max(bisect_right(self._tops, y) - 1, 0), max(len(self._tops) - 2, 0))

    def visualRect(self, index: Index) -> QRect:
        self._measure()
        if not index.isValid() or index.row() + 1 >= len(self._tops):
            return QRect()
        top, bottom = self._tops[index.row()], self._tops[index.row() + 1]
        return QRect(0, top - self.verticalOffset(), self.viewport().width(), bottom - top)

    def indexAt(self, point: QPoint) -> QModelIndex:
        self._measure()
        y = point.y() + self.verticalOffset()
        if not 0 <= y < self._tops[-1]:
            return QModelIndex()
        return self.rows_model.index(self.row_at(y))

    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        rect, bar = self.visualRect(index), self.verticalScrollBar()
        if rect.isNull():
            return
        if hint is QAbstractItemView.ScrollHint.EnsureVisible and self._heads(index):
            # With the first hit of a document its title is shown.
            rect.setTop(rect.top() - self.results.style.document_height)
        height, value = self.viewport().height(), bar.value()
        match hint:
            case QAbstractItemView.ScrollHint.PositionAtTop:
                bar.setValue(value + rect.top())
            case QAbstractItemView.ScrollHint.PositionAtCenter:
                bar.setValue(value + rect.center().y() - height // 2)
            case _:
                if rect.top() < 0 or rect.height() > height:
                    bar.setValue(value + rect.top())
                elif rect.bottom() >= height:
                    bar.setValue(value + rect.bottom() - height + 1)

    def _heads(self, index: Index) -> bool:
        return index.row() > 0 and not self.rows_model.rows[index.row() - 1].is_reachable

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        return 0

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().scroll(dx, dy)
        left = self._tops[-1] - self.verticalOffset() - self.viewport().height()
        if left < _AHEAD * self.viewport().height():
            self.near_end.emit()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        self._measure()
        painter = QPainter(self.viewport())
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        shown = event.rect()
        row = self.row_at(shown.top() + self.verticalOffset())
        while row < len(self.rows_model.rows):
            index = self.rows_model.index(row)
            rect = self.visualRect(index)
            if rect.top() > shown.bottom():
                break
            option.rect = rect
            option.state = self._state(index)
            self.results.paint(painter, option, index)
            row += 1
        painter.end()

    def _state(self, index: QModelIndex) -> QStyle.StateFlag:
        state = QStyle.StateFlag.State_Enabled
        if self.selectionModel().isSelected(index):
            state |= QStyle.StateFlag.State_Selected
        if QPersistentModelIndex(index) == self._hovered:
            state |= QStyle.StateFlag.State_MouseOver
        return state

    def viewportEvent(self, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.HoverMove | QEvent.Type.HoverEnter:
                hover: QHoverEvent = event  # type: ignore[assignment]  # by its type
                self._hover(self.indexAt(hover.position().toPoint()))
            case QEvent.Type.HoverLeave | QEvent.Type.Leave:
                self._hover(QModelIndex())
        return super().viewportEvent(event)

    def _hover(self, index: QModelIndex) -> None:
        now = QPersistentModelIndex(index)
        if now != self._hovered:
            for each in (self._hovered, now):
                self.viewport().update(self.visualRect(each))
            self._hovered = now

    # Selections, for Qt

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        index = self.indexAt(rect.center())
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsSelectable:
            self.selectionModel().select(QItemSelection(index, index), command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        region = QRegion()
        for each in selection.indexes():
            region += self.visualRect(each)
        return region
