"""The list of results: a list view for ten thousand rows of different heights.

Qt's own list asks a Python delegate for the size of every row after each change, which takes longer
than a frame. This view adds up heights once, and new rows do not move those on the screen. It is a
``QListView``, since Qt makes only its own views accessible.
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
    QFrame,
    QListView,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from indexer.api.types import Hit, Why
from ui.search.delegate import ResultsDelegate, ResultsStyle
from ui.search.model import Index, ResultsModel
from ui.search.rows import Key, ResultRow, grouped
from ui.search.snippet import MOST_LINES

if TYPE_CHECKING:
    from PySide6.QtGui import QHoverEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from ui.search.live_search import Words

# ``near_end`` is emitted if less than this is left below, in heights of the view.
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
        model.rowsAboutToBeInserted.connect(self._save_anchor)
        model.rowsAboutToBeRemoved.connect(self._save_anchor)
        model.layoutAboutToBeChanged.connect(self._save_anchor)
        self.setFrameShape(QFrame.Shape.NoFrame)
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
        """Scroll to the current row if its end was in sight at the old height, but is not now.

        The list becomes lower when a banner appears above it.
        """
        end = self.visualRect(self.currentIndex()).bottom()
        if self.viewport().height() <= end < height:
            self.scrollTo(self.currentIndex())

    def _look_again(self) -> None:
        self._save_anchor()
        self.results.use_style(ResultsStyle.from_widget(self, self.viewport().width()))
        self.doItemsLayout()

    # Geometry of rows

    def doItemsLayout(self) -> None:
        self._measured = False
        super(QListView, self).doItemsLayout()

    def reset(self) -> None:
        self._measured = False
        self._anchor = None
        if hasattr(self, "results"):
            self.results.forget_snippets()
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
            return  # rows have come or gone since the last measurement; another one will follow
        anchor, self._anchor = self._anchor, None
        if anchor is not None and anchor[0].isValid() and anchor[0].row() + 1 < len(self._tops):
            self.verticalScrollBar().setValue(self._tops[anchor[0].row()] + anchor[1])

    def room(self, height: int) -> int:
        """Return how many passages fit between a document's row and the line that unfolds more."""
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
        _hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        rect, bar, at = self.visualRect(index), self.verticalScrollBar(), index.row()
        if rect.isNull():
            return
        if at > 0 and not self.rows_model.rows[at - 1].is_reachable:
            # With the first hit of a document its title is shown.
            rect.setTop(rect.top() - self.results.style.document_height)
        height, value = self.viewport().height(), bar.value()
        if rect.top() < 0 or rect.height() > height:
            bar.setValue(value + rect.top())
        elif rect.bottom() >= height:
            bar.setValue(value + rect.bottom() - height + 1)

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


_Move = QAbstractItemView.CursorAction


class ResultsView(RowsView):
    """The list in which a hit is selected.

    Signals:
        hit_current: The index of the hit that became the current one.
        accepted: Enter was pressed, or the mouse double-clicked; true with Ctrl, for the folder.
        previewed: Space was pressed.
        unfolded: The ``ResultRow`` of a line whose passages are to be shown.
        left: Escape (""), or text was typed, which is for the box.
    """

    hit_current = Signal(QModelIndex)
    accepted = Signal(bool)
    previewed = Signal()
    left = Signal(str)
    unfolded = Signal(object)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        row = self.currentIndex().row() if self.currentIndex().isValid() else -1
        documents = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        match action:
            case _Move.MoveNext if row < 0:
                return QModelIndex()  # Qt would choose a hit when the list gets the focus
            case _Move.MoveDown | _Move.MoveNext:
                return self.hit_after(row, 1, documents=documents)
            case _Move.MoveUp | _Move.MovePrevious:
                return self.hit_after(row, -1, documents=documents)
            case _Move.MoveHome:
                return self.hit_after(-1, 1)
            case _Move.MoveEnd:
                return self.hit_after(len(self.rows_model.rows), -1)
            case _Move.MovePageDown | _Move.MovePageUp:
                return self._page(row, 1 if action is _Move.MovePageDown else -1)
            case _:
                return self.currentIndex()

    def hit_after(self, row: int, step: int, *, documents: bool = False) -> QModelIndex:
        """Return the next hit above or below a row, or the first hit of the next document.

        If there is none, the current index is returned.
        """
        rows = self.rows_model.rows
        if documents and step < 0 and 0 <= row < len(rows):
            while row > 0 and not rows[row - 1].is_document:
                row -= 1  # to the first hit of this document
        at = row + step
        while 0 <= at < len(rows):
            begins = at > 0 and rows[at - 1].is_document
            if begins if documents else rows[at].is_reachable:
                return self.rows_model.index(at)
            at += step
        return self.currentIndex()

    @property
    def _row(self) -> ResultRow | None:
        index = self.currentIndex()
        return self.rows_model.rows[index.row()] if index.isValid() else None

    def _page(self, row: int, step: int) -> QModelIndex:
        there = self.top_of(max(row, 0)) + step * self.verticalScrollBar().pageStep()
        at = self.row_at(there)
        found = self.hit_after(at - step, step)
        return found if found.row() != row else self.hit_after(at + step, -step)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()
        if current.isValid() and self.rows_model.rows[current.row()].is_hit:
            self.hit_current.emit(self.rows_model.index(current.row()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.BackButton, Qt.MouseButton.ForwardButton):
            event.ignore()  # the window goes back and forward
            return
        index = self.indexAt(event.position().toPoint())
        row = self.rows_model.rows[index.row()] if index.isValid() else None
        if row is not None and not row.is_hit:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            if row.is_document:
                self.setCurrentIndex(self.rows_model.index(index.row() + 1))
            elif row.is_reachable:
                self.unfolded.emit(row)
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = self.rows_model.rows[index.row()] if index.isValid() else None
        if row is not None and (row.is_hit or row.is_document):
            self.accepted.emit(False)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        text = event.text()
        row = self._row
        match Qt.Key(event.key()):
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if row and not row.is_hit:
                self.unfolded.emit(row)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.accepted.emit(control)
            case Qt.Key.Key_Space if not control:
                self.previewed.emit()
            case Qt.Key.Key_Escape:
                self.left.emit("")
            # The question mark is the window's: it lists the keys.
            case _ if text.isprintable() and text.strip() and text != "?" and not control:
                self.left.emit(text)
            case _:
                super().keyPressEvent(event)
                return
        event.accept()


# The letters of most texts; the second sentence is the marked one.
_TEXT = (
    "The quick brown fox jumps over the lazy dog. PACK MY BOX, with 5 dozen (liquor) jugs; "
    "isn’t it “fine”? Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich: 0123456789."
)
_BEST = (45, 86)


def warm(view: ResultsView) -> None:
    """Paint a document with a hit of each reason as ``view`` would, but not on the screen."""
    spare = ResultsView(ResultsModel())
    spare.setFont(view.font())
    spare.resize(view.size())
    spare.rows_model.show_groups(grouped(map(_hit, Why)), same_query=False)
    spare.grab()
    spare.deleteLater()


def _hit(why: Why) -> Hit:
    at = 1 + list(Why).index(why)
    return Hit(
        path=f"/{_TEXT}", root="/", file=_TEXT, title=_TEXT, page=at, page_last=at, start=at,
        end=at + len(_TEXT), score=1.0, text=_TEXT, heading_path=(_TEXT,), why=why, best=_BEST,
        marks=(_BEST,), modified_ns=1,
    )  # fmt: skip
