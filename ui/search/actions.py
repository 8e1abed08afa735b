"""The actions on a hit: open, copy, cite, search similar ones, export all; their keys and menu."""

from __future__ import annotations

from enum import Enum, auto
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct
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
from ui.requests import LatestRequest
from ui.search.describe import is_name_only, title
from ui.search.query_text import similar_to
from ui.search.rows import FoundHits, flattened, grouped
from ui.search.safe_text import line
from ui.theme import icon
from ui.widgets import add_shortcut, call_data, timer
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.file_worker import FileWorker
    from ui.search.live_search import LiveSearch
    from ui.search.results import ResultsPane


# Milliseconds before a refused request for all hits is sent again.
_AGAIN_MS = 500


class _Running(Struct, frozen=True):
    """The export under way."""

    path: Path
    found: FoundHits
    form: ExportFormat


class HitExporter(QObject):
    """Writes hits with the bibliographic data of their documents; one export at a time."""

    def __init__(self, context: Context, worker: FileWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self._notices = context.notices
        self._worker = worker
        self._widget = parent
        self._sources = SourceFinder(context.link, self)
        self._export: _Running | None = None
        self._request = LatestRequest(context.link)
        self._again = timer(self, _AGAIN_MS, self._ask_for_all)

    def ask_where(self, found: FoundHits, form: ExportFormat) -> None:
        """Ask for a file, and export to it."""
        title, name = self.tr("Export the hits"), self.tr("hits")
        wanted = partial(self.export_to, found, form)
        choose_export(self._widget, title, name, form.suffix, wanted)

    def export_to(self, found: FoundHits, form: ExportFormat, path: Path) -> None:
        """Export to a file; if ``found`` is not complete, all hits are requested first."""
        self.close()
        self._export = _Running(path, found, form)
        if found.complete:
            self._write(self._export)
        else:
            self._notices.post(Notice(self.tr("All hits are collected for the export…"), seconds=0))
            self._ask_for_all()

    def close(self) -> None:
        """Cancel what is under way."""
        self._sources.close()
        self._again.stop()
        self._request.cancel()

    def _ask_for_all(self) -> None:
        if self._export is not None:
            request = Search(self._export.found.query, MAX_LIMIT)
            self._request.replace_request(request, self._collected, failed=self._refused)

    def _collected(self, result: SearchResult) -> None:
        if self._export is not None:
            found = self._export.found
            hits = flattened(grouped(result.hits, found.order))
            complete = len(result.hits) < MAX_LIMIT
            self._write(replace(self._export, found=replace(found, hits=hits, complete=complete)))

    def _refused(self, error: LecternError) -> None:
        if error.code == "busy":  # replaced by a search of the page
            self._again.start()
        else:
            message = self.tr("The hits could not be exported. {reason}")
            self._notices.post(Notice(message.format(reason=failures.failure(error))))

    def _write(self, export: _Running) -> None:
        def found(hits: Sequence[Hit], sources: Mapping[str, CitedSource]) -> None:
            def work() -> None:
                write_file(export.path, export_text(hits, sources, export.form))

            def done(_result: Any, error: OSError | None) -> None:
                self._exported(export, sources, error)

            self._worker.run(work, done)

        self._sources.find_sources(export.found.hits, found)

    def _exported(
        self, export: _Running, sources: Mapping[str, CitedSource], error: OSError | None
    ) -> None:
        if export.form is ExportFormat.BIBTEX:
            count = sum(map(citable, sources.values()))
            left = len(sources) - count
            message = self.tr("%Ln document(s) exported", "", count)
            if left:
                rest = self.tr("%Ln without author and year left out", "", left)
                message = self.tr("{done}; {rest}").format(done=message, rest=rest)
        else:
            message = self.tr("%Ln hit(s) exported", "", len(export.found.hits))
            if not export.found.complete:
                message = self.tr("{done}; there are more").format(done=message)
        tell_written(self._notices, export.path, message, error)


# Documents that one is offered to be compared with.
MOST_OTHERS = 15


class HitAction(Enum):
    """An action on a hit."""

    OPEN = auto()
    SHOW_IN_FOLDER = auto()
    PREVIEW = auto()
    COPY = auto()
    COPY_QUOTED = auto()
    COPY_PATH = auto()
    SIMILAR = auto()
    ELSEWHERE = auto()
    FIND = auto()
    REASONS = auto()
    KEEP = auto()


# What can be done with a hit that was found by the name of its file.
_WITHOUT_TEXT = frozenset({
    HitAction.OPEN, HitAction.SHOW_IN_FOLDER, HitAction.PREVIEW, HitAction.COPY_PATH,
    HitAction.SIMILAR, HitAction.FIND,
})  # fmt: skip


class HitActions(QObject):
    """Carries out actions on hits.

    Signals:
        opened: A hit to open in its own program.
        folder_requested: A hit to show in its folder.
        previewed: Show or hide the preview.
        searched: A query for passages similar to a hit.
        elsewhere_requested: A hit of which the library is asked where else it says so.
        find_requested: Look for words in the document of the selected hit.
        reasons_requested: Show or hide the matching words.
        kept: A hit to be put into the basket.
        collected: The name of a collection, "" for a new one, and a document to add to it.
        compared: The paths of two documents to be compared.
        used: An action on a hit begins; emitted before it runs.
    """

    opened = Signal(object)
    folder_requested = Signal(object)
    previewed = Signal()
    searched = Signal(str)
    elsewhere_requested = Signal(object)
    find_requested = Signal()
    reasons_requested = Signal()
    kept = Signal(object)
    collected = Signal(str, str)
    compared = Signal(str, str)
    used = Signal()

    def __init__(self, context: Context, worker: FileWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self._notices = context.notices
        self.exporter = HitExporter(context, worker, parent)
        self._citations = CitationCopier(context, self)
        self._widget = parent
        self.collections: tuple[str, ...] = ()  # to which a document can be added
        self.shown_menu: QMenu | None = None

    def menu(self, hit: Hit, found: FoundHits) -> QMenu:
        """Make the menu of a hit; ``found`` can be exported.

        Without a query in ``found`` the hit is no result: its page is in view already, and no word
        of it counts.
        """
        menu = QMenu(self._widget)
        menu.setAccessibleName(self.tr("What to do with this passage"))
        has_text = not is_name_only(hit)
        of_results = {HitAction.PREVIEW, HitAction.REASONS, HitAction.FIND}
        left_out = set() if found.query else of_results
        entries: list[tuple[HitAction | None, str, str, str]] = [
            (HitAction.OPEN, self.tr("Open"), "open", "Return"),
            (HitAction.SHOW_IN_FOLDER, self.tr("Show in folder"), "folder-open", "Ctrl+Return"),
            (HitAction.PREVIEW, self.tr("Preview"), "preview", "Space"),
            (HitAction.REASONS, self.tr("Show the words that count"), "both", keys.REASONS),
            (None, "", "", ""),
            (HitAction.COPY, self.tr("Copy passage"), "copy", "Ctrl+C"),
            (HitAction.COPY_QUOTED, self.tr("Copy with citation"), "copy", keys.CITE),
            (HitAction.COPY_PATH, self.tr("Copy path"), "copy", ""),
            (HitAction.KEEP, self.tr("Add to the basket"), "basket", keys.COLLECT),
            (None, "", "", ""),
            (HitAction.FIND, self.tr("Find in document"), "search-inside", "Ctrl+F"),
            (HitAction.SIMILAR, self.tr("Similar"), "similar", ""),
            (HitAction.ELSEWHERE, self.tr("Said elsewhere"), "library", keys.ELSEWHERE),
            (None, "", "", ""),
        ]
        for kind, text, drawing, key in entries:
            if kind is None:
                menu.addSeparator()
                continue
            if kind in left_out:
                continue
            action = menu.addAction(icon(drawing), f"{text}\t{keys.shown([key])}" if key else text)
            action.setData(partial(self.carry_out, kind, hit))
            action.setEnabled(has_text or kind in _WITHOUT_TEXT)
        self._add_collections(menu, hit)
        self._add_others(menu, hit, found)
        self.add_exports(menu, found)
        menu.triggered.connect(call_data)
        return menu

    def _add_collections(self, menu: QMenu, hit: Hit) -> None:
        """Add a submenu of the collections that the document can join."""
        inside = menu.addMenu(icon("library"), self.tr("Add to a collection"))
        for name in self.collections:
            inside.addAction(name.replace("&", "&&")).setData(
                partial(self.collected.emit, name, hit.path)
            )
        inside.addAction(self.tr("New collection…")).setData(
            partial(self.collected.emit, "", hit.path)
        )

    def _add_others(self, menu: QMenu, hit: Hit, found: FoundHits) -> None:
        """Add a submenu of the documents found beside that of the hit, to compare it with."""
        others = {one.path: one for one in found.hits if one.path != hit.path and one.text}
        compare = menu.addMenu(icon("compare"), self.tr("Compare with"))
        compare.setEnabled(bool(others) and not is_name_only(hit))
        for path, one in list(others.items())[:MOST_OTHERS]:
            name = f"{title(one)} ({line(PurePath(one.file).name)})"
            action = compare.addAction(name.replace("&", "&&"))
            action.setData(partial(self.compared.emit, hit.path, path))
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
        for form, text in (
            (ExportFormat.CSV, "CSV…"), (ExportFormat.BIBTEX, "BibTeX…"),
        ):  # fmt: skip
            exports.addAction(text).setData(partial(self.exporter.ask_where, found, form))

    def carry_out(self, kind: HitAction, hit: Hit) -> None:
        self.used.emit()
        acts: dict[HitAction, Callable[[], object]] = {
            HitAction.OPEN: partial(self.opened.emit, hit),
            HitAction.SHOW_IN_FOLDER: partial(self.folder_requested.emit, hit),
            HitAction.PREVIEW: self.previewed.emit,
            HitAction.REASONS: self.reasons_requested.emit,
            HitAction.COPY: partial(self._copy, passage(hit), self.tr("Passage copied")),
            HitAction.COPY_QUOTED: partial(self._citations.copy_cited, hit),
            HitAction.COPY_PATH: partial(self._copy, hit.path, self.tr("Path copied")),
            HitAction.KEEP: partial(self.kept.emit, hit),
            HitAction.SIMILAR: partial(self.searched.emit, similar_to(hit)),
            HitAction.ELSEWHERE: partial(self.elsewhere_requested.emit, hit),
            HitAction.FIND: self.find_requested.emit,
        }
        acts[kind]()

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
        settled: Enter in the box has ended the query, which is answered.
    """

    settled = Signal()

    def __init__(
        self, results: ResultsPane, search: LiveSearch, actions: HitActions, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._results, self._search, self._actions = results, search, actions
        self._stepped = False  # whether the person went to the hit by keys in the box
        self._waits = False  # for the answer to a query that was ended by Enter
        results.view.accepted.connect(self.open_hit)
        results.view.previewed.connect(partial(self._do, HitAction.PREVIEW))
        copy = partial(self._do, HitAction.COPY)
        on_results = Qt.ShortcutContext.WidgetShortcut
        add_shortcut(results.view, QKeySequence.StandardKey.Copy, copy, on_results)

    @property
    def hit(self) -> Hit | None:
        row = self._results.current
        return row.hit if row is not None else None

    def open_hit(self, in_folder: bool) -> None:
        """Open the hit, or show it in its folder."""
        self._do(HitAction.SHOW_IN_FOLDER if in_folder else HitAction.OPEN)

    def cite_hit(self) -> None:
        """Copy the hit with its citation."""
        self._do(HitAction.COPY_QUOTED)

    def step_hits(self, step: int, documents: bool) -> None:
        """Go down by a number of hits or documents, by a key in the box."""
        self._stepped = True
        self._results.step_hits(step, documents)

    def accept_query(self, in_folder: bool) -> None:
        """End the query, by Enter in the box: nothing is opened that the person has not gone to."""
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

    def answered(self) -> None:
        """Go to the results, if Enter waits for this answer."""
        if self._waits:
            self._go_to_results()

    def query_changed(self) -> None:
        """Forget what was chosen by keys in the box, and that Enter waits for an answer."""
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
        found = FoundHits(
            self._results.hits,
            self._search.answered_text,
            self._results.summary.order,
            complete=self._search.has_all,
        )
        self._actions.open_menu(view.viewport().mapToGlobal(at), hit, found)

    def _do(self, action: HitAction) -> None:
        if self.hit is not None:
            self._actions.carry_out(action, self.hit)
