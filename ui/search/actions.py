"""The actions on a hit: open, copy, cite, search similar ones, export all; their keys and menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from indexer.api.contract import MAX_LIMIT
from indexer.api.private_files import write_file
from indexer.api.requests import Search
from ui import keys
from ui.citations import CitationCopier, CitedSource, SourceFinder, citable, passage
from ui.dialogs import choose_export
from ui.export import ExportFormat, export_text, tell_written
from ui.ports import Context, Notice
from ui.requests import PatientRequest
from ui.search.describe import is_name_only, title
from ui.search.query_text import similar_to
from ui.search.rows import FoundHits, flattened, grouped
from ui.search.safe_text import line
from ui.theme import icon
from ui.widgets import add_shortcut, unread
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.file_worker import FileWorker
    from ui.search.live_search import LiveSearch
    from ui.search.results import ResultsPane
    from ui.search.rows import ResultRow


class HitExporter(QObject):
    """Writes hits with the bibliographic data of their documents; one export at a time."""

    def __init__(self, context: Context, worker: FileWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self._notices = context.notices
        self._worker = worker
        self._widget = parent
        self._sources = SourceFinder(context.link, self)
        self._request = PatientRequest(context.link, self)

    def ask_where(self, found: FoundHits, form: ExportFormat) -> None:
        """Ask for a file, and export to it."""
        title, name = self.tr("Export the hits"), self.tr("hits")
        wanted = partial(self.export_to, found, form)
        choose_export(self._widget, title, name, form.suffix, wanted)

    def export_to(self, found: FoundHits, form: ExportFormat, path: Path) -> None:
        """Export to a file; if ``found`` is not complete, all hits are requested first."""

        def collected(result: SearchResult) -> None:
            hits = flattened(grouped(result.hits, found.order))
            complete = len(result.hits) < MAX_LIMIT
            self._write(path, replace(found, hits=hits, complete=complete), form)

        self.close()
        if found.complete:
            self._write(path, found, form)
        else:
            self._notices.post(Notice(self.tr("All hits are collected for the export…"), seconds=0))
            self._request.replace_request(Search(found.query, MAX_LIMIT), collected, self._failed)

    def close(self) -> None:
        """Cancel what is under way."""
        self._sources.close()
        self._request.cancel()

    def _failed(self, error: LecternError) -> None:
        message = self.tr("The hits could not be exported. {reason}")
        self._notices.post(Notice(message.format(reason=failures.failure(error))))

    def _write(self, path: Path, found: FoundHits, form: ExportFormat) -> None:
        def cited(hits: Sequence[Hit], sources: Mapping[str, CitedSource]) -> None:
            def work() -> None:
                write_file(path, export_text(hits, sources, form))

            def done(_result: object, error: OSError | None) -> None:
                tell_written(self._notices, path, self._told(found, form, sources), error)

            self._worker.run(work, done)

        self._sources.find_sources(found.hits, cited)

    def _told(
        self, found: FoundHits, form: ExportFormat, sources: Mapping[str, CitedSource]
    ) -> str:
        """Say what was exported, and what was not."""
        if form is not ExportFormat.BIBTEX:
            message = self.tr("%Ln hit(s) exported", "", len(found.hits))
            more = self.tr("{done}; there are more").format(done=message)
            return message if found.complete else more
        count = sum(map(citable, sources.values()))
        left = len(sources) - count
        message = self.tr("%Ln document(s) exported", "", count)
        rest = self.tr("%Ln without author and year left out", "", left)
        return self.tr("{done}; {rest}").format(done=message, rest=rest) if left else message


# How many documents the menu offers for a comparison.
MOST_OTHERS = 15


class HitAction(NamedTuple):
    """An entry of the menu of a hit.

    Attributes:
        of_names: Whether it applies to a hit that was found by the name of its file.
        of_results: Whether only the results offer it: in other lists the page of a hit is in view
            already, and there are no matching words.
    """

    act: Callable[[Hit], object]
    text: str
    drawing: str
    key: str = ""
    of_names: bool = False
    of_results: bool = False


class HitActions(QObject):
    """Carries out actions on hits.

    Signals:
        opened: A hit to open in its own program.
        folder_requested: A hit to show in its folder.
        previewed: Show or hide the preview.
        searched: A query for passages similar to a hit.
        elsewhere_requested: A hit; the library is asked where else it says the same.
        find_requested: Look for words in the document of the selected hit.
        reasons_requested: Show or hide the matching words.
        kept: A hit to put into the basket.
        collected: The name of a collection ("" for a new one), and a document to add to it.
        compared: The paths of two documents to compare.
        used: An action on a hit is about to run.
    """

    opened = Signal(object)
    folder_requested = Signal(object)
    previewed = Signal(object)
    searched = Signal(str)
    elsewhere_requested = Signal(object)
    find_requested = Signal(object)
    reasons_requested = Signal(object)
    kept = Signal(object)
    collected = Signal(str, str)
    compared = Signal(str, str)
    used = Signal()

    def __init__(self, context: Context, worker: FileWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self._notices = context.notices
        self.exporter = HitExporter(context, worker, parent)
        self._citations = CitationCopier(context, self)
        self.copy_cited = self._citations.copy_cited
        self._widget = parent
        self.collections: tuple[str, ...] = ()  # to which a document can be added
        self.shown_menu: QMenu | None = None

    def menu(self, hit: Hit, found: FoundHits) -> QMenu:
        """Make the menu of a hit; ``found`` can be exported. Without a query it is no answer."""
        menu = QMenu(self._widget)
        menu.setAccessibleName(self.tr("What to do with this passage"))
        for part in self._parts():
            for entry in part:
                if found.query or not entry.of_results:
                    name = f"{entry.text}\t{keys.shown([entry.key])}" if entry.key else entry.text
                    act = partial(self.carry_out, entry.act, hit)
                    action = menu.addAction(icon(entry.drawing), name, act)
                    action.setEnabled(entry.of_names or not is_name_only(hit))
            menu.addSeparator()
        self._add_collections(menu, hit)
        self._add_others(menu, hit, found)
        self.add_exports(menu, found)
        return menu

    def _parts(self) -> tuple[tuple[HitAction, ...], ...]:
        """Return the parts of the menu of a hit."""
        entry, both = HitAction, {"of_names": True, "of_results": True}
        return (
            (
                entry(self.opened.emit, self.tr("Open"), "open", "Return", of_names=True),
                entry(self.folder_requested.emit, self.tr("Show in folder"), "folder-open",
                      "Ctrl+Return", of_names=True),
                entry(self.previewed.emit, self.tr("Preview"), "preview", "Space", **both),
                entry(self.reasons_requested.emit, self.tr("Show the words that count"), "both",
                      keys.REASONS, of_results=True),
            ),
            (
                entry(self.copy_passage, self.tr("Copy passage"), "copy", "Ctrl+C"),
                entry(self.copy_cited, self.tr("Copy with citation"), "copy", keys.CITE),
                entry(self.copy_path, self.tr("Copy path"), "copy", of_names=True),
                entry(self.kept.emit, self.tr("Add to the basket"), "basket", keys.COLLECT),
            ),
            (
                entry(self.find_requested.emit, self.tr("Find in document"), "search-inside",
                      "Ctrl+F", **both),
                entry(lambda hit: self.searched.emit(similar_to(hit)), self.tr("Similar"),
                      "similar", of_names=True),
                entry(self.elsewhere_requested.emit, self.tr("Said elsewhere"), "library",
                      keys.ELSEWHERE),
            ),
        )  # fmt: skip

    def _add_collections(self, menu: QMenu, hit: Hit) -> None:
        """Add a submenu of the collections that the document can join."""
        inside = menu.addMenu(icon("library"), self.tr("Add to a collection"))
        for name in self.collections:
            add = partial(self.collected.emit, name, hit.path)
            inside.addAction(name.replace("&", "&&"), add)
        inside.addAction(self.tr("New collection…"), partial(self.collected.emit, "", hit.path))

    def _add_others(self, menu: QMenu, hit: Hit, found: FoundHits) -> None:
        """Add a submenu of other documents that were found, to compare the hit's own with."""
        others = {one.path: one for one in found.hits if one.path != hit.path and one.text}
        compare = menu.addMenu(icon("compare"), self.tr("Compare with"))
        compare.setEnabled(bool(others) and not is_name_only(hit))
        for path, one in list(others.items())[:MOST_OTHERS]:
            name = f"{title(one)} ({line(PurePath(one.file).name)})"
            act = partial(self.compared.emit, hit.path, path)
            action = compare.addAction(name.replace("&", "&&"), act)
            action.setToolTip(line(path))

    def open_menu(self, at: QPoint, hit: Hit, found: FoundHits) -> None:
        """Open the menu of a hit at a point of the screen."""
        if self.shown_menu is not None:
            self.shown_menu.deleteLater()
        self.shown_menu = self.menu(hit, found)
        self.shown_menu.popup(at)

    def add_exports(self, menu: QMenu, found: FoundHits) -> None:
        """Add a menu of the formats for an export."""
        exports = menu.addMenu(icon("export"), self.tr("Export the hits"))
        exports.setEnabled(bool(found.hits))
        for form, text in ((ExportFormat.CSV, "CSV…"), (ExportFormat.BIBTEX, "BibTeX…")):
            exports.addAction(text, partial(self.exporter.ask_where, found, form))

    def carry_out(self, act: Callable[[Hit], object], hit: Hit) -> None:
        """Act on a hit."""
        self.used.emit()
        act(hit)

    def copy_passage(self, hit: Hit) -> None:
        self._copy(passage(hit), self.tr("Passage copied"))

    def copy_path(self, hit: Hit) -> None:
        self._copy(hit.path, self.tr("Path copied"))

    def close(self) -> None:
        """Cancel what is under way."""
        self._citations.close()
        self.exporter.close()

    def _copy(self, text: str, message: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notices.post(Notice(message, seconds=3.0))


class SelectedHit(QObject):
    """Acts on the hit that is selected in the results.

    Signals:
        settled: Enter has ended a query, and its answer has come.
    """

    settled = Signal()

    def __init__(
        self, results: ResultsPane, search: LiveSearch, actions: HitActions, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._results, self._search, self._actions = results, search, actions
        self._stepped = False  # whether the person went to the hit by keys in the box
        self._waits = False  # for the answer to a query that was ended by Enter
        self._unread = unread(self)
        results.view.accepted.connect(self.open_hit)
        results.view.previewed.connect(partial(self._do, actions.previewed.emit))
        copy = partial(self._do, actions.copy_passage)
        on_results = Qt.ShortcutContext.WidgetShortcut
        add_shortcut(results.view, QKeySequence.StandardKey.Copy, copy, on_results)

    @property
    def hit(self) -> Hit | None:
        row = self._results.current
        return row.hit if row is not None else None

    def open_hit(self, in_folder: bool) -> None:
        """Open the hit, or show it in its folder, unless an answer has chosen it just now."""
        actions = self._actions
        if not self._unread.isActive():
            self._do((actions.folder_requested if in_folder else actions.opened).emit)

    def cite_hit(self) -> None:
        """Copy the hit with its citation."""
        self._do(self._actions.copy_cited)

    def step_hits(self, step: int, documents: bool) -> None:
        """Go down by a number of hits or documents, for a key in the box."""
        self._stepped = True
        self._results.step_hits(step, documents)

    def accept_query(self, in_folder: bool) -> None:
        """End the query by Enter in the box; open a hit only if the person has gone to it."""
        if self._stepped and self._search.shows_current and self.hit is not None:
            self._waits = False
            self.open_hit(in_folder)
        elif self._search.is_answered:
            self._go_to_results()
        else:
            self._waits = True
            self._search.hurry()
            self.answered_by_words()

    def answered_by_words(self) -> None:
        """Go to the first hits, if Enter waits; the answer chooses one."""
        if self._waits and self._search.shows_current and self._results.hits:
            self._results.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def answered(self, before: ResultRow | None) -> None:
        """Go to the results, if Enter waits for this answer; ``before`` it a row was selected."""
        row = self._results.current
        if row is not None and (before is None or before.key != row.key):
            self._unread.start()
        if self._waits:
            self._go_to_results()

    def query_changed(self) -> None:
        """Forget the hit that keys in the box have chosen, and that Enter waits for an answer."""
        self._stepped = self._waits = False

    def _go_to_results(self) -> None:
        self._waits = False
        self.settled.emit()
        if self._results.hits:
            self._results.view.setFocus(Qt.FocusReason.OtherFocusReason)
            if self.hit is None:
                self._results.step_hits(1)

    def open_menu(self, event: QContextMenuEvent) -> None:
        """Open the menu of the hit, by the mouse or the menu key."""
        view, hit = self._results.view, self.hit
        by_mouse = event.reason() is event.Reason.Mouse
        at = view.viewport().mapFromGlobal(event.globalPos())
        if hit is None or (by_mouse and not view.viewport().rect().contains(at)):
            return
        if not by_mouse:
            at = view.visualRect(view.currentIndex()).center()
        results, search = self._results, self._search
        order = results.summary.order
        found = FoundHits(results.hits, search.answered_text, order, search.has_all)
        self._actions.open_menu(view.viewport().mapToGlobal(at), hit, found)

    def _do(self, act: Callable[[Hit], object]) -> None:
        if self.hit is not None:
            self._actions.carry_out(act, self.hit)
