"""Two documents side by side: what each says that the other does not, and both pages below.

Owns the request, the rows of its answer, and which statement is shown on the pages. It must not
know how documents were chosen.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from indexer.api.requests import Compare
from ui.compare.rows import Cell, Row, RowList
from ui.compare.side import DocumentSide, hit_of, named
from ui.search import describe
from ui.search.hit_export import FoundHits
from ui.search.safe_text import line
from ui.theme import L, M
from ui.widgets import IconButton, plain_label, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from indexer.api.comparison import Comparison, ComparisonSide, LoneStatement, Statement
    from indexer.api.errors import LecternError
    from ui.ports import Context

# Statements of each part, the most different ones.
_MOST = 100
# The nearest statement is shown from this share of ``Comparison.border`` on.
_NEAR = 0.5
_SHARES = (2, 3)  # of the height: the statements, the pages


class ComparePage(QWidget):
    """The page.

    Signals:
        left: Back to the search.
        menu_requested: Where, a statement as a passage, and all those beside it.
    """

    left = Signal()
    menu_requested = Signal(QPoint, object, object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._link = context.link
        self._request: int | None = None
        self.found: Comparison | None = None
        title = plain_label(self.tr("Comparison"))
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        self.message = wrapped_label()
        self.back = IconButton(self.tr("Back to the results"), "search")
        self.back.clicked.connect(self.left)
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Statements that differ"))
        self.list.chosen.connect(self._choose)
        self.list.menu_requested.connect(self._request_menu)
        self.sides = (DocumentSide(context.library), DocumentSide(context.library))
        below = QSplitter(Qt.Orientation.Horizontal)
        for side in self.sides:
            below.addWidget(side)
            side.menu_requested.connect(self.menu_requested)
        self.parts = QSplitter(Qt.Orientation.Vertical)
        for share, part in zip(_SHARES, (self.list, below), strict=True):
            self.parts.addWidget(part)
            self.parts.setStretchFactor(self.parts.count() - 1, share)
        self.parts.setSizes([100 * share for share in _SHARES])
        below.setSizes([100, 100])
        for splitter in (below, self.parts):
            splitter.setChildrenCollapsible(False)
        head = QHBoxLayout()
        head.setSpacing(M)
        head.addWidget(title)
        head.addWidget(self.message, 1)
        head.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, 0)
        column.setSpacing(M)
        column.addLayout(head)
        column.addWidget(self.parts, 1)

    def compare(self, first: str, second: str) -> None:
        """Compare two documents, given by their paths."""
        self.rest()
        for side, path in zip(self.sides, (first, second), strict=True):
            side.show_document(line(PurePath(path).name))
        self.list.show_rows([])
        self.message.setText(self.tr("The documents are being compared…"))
        self._request = self._link.ask(
            Compare(first, second, _MOST), done=self._answered, failed=self._failed
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        row = self.list.current_row
        # The documents of a comparison that was left are closed.
        if row is not None and not event.spontaneous():
            self._choose(row)

    def rest(self) -> None:
        """Cancel the request, and close both documents."""
        if self._request is not None:
            self._link.cancel(self._request)
            self._request = None
        for side in self.sides:
            side.rest()

    def _answered(self, found: Comparison) -> None:
        self._request = None
        self.found = found
        for side, told in zip(self.sides, (found.first, found.second), strict=True):
            side.title.setText(named(told))
        changed = [
            Row(
                (
                    Cell(_place(found.first, one.first), one.first.text, one.first_marks),
                    Cell(_place(found.second, one.second), one.second.text, one.second_marks),
                ),
                (one.first, one.second),
            )
            for one in found.changed
        ]
        only = self.tr("Only in {name}: {count}")
        sections = [
            (self.tr("In both, with other values or a negation: {count}").format(
                count=amounts.count(found.changes)), changed),
            (only.format(name=named(found.first), count=amounts.count(found.first.alone)),
             [self._lone(found, one, 0) for one in found.first.only]),
            (only.format(name=named(found.second), count=amounts.count(found.second.alone)),
             [self._lone(found, one, 1) for one in found.second.only]),
        ]  # fmt: skip
        self.list.show_rows(sections)
        self.message.setText(self._summary(found))
        self.list.choose(0)

    def _summary(self, found: Comparison) -> str:
        if not self.list.rows:
            return self.tr("Each says what the other says.")
        hidden = sum(side.alone - len(side.only) for side in (found.first, found.second))
        if hidden + found.changes - len(found.changed):
            return self.tr("The most different statements of each part are shown.")
        return ""

    def _lone(self, found: Comparison, one: LoneStatement, at: int) -> Row:
        """A statement of one document beside the nearest of the other, if any is near."""
        mine, other = (found.first, found.second)[at], (found.second, found.first)[at]
        near = one.near if one.cosine >= _NEAR * found.border else None
        cells: list[Cell | None] = [Cell(_place(mine, one), one.text)]
        cells.append(
            None
            if near is None
            else Cell(
                self.tr("Nearest: {place}").format(place=_place(other, near)), near.text, pale=True
            )
        )
        places = [one, near]
        if at:
            cells.reverse()
            places.reverse()
        return Row(tuple(cells), tuple(places))

    def _choose(self, row: Row) -> None:
        found = self.found
        if found is None:
            return
        for side, told, statement in zip(
            self.sides, (found.first, found.second), row.of, strict=True
        ):
            if statement is not None:
                side.show_statement(told, statement)
            else:
                side.show_beginning(told)

    def _request_menu(self, row: Row, cell: int, at: QPoint) -> None:
        if self.found is not None:
            told = (self.found.first, self.found.second)
            hits = {n: hit_of(told[n], each) for n, each in enumerate(row.of) if each is not None}
            self.menu_requested.emit(at, hits[cell], FoundHits(tuple(hits.values())))

    def _failed(self, error: LecternError) -> None:
        self._request = None
        self.message.setText(failures.failure(error))


def _place(side: ComparisonSide, statement: Statement) -> str:
    hit = hit_of(side, statement)
    return ", ".join(filter(None, (describe.pages(hit), describe.headings(hit))))
