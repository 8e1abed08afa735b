"""The lower part of the search page: the results with their summary, or a panel in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from indexer.api.types import Hit, Match, SearchResult
from ui.search.describe import words_spoken
from ui.search.model import ResultsModel
from ui.search.panels import NothingPanel, ResultsSummary, Unsearched
from ui.search.query_text import quoted_phrases
from ui.search.rows import (
    EVERYTHING,
    HitGroup,
    Key,
    ResultOrder,
    ResultRow,
    ResultsLayout,
    RowKind,
    flattened,
    grouped,
    key_of,
    rows_of,
)
from ui.search.start import StartPanel
from ui.search.view import ResultsView
from ui.widgets import filled, stacked

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from ui.search.live_search import Words


class ResultsPane(QWidget):
    """Shows the answers to queries, or a panel in their place.

    Signals:
        hit_current: The ``ResultRow`` of the hit that became the current one.
        emptied: There is no current hit any more.
        ordered: The person chose another ``ResultOrder``.
    """

    hit_current = Signal(object)
    emptied = Signal()
    ordered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.model = ResultsModel(self)
        self.result: SearchResult | None = None
        self.groups: tuple[HitGroup, ...] = ()
        self._unfolded: frozenset[Key] = frozenset()
        self._by_words: str | None = None  # the query whose hits by words are shown
        self._ordered = False  # whether the order has changed, so that the next answer begins anew
        self._room = 0
        self.summary = ResultsSummary()
        self.view = ResultsView(self.model)
        self.view.setAccessibleName(self.tr("Results"))
        self.start = StartPanel()
        self.nothing = NothingPanel()
        self.stack = stacked(self.view, self.start, self.nothing)
        filled(QVBoxLayout(self), self.summary, self.stack, spacing=0, wide=self.stack)
        self.view.hit_current.connect(self._emit_current)
        self.view.unfolded.connect(self._unfold)
        self.summary.ordered.connect(self._order)

    @property
    def shown(self) -> QWidget | None:
        """The list, or the panel in its place."""
        return self.stack.currentWidget()

    @property
    def unsearched(self) -> Unsearched:
        """The line that says what the answer leaves out."""
        return self.summary.unsearched if self.groups else self.nothing.unsearched

    @property
    def current(self) -> ResultRow | None:
        """The row of the current hit."""
        index = self.view.currentIndex()
        row = self.model.rows[index.row()] if index.isValid() else None
        return row if row is not None and row.is_hit else None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All hits of the answer, in the order of the list."""
        return flattened(self.groups)

    def show_answer(
        self, query: str, result: SearchResult, *, same_query: bool, more: bool,
        by_words: bool = False,
    ) -> None:  # fmt: skip
        """Show an answer.

        Args:
            query: The query.
            result: The answer.
            same_query: The last answer was to the same query, so the current hit stays.
            more: There may be more hits than these.
            by_words: The answer will follow, so no hit is selected, which would show its page. A
                hit that the person chooses meanwhile stays, at the end if the answer lacks it.
        """
        follows, top = query == self._by_words, self.view.scrolled_to
        chosen = self.current if follows else None
        keeps = (same_query and not self._ordered) or (
            follows and bool(chosen or top.isValid() or self._unfolded)
        )
        now = self.current if keeps else None
        kept = now.key if now is not None else None
        row = self.view.currentIndex().row() if keeps else -1
        if chosen is not None and chosen.key not in map(key_of, result.hits):
            result = replace(result, hits=(*result.hits, chosen.hit))
        self._by_words = query if by_words else None
        self._ordered = False
        self.result = result
        self.groups = grouped(result.hits, self.summary.order)
        if not keeps:
            self._unfolded = frozenset()
            self._room = self.view.room(self.stack.height())
        self.model.phrases = self.view.results.phrases = quoted_phrases(query)
        if chosen is not None:
            self._unfold_to(chosen)
        self.model.show_groups(self.groups, same_query=keeps, layout=self._layout())
        if follows and row < 0:
            row = top.row()  # a hit in sight is selected
        documents = len({group.path for group in self.groups})
        self.summary.show_result(result, documents, more=more, by_words=by_words)
        self.summary.setVisible(bool(self.groups))
        if not self.groups:
            self.nothing.show_nothing(query)
            self.emptied.emit()
        self.stack.setCurrentWidget(self.view if self.groups else self.nothing)
        if by_words:
            return
        if result.match is not Match.NONE or kept is not None:
            self._select(kept, row)
        elif self.groups:
            self.emptied.emit()  # without a good match none is selected
        if not same_query:
            self._announce()

    def _unfold_to(self, chosen: ResultRow) -> None:
        """Unfold the line that would hide a hit."""
        if all(row.key != chosen.key for row in rows_of(self.groups, self._layout())):
            self._unfolded |= {EVERYTHING, ResultRow(chosen.group).key}

    def show_new(self, keys: AbstractSet[Key]) -> None:
        """Set the hits that the next answer marks as new."""
        self.view.results.new = self.model.new = keys

    def show_words(self, hit: Hit | None, words: Words | None) -> None:
        """Underline the matching words of a hit, and announce them; None to remove them."""
        if hit is None or words is None:
            self.view.show_words(None)
            return
        self.view.show_words((key_of(hit), words))
        said = QAccessibleAnnouncementEvent(self, words_spoken(hit, words))
        QAccessible.updateAccessibility(said)

    def show_start(self) -> None:
        """Show the start panel, in place of an answer."""
        self.result, self.groups, self._by_words = None, (), None
        self.emptied.emit()
        self.model.clear()
        self.summary.hide()
        self.stack.setCurrentWidget(self.start)

    def step_hits(self, step: int, documents: bool = False) -> None:
        """Go down by a number of hits or documents."""
        index = self.view.currentIndex()
        row = index.row() if index.isValid() else 0
        self.view.setCurrentIndex(self.view.hit_after(row, step, documents=documents))

    def select_hit(self, number: int) -> None:
        """Go to a hit of the current document, by its number (from 0)."""
        row = self.current
        if row is not None and 0 <= number < len(row.group.hits):
            self._show_hit(row.group, number)

    def go_to(self, key: Key) -> None:
        """Go to a hit by its key, if it is there."""
        for group in self.groups:
            for number, hit in enumerate(group.hits):
                if key_of(hit) == key:
                    self._show_hit(group, number)
                    return

    def _show_hit(self, group: HitGroup, number: int) -> None:
        """Select a hit of a document; unfold the document's passages if necessary."""
        wanted = ResultRow(group, number, RowKind.HIT)
        if self.model.place(wanted.key) < 0:
            self._unfold(ResultRow(group, kind=RowKind.MORE))
        self.view.setCurrentIndex(self.model.index(self.model.place(wanted.key)))

    def _order(self, order: ResultOrder) -> None:
        if self.result is not None:
            self.groups = grouped(self.result.hits, order)
            self.model.show_groups(self.groups, same_query=False, layout=self._layout())
            self._select(None)
            self._ordered = True
        self.ordered.emit(order)

    def _layout(self) -> ResultsLayout:
        ranked = self.summary.order is ResultOrder.RELEVANCE
        good = self.result is None or self.result.match is not Match.NONE
        return ResultsLayout(good, ranked, self._unfolded, self._room)

    def _unfold(self, row: ResultRow) -> None:
        """Show the passages behind a line, and select the first if the line was selected."""
        before = self.view.currentIndex()
        at = before.row() if before.isValid() and not self.model.rows[before.row()].is_hit else -1
        unfolds = row.key if row.kind is RowKind.ALIKE else ResultRow(row.group).key
        self._unfolded |= {unfolds if row.group.path else EVERYTHING}
        self.model.show_groups(self.groups, same_query=True, layout=self._layout())
        if at >= 0:
            self._select(None, at)

    def _select(self, key: Key | None, row: int = -1) -> None:
        """Select the row with a key, else the hit at or after a row, else the first hit."""
        place = self.model.place(key) if key is not None else -1
        if place < 0:
            place = min(max(row, 1), len(self.model.rows) - 1)
            while 0 < place < len(self.model.rows) and not self.model.rows[place].is_hit:
                place += 1
        if not 0 < place < len(self.model.rows):
            return
        if self.view.currentIndex().row() != place:
            self.view.setCurrentIndex(self.model.index(place))
        elif row >= 0:
            # The same hit, but its neighbours may have changed.
            self._emit_current(self.view.currentIndex())

    def _emit_current(self, index: QModelIndex) -> None:
        self.hit_current.emit(self.model.rows[index.row()])

    def _announce(self) -> None:
        announcement = self.summary.text if self.groups else self.tr("Nothing was found")
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, announcement))
