"""The list of results: its keys and its mouse.

It must not know the positions of rows (``rows_view``) nor their content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView

from ui.search.rows_view import RowsView
from ui.widgets import timer

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QHoverEvent, QKeyEvent, QMouseEvent
    from PySide6.QtWidgets import QWidget

    from ui.search.model import Index, ResultsModel
    from ui.search.rows import Row

_Move = QAbstractItemView.CursorAction
# Milliseconds for which the mouse rests on an icon before the matching words are requested.
POINTING_MS = 250


class ResultsView(RowsView):
    """The list in which a hit is selected.

    Signals:
        hit_current: The index of the hit that became the current one.
        accepted: Enter or a double click; true: with Ctrl, show it in its folder.
        previewed: Space was pressed.
        unfolded: The ``Row`` of a line whose passages are to be shown.
        left: Escape (""), or text was typed, which is for the box.
        pointed: The ``Row`` whose icon the mouse points at; None when it no longer does.
    """

    hit_current = Signal(QModelIndex)
    accepted = Signal(bool)
    previewed = Signal()
    left = Signal(str)
    unfolded = Signal(object)
    pointed = Signal(object)

    def __init__(self, model: ResultsModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._at_icon: Row | None = None
        self._pointing = timer(self, POINTING_MS, self._point)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        row = self.currentIndex().row() if self.currentIndex().isValid() else -1
        documents = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        match action:
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
        """Return the next hit above or below a row, or the first of the next document.

        Without one it is the current index.
        """
        rows = self.rows_model.rows
        if documents and step < 0 and 0 <= row < len(rows):
            while row > 0 and not rows[row].is_document and rows[row].number:
                row -= 1  # to the first hit of this document
        at = row + step
        while 0 <= at < len(rows):
            if rows[at].number == 0 if documents else rows[at].is_reachable:
                return self.rows_model.index(at)
            at += step
        return self.currentIndex()

    @property
    def _row(self) -> Row | None:
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

    def viewportEvent(self, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.HoverMove | QEvent.Type.HoverEnter:
                hover: QHoverEvent = event  # type: ignore[assignment]  # by its type
                self._point_at(self._row_by_icon(hover.position().toPoint()))
            case QEvent.Type.HoverLeave | QEvent.Type.Leave:
                self._point_at(None)
        return super().viewportEvent(event)

    def _row_by_icon(self, place: QPoint) -> Row | None:
        """Return the row of the hit whose icon is at a point."""
        index = self.indexAt(place)
        row = self.rows_model.rows[index.row()] if index.isValid() else None
        if row is None or not row.is_hit:
            return None
        rect, direction = self.visualRect(index), self.layoutDirection()
        return row if self.results.is_on_icon(rect, place.x(), direction) else None

    def _point_at(self, row: Row | None) -> None:
        if row is not self._at_icon:
            self._at_icon = row
            self._pointing.start()

    def _point(self) -> None:
        self.pointed.emit(self._at_icon)

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
