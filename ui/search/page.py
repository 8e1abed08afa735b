"""The search page: the box and its filters over everything, and the results below them."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from indexer.api.requests import GetStatus, ListFiles
from indexer.api.types import Hit, Match, SearchResult
from ui import keys
from ui.file_worker import FileWorker
from ui.ports import ignore
from ui.requests import LatestRequest, Questions
from ui.search.actions import HitActions, SelectedHit
from ui.search.bar import BusyLine, Collections, FilterValues, SearchBar
from ui.search.describe import is_name_only, pages
from ui.search.facets import FacetPanel, facets_of, quick_facets
from ui.search.filters import ChipBar
from ui.search.labels import MessageLine
from ui.search.live_search import FIRST_LIMIT, WORDS_LIMIT, Freshness, LiveSearch, Reasons
from ui.search.memory import Alerts, Memory, Steps, digest
from ui.search.panels import ModelOffer
from ui.search.query_text import asks, inside, is_link, place_of, query_of, with_filter
from ui.search.results import ResultsPane
from ui.search.rows import Key, ResultOrder, ResultRow, key_of
from ui.search.view import warm
from ui.theme import L, M, S
from ui.widgets import add_shortcut, filled, stacked, timer
from ui.words import failures

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QShowEvent

    from indexer.api.answers import FileList
    from ui.ports import Context

# Milliseconds after which the query of shown results enters the history.
_NOTED_MS = 4000


class HistoryNotes(QObject):
    """Adds searches and documents to the history, while the setting ``history`` is on."""

    def __init__(
        self, context: Context, memory: Memory, search: LiveSearch, results: ResultsPane
    ) -> None:
        super().__init__(results)
        self._context = context
        self._memory, self._search, self._results = memory, search, results
        self.timer = timer(self, _NOTED_MS, self._note_shown)
        for each in memory.lists:
            each.tell_trouble(context.notices)
        context.settings.watch(self._setting_changed)

    def note_current(self) -> None:
        """Note the answered query, and the document of the current hit."""
        self._memory.note_search(self._search.answered_text)
        current = self._results.current
        if current is not None:
            self._memory.note_document(current.hit.path)

    def _note_shown(self) -> None:
        """Note the query, but its document only if the person went to it."""
        if self._results.view.hasFocus():
            self.note_current()
        else:
            self.note_query()

    def note_query(self) -> None:
        """Note the query alone."""
        self._memory.note_search(self._search.text)

    def _setting_changed(self, name: str) -> None:
        if name == "history":
            self._memory.remember(on=bool(self._context.settings["history"]))


class MovedDocuments(QObject):
    """Finds recent documents that were moved, by their names, or renamed, by size and time."""

    def __init__(self, context: Context, memory: Memory, parent: QWidget) -> None:
        super().__init__(parent)
        self._link, self._memory = context.link, memory
        self._questions = Questions(context, self)
        self._seen: dict[str, tuple[int, int]] = {}

    def follow(self) -> None:
        """Ask the library where the recent documents are."""
        for path in self._memory.documents if self._link.is_connected else ():
            request, done = ListFiles(text=PurePath(path).name), partial(self._answered, path)
            self._questions.ask_engine(request, done, failed=ignore, slot=path)

    def _answered(self, path: str, found: FileList) -> None:
        name = PurePath(path).name
        there = {row.path: row for row in found.files if PurePath(row.path).name == name}
        if path in there:
            self._seen[path] = there[path].size, there[path].mtime_ns
        elif len(there) == 1:
            self._memory.follow_document(path, *there)
        elif path in self._seen:
            request, done = ListFiles(root=Path(path).parent), partial(self._renamed, path)
            self._questions.ask_engine(request, done, failed=ignore, slot=path)

    def _renamed(self, path: str, found: FileList) -> None:
        seen = self._seen[path]
        now = [row.path for row in found.files if (row.size, row.mtime_ns) == seen]
        if len(now) == 1:
            self._memory.follow_document(path, now[0])

    def stop(self) -> None:
        """Cancel the requests."""
        self._questions.cancel_all()


# How many hits other orders than relevance need, since their first documents may rank low.
_SORTED_LIMIT = 500


class SearchPage(QWidget):
    """The search page: the box, its filters, and the results.

    Signals:
        hit_selected: The current hit, all hits of its document, its number among them, the query.
        emptied: There is no current hit any more.
        files_requested: Show the files in a state.
        folders_requested: Choose folders for an empty library.
        help_requested: Show the help of the grammar.
    """

    hit_selected = Signal(object, list, int, str)
    emptied = Signal()
    folders_requested = Signal()
    files_requested = Signal(str)
    help_requested = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._worker = FileWorker(self)
        self.memory = Memory(
            context.folder, self._worker, remembers=bool(context.settings["history"]), parent=self
        )
        self.live_search = LiveSearch(context.link, self)
        self.freshness = Freshness(self)
        self.alerts = Alerts(
            context.folder, self._worker, self.memory, self.live_search, context.link, self
        )
        self.reasons = Reasons(context.link, self)
        self.actions_on_hits = HitActions(context, self._worker, self)
        self._status = LatestRequest(context.link)  # asks which files an answer does not cover
        self.collections = Collections(context, self)
        self.steps = Steps()
        self._wanted_key: Key | None = None  # the key of the hit to select in the next answer
        self._build()
        self._values = FilterValues(
            context.link, self.collections, self.bar.box, self.actions_on_hits
        )
        self._moved = MovedDocuments(context, self.memory, self)
        self._history = HistoryNotes(context, self.memory, self.live_search, self.results)
        self._selected = SelectedHit(self.results, self.live_search, self.actions_on_hits, self)
        self.cite_hit = self._selected.cite_hit
        self._connect()
        self._show_start()

    @property
    def query(self) -> str:
        """The query in the box."""
        return self.bar.box.query

    @property
    def current_hit(self) -> Hit | None:
        """The selected hit."""
        return self._selected.hit

    def search(self, text: str) -> None:
        """Search for a query, or for the passage of a link, and show the query in the box."""
        self.bar.box.set_query(query_of(text) if is_link(text) else text)
        self._changed(self.query, at_once=True)
        self.focus_box()

    def go_through_history(self, step: int) -> None:
        """Go back (-1) or forward (1) in the history of queries and their hits."""
        there = self.steps.go_through(step)
        if there is not None:
            self.search(there.query)
            self._wanted_key = there.key

    def restore(self) -> None:
        """Repeat the last search before the window was closed, and select its hit."""
        if (left := self.memory.left) is not None:
            self.search(left.query)
            self._wanted_key = (left.path, left.start, left.end) if left.path else None

    def search_inside(self, path: str) -> None:
        """Restrict the search to one document, and focus the box."""
        self.search(inside(path, self.query))
        self.bar.box.focus_end()

    def focus_box(self) -> None:
        """Focus the box with its text selected, so that typing replaces it."""
        self.bar.box.focus_all()

    def type_text(self, typed: str) -> None:
        """Begin a new query with text that was typed on another page."""
        self.focus_box()
        self.bar.box.type_text(typed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._values.ask_values()  # folders may have come or gone meanwhile
        self._start_changed()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.stop()
        super().closeEvent(event)

    def warm(self) -> None:
        """Warm up fonts and painting before the first results."""
        warm(self.results.view)

    def stop(self) -> None:
        """Cancel what is under way, and wait until files are written."""
        self._history.timer.stop()
        row = self.results.current
        self.memory.leave(self.query, row.key if row is not None else None)
        self.freshness.stop()
        self.reasons.stop()
        self.live_search.stop()
        self._status.cancel()
        self._moved.stop()
        self.alerts.stop()
        self.actions_on_hits.close()
        self._worker.close()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._selected.open_menu(event)

    # How it is built

    def _build(self) -> None:
        self.bar = SearchBar(self.memory, self.collections, self._context.notices)
        self.busy = BusyLine()
        self.chips = ChipBar()
        self.head = QWidget()
        box = filled(QVBoxLayout(), self.bar, self.busy, spacing=0)
        filled(QVBoxLayout(self.head), box, self.chips, spacing=S, edges=(L, M, L, M))
        self.message = MessageLine()
        self.message.setContentsMargins(L, M, L, M)
        self.results = ResultsPane()
        self.offer = ModelOffer(self._context)
        self.listing = QWidget()
        parts = (self.message, self.offer, self.results)
        filled(QVBoxLayout(self.listing), *parts, spacing=0, wide=self.results)
        self.left = stacked(self.listing)
        self.panes = QSplitter(Qt.Orientation.Horizontal)
        self.panes.addWidget(self.left)
        filled(QVBoxLayout(self), self.head, self.panes, spacing=0, wide=self.panes)
        self.setFocusProxy(self.bar.box)

    @cached_property
    def facets(self) -> FacetPanel:
        """The panel of the filters that are offered, made when first opened."""
        panel = FacetPanel(self)
        panel.chosen.connect(self._narrow)
        self._values.changed.connect(self._fill_facets)
        return panel

    def _connect(self) -> None:
        box, search = self.bar.box, self.live_search
        box.query_edited.connect(self._typed_in)
        box.query_changed.connect(self.chips.show_query)
        box.stepped.connect(self._selected.step_hits)
        box.accepted.connect(self._selected.accept_query)
        self.bar.searched.connect(self.search)
        box.left.connect(lambda: self.chips.focus_chip(len(self.chips.chips) - 1))
        box.all_selected.connect(self.chips.show_selected)
        self.chips.left.connect(box.setFocus)
        self.chips.edited.connect(self._edited)
        self.chips.offers_requested.connect(self._offer_filters)
        self.chips.narrowed.connect(self._narrow)
        search.busy.connect(self.busy.show_busy)
        search.answered.connect(self._answered)
        search.answered_by_words.connect(self._answered_by_words)
        self.freshness.outdated.connect(self.ask_again)
        search.failed.connect(self.message.show_failure)
        search.stale.connect(self.results.view.set_stale)
        search.emptied.connect(self._show_start)
        search.waiting.connect(self.message.show_waiting)
        for signal in (self.memory.changed, self.alerts.changed):
            signal.connect(self._saved_changed)
        self._values.changed.connect(self._start_changed)
        self._values.changed.connect(self._show_offers)
        self._values.changed.connect(self._moved.follow)
        # The query may name a collection whose content has changed.
        self.collections.changed.connect(self.live_search.refresh)
        self._connect_results()

    def _connect_results(self) -> None:
        results, actions = self.results, self.actions_on_hits
        view = results.view
        results.hit_current.connect(self._emit_selected)
        results.emptied.connect(self.emptied)
        results.emptied.connect(self.reasons.stop)
        self.reasons.shown.connect(results.show_words)
        results.ordered.connect(self._ordered)
        view.near_end.connect(self.live_search.want_more)
        view.left.connect(self._back_to_box)
        for part in (results.summary, results.nothing):
            part.unsearched.files_requested.connect(self.files_requested)
        results.start.searched.connect(self.search)
        results.start.dropped.connect(self.memory.drop_entry)
        results.start.discarded.connect(self.bar.discard)
        results.start.folders_requested.connect(self.folders_requested)
        results.start.help_requested.connect(self.help_requested)
        self.bar.help_requested.connect(self.help_requested)
        results.nothing.searched.connect(self.search)
        actions.searched.connect(self.search)
        actions.used.connect(self._history.note_current)
        self._selected.settled.connect(self._history.note_query)
        actions.reasons_requested.connect(self.reasons.toggle_words)
        add_shortcut(self, keys.REASONS, self.reasons.toggle_words)

    # Asking

    def _typed_in(self, text: str) -> None:
        if is_link(text) and (query := query_of(text)):
            self.search(query)
            return
        if not self.live_search.asks_the_same(text):
            self._changed(text)
        self._values.report_typing()

    def _changed(self, text: str, *, at_once: bool = False) -> None:
        self._history.timer.stop()
        self._selected.query_changed()
        self._wanted_key = None  # which was of the query before
        self.live_search.want_query(text, at_once=at_once)

    def _edited(self, text: str) -> None:
        """Search for the query that a chip or a menu has changed."""
        self.bar.box.set_query(text)
        self._changed(self.query, at_once=True)

    def _offer_filters(self) -> None:
        """Open the panel of filters, and ask for more hits, so that it can count documents."""
        self._values.ask_values()
        self.live_search.want_documents(_SORTED_LIMIT)
        self._fill_facets()
        self.facets.open_below(self.chips.button)

    def _fill_facets(self) -> None:
        heads = {group.path: group.head for group in self.results.groups}
        roots, languages = self._values.roots or (), self._values.languages
        known = self.collections.known
        self.facets.show_facets(facets_of(roots, known, languages, list(heads.values())))

    def _show_offers(self) -> None:
        """Offer the folders and endings of the listed documents beside the button."""
        listed = self.results.groups if self.results.shown is self.results.view else ()
        paths = [group.path for group in listed]
        self.chips.show_offers(quick_facets(self._values.roots or (), paths))

    def _narrow(self, operator: str, value: str) -> None:
        self._edited(with_filter(self.query, operator, value))
        self.bar.box.focus_end()

    def _answered(self, result: SearchResult, same_query: bool) -> None:
        self.freshness.answered(result.seconds)
        if not result.hits and self._values.roots == ():
            self.message.show_notes(())
            self._fill_start()  # this says that the library is empty
            return
        self.message.show_notes([failures.note(note) for note in result.notes])
        self.offer.show_notes(result.notes)
        text, more = self.live_search.answered_text, self.live_search.may_have_more
        before = self.results.current
        if not asks(text):  # without words no sentence can be the answer
            hits = (replace(hit, best=(0, 0), marks=()) for hit in result.hits)
            result = replace(result, hits=tuple(hits))
        self.steps.note_query(text)
        new = self.alerts.visit(text, result.hits)
        if new or not same_query:
            self.results.show_new({key_of(hit) for hit in result.hits if digest(hit) in new})
        self.results.show_answer(text, result, same_query=same_query, more=more)
        key, self._wanted_key = self._wanted_key, None
        if key is not None:
            self.results.go_to(key)
        self._values.show_documents([group.path for group in self.results.groups])
        self._show_offers()
        if "facets" in self.__dict__ and self.facets.isVisible():
            self._fill_facets()
        if result.match is Match.GOOD and result.hits:
            self._status.cancel()
        elif not same_query:
            self._status.replace_request(GetStatus(), self.results.unsearched.show_status)
        if not same_query and result.hits:
            self._history.timer.start()
        self._selected.answered(before)

    def _answered_by_words(self, result: SearchResult) -> None:
        query = self.live_search.answered_text
        self.steps.note_query(query)
        more = len(result.hits) == WORDS_LIMIT
        self.results.show_answer(query, result, same_query=False, more=more, by_words=True)
        if self._wanted_key is not None:
            self.results.go_to(self._wanted_key)
        self._selected.answered_by_words()

    def ask_again(self) -> None:
        """Refresh the results, unless the page is hidden or a menu is open."""
        if self.isVisible() and QApplication.activePopupWidget() is None:
            self.live_search.refresh()

    def _show_start(self) -> None:
        self.freshness.stop()
        self.message.show_notes(())
        self._moved.follow()
        self._fill_start()
        self._show_offers()

    def _fill_start(self) -> None:
        empty = self._values.roots == ()
        memory, start = self.memory, self.results.start
        saved = self.alerts.annotated()
        start.show_searches(memory.recent, memory.documents, saved, empty_library=empty)
        self.results.show_start()

    def _saved_changed(self) -> None:
        self.bar.show_saved(self.alerts.annotated())
        self._start_changed()

    def _start_changed(self) -> None:
        if self.results.shown is self.results.start:
            self._fill_start()  # unlike ``_show_start`` it keeps the message of a failed query

    def _ordered(self, order: ResultOrder) -> None:
        self.live_search.search_again(
            FIRST_LIMIT if order is ResultOrder.RELEVANCE else _SORTED_LIMIT
        )

    def show_selected(self) -> None:
        """Emit ``hit_selected`` again, or ``emptied`` without a hit."""
        row = self.results.current
        if row is not None:
            self._emit_selected(row)
        else:
            self.emptied.emit()

    def _emit_selected(self, row: ResultRow) -> None:
        self.steps.note_hit(row.key, chosen=self.results.view.hasFocus())
        query, hit = self.live_search.answered_text, row.hit
        self.chips.places[place_of(hit.path, (hit.start, hit.end))] = pages(hit)
        self.reasons.select(hit, query)
        self.hit_selected.emit(hit, list(row.group.hits), row.number, query)

    def _back_to_box(self, typed: str) -> None:
        self.focus_box()
        if typed:
            self.bar.box.end(False)
            self.bar.box.type_text(typed)

    def keep(self) -> None:
        """Put the current hit into the basket."""
        if self.current_hit is not None and not is_name_only(self.current_hit):
            self.actions_on_hits.carry_out(self.actions_on_hits.kept.emit, self.current_hit)
