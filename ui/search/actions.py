"""The actions on a hit: open, copy, cite, search similar ones, export all.

Owns the context menu, and copying and exporting. It must not know how a hit is shown or opened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from indexer.api.atomic import write_file
from indexer.api.requests import MAX_LIMIT, Search
from ui.icons import icon
from ui.ports import Notice
from ui.search.citation import CitedSource, passage, quoted
from ui.search.describe import elsewhere, is_name_only, places_alike
from ui.search.export import Form, citable, exported
from ui.search.grouping import Order, flattened, grouped
from ui.search.query_text import similar
from ui.search.sources import Sources
from ui.timers import timer
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QPoint, SignalInstance
    from PySide6.QtGui import QAction

    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.ports import Context
    from ui.search.work import Worker

# Milliseconds before a refused request for all hits is sent again.
AGAIN_MS = 500


class HitAction(Enum):
    """An action on a hit."""

    OPEN = auto()
    SHOW_IN_FOLDER = auto()
    PREVIEW = auto()
    COPY = auto()
    COPY_QUOTED = auto()
    COPY_PATH = auto()
    LIKE_PASSAGE = auto()
    LIKE_DOCUMENT = auto()
    INSIDE = auto()
    REASONS = auto()


@dataclass(frozen=True, slots=True)
class FoundHits:
    """Hits in the shown order, their query, and whether these are all."""

    hits: tuple[Hit, ...]
    query: str = ""
    order: Order = Order.RELEVANCE
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Collect:
    """A document to be added to a collection; to a new one without a name."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class _Export:
    """Hits to be exported, and the format."""

    found: FoundHits
    form: Form


class HitActions(QObject):
    """Carries out actions on hits.

    Signals:
        opened: A hit to open in its own program.
        folder_requested: A hit to show in its folder.
        previewed: Show or hide the preview.
        searched: A query for passages or documents similar to a hit.
        inside_requested: The path of a document to search in.
        reasons_requested: Show or hide the matching words.
        collected: The name of a collection, "" for a new one, and a document to add to it.
        used: An action on a hit begins; emitted before it runs.
    """

    opened = Signal(object)
    folder_requested = Signal(object)
    previewed = Signal()
    searched = Signal(str)
    inside_requested = Signal(str)
    reasons_requested = Signal()
    collected = Signal(str, str)
    used = Signal()

    def __init__(self, context: Context, worker: Worker, parent: QWidget) -> None:
        super().__init__(parent)
        self._notices = context.notices
        self._link = context.link
        self._worker = worker
        self._sources = Sources(context.link, self)
        self._widget = parent
        self.collections: tuple[str, ...] = ()  # to which a document can be added
        self.shown_menu: QMenu | None = None
        self._dialog: QFileDialog | None = None
        self._export: _Export | None = None
        self._target = Path()
        self._request_id: int | None = None
        self._again = timer(self, AGAIN_MS, self._ask_for_all)

    def menu(self, hit: Hit, found: FoundHits) -> QMenu:
        """Make the menu of a hit; ``found`` can be exported."""
        menu = QMenu(self._widget)
        menu.setAccessibleName(self.tr("What to do with this passage"))
        has_text = not is_name_only(hit)
        entries: list[tuple[HitAction | None, str, str, str]] = [
            (HitAction.OPEN, self.tr("Open"), "open", self.tr("Enter")),
            (
                HitAction.SHOW_IN_FOLDER,
                self.tr("Show in folder"),
                "folder-open",
                self.tr("Ctrl+Enter"),
            ),
            (HitAction.PREVIEW, self.tr("Preview"), "preview", self.tr("Space")),
            (HitAction.REASONS, self.tr("Show the words that count"), "both", self.tr("Ctrl+E")),
            (None, "", "", ""),
            (HitAction.COPY, self.tr("Copy passage"), "copy", self.tr("Ctrl+C")),
            (HitAction.COPY_QUOTED, self.tr("Copy with citation"), "copy", self.tr("Ctrl+Shift+C")),
            (HitAction.COPY_PATH, self.tr("Copy path"), "copy", ""),
            (None, "", "", ""),
            (HitAction.LIKE_PASSAGE, self.tr("Find similar passages"), "similar", ""),
            (HitAction.LIKE_DOCUMENT, self.tr("Find similar documents"), "similar", ""),
            (HitAction.INSIDE, self.tr("Search inside this document"), "search", ""),
            (None, "", "", ""),
        ]
        needs_text = {
            HitAction.COPY,
            HitAction.COPY_QUOTED,
            HitAction.LIKE_PASSAGE,
            HitAction.LIKE_DOCUMENT,
            HitAction.REASONS,
        }
        for kind, text, drawing, keys in entries:
            if kind is None:
                menu.addSeparator()
                continue
            action = menu.addAction(icon(drawing), f"{text}\t{keys}" if keys else text)
            action.setData((kind, hit))
            action.setEnabled(has_text or kind not in needs_text)
        self._add_collections(menu, hit)
        self._add_alike(menu, hit)
        self.add_exports(menu, found)
        menu.triggered.connect(self._triggered)
        return menu

    def _add_collections(self, menu: QMenu, hit: Hit) -> None:
        """Add a submenu of the collections that the document can join."""
        inside = menu.addMenu(icon("library"), self.tr("Add to a collection"))
        for name in self.collections:
            inside.addAction(name.replace("&", "&&")).setData(_Collect(name, hit.path))
        inside.addAction(self.tr("New collection…")).setData(_Collect("", hit.path))

    def _add_alike(self, menu: QMenu, hit: Hit) -> None:
        """Add a submenu of the hit's near-duplicates."""
        if hit.also:
            alike = menu.addMenu(icon("document"), self.tr("Nearly the same passages"))
            for one, message in zip(elsewhere(hit), places_alike(hit), strict=True):
                alike.addAction(message.replace("&", "&&")).setData((HitAction.OPEN, one))

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
        named = {Form.CSV: "CSV…", Form.JSON: "JSON…", Form.BIBTEX: "BibTeX…"}
        for form, text in named.items():
            exports.addAction(text).setData(_Export(found, form))

    def do(self, kind: HitAction, hit: Hit) -> None:
        """Carry out an action."""
        self.used.emit()
        emitted: dict[HitAction, tuple[SignalInstance, tuple[object, ...]]] = {
            HitAction.OPEN: (self.opened, (hit,)),
            HitAction.SHOW_IN_FOLDER: (self.folder_requested, (hit,)),
            HitAction.PREVIEW: (self.previewed, ()),
            HitAction.REASONS: (self.reasons_requested, ()),
            HitAction.LIKE_PASSAGE: (self.searched, (similar(hit.path, (hit.start, hit.end)),)),
            HitAction.LIKE_DOCUMENT: (self.searched, (similar(hit.path),)),
            HitAction.INSIDE: (self.inside_requested, (hit.path,)),
        }
        match kind:
            case HitAction.COPY:
                self._copy(passage(hit), self.tr("Passage copied"))
            case HitAction.COPY_QUOTED:
                self._sources.find([hit], self._copy_quoted)
            case HitAction.COPY_PATH:
                self._copy(hit.path, self.tr("Path copied"))
            case _:
                signal, values = emitted[kind]
                signal.emit(*values)

    def export_to(self, path: Path, found: FoundHits, form: Form) -> None:
        """Write hits to a file, with the bibliographic data of their documents.

        If ``found`` is not complete, all hits are asked for first.
        """
        self.close()
        self._export, self._target = _Export(found, form), path
        if found.complete:
            self._write()
        else:
            self._notices.post(Notice(self.tr("All hits are collected for the export…"), seconds=0))
            self._ask_for_all()

    def close(self) -> None:
        """Cancel what is under way."""
        self._sources.close()
        self._again.stop()
        if self._request_id is not None:
            self._link.cancel(self._request_id)
            self._request_id = None

    def _triggered(self, action: QAction) -> None:
        data = action.data()
        if isinstance(data, _Export):
            self._ask_where(data)
        elif isinstance(data, _Collect):
            self.collected.emit(data.name, data.path)
        elif isinstance(data, tuple):
            self.do(*data)

    def _copy_quoted(self, hits: Sequence[Hit], sources: Mapping[str, CitedSource]) -> None:
        hit = hits[0]
        self._copy(quoted(hit, sources[hit.path]), self.tr("Passage and citation copied"))

    def _copy(self, text: str, message: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notices.post(Notice(message, seconds=3.0))

    def _ask_where(self, export: _Export) -> None:
        self._export = export
        dialog = QFileDialog(self._widget, self.tr("Export the hits"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(export.form.value)
        dialog.setNameFilter(f"*.{export.form.value}")
        dialog.selectFile(self.tr("hits") + f".{export.form.value}")
        dialog.fileSelected.connect(self._write_chosen)
        dialog.finished.connect(dialog.deleteLater)
        self._dialog = dialog
        dialog.open()

    def _write_chosen(self, file: str) -> None:
        if self._export is not None:
            self.export_to(Path(file), self._export.found, self._export.form)

    def _ask_for_all(self) -> None:
        if self._export is not None:
            request = Search(self._export.found.query, MAX_LIMIT)
            self._request_id = self._link.ask(request, done=self._collected, failed=self._refused)

    def _collected(self, result: SearchResult) -> None:
        self._request_id = None
        if self._export is not None:
            found = self._export.found
            hits = flattened(grouped(result.hits, found.order))
            complete = len(result.hits) < MAX_LIMIT
            self._export = replace(self._export, found=replace(found, hits=hits, complete=complete))
            self._write()

    def _refused(self, error: LecternError) -> None:
        self._request_id = None
        if error.code == "busy":  # replaced by a search of the page
            self._again.start()
        else:
            message = self.tr("The hits could not be exported. {reason}")
            self._notices.post(Notice(message.format(reason=failures.failure(error))))

    def _write(self) -> None:
        export, path = self._export, self._target
        if export is None:
            return

        def found(hits: Sequence[Hit], sources: Mapping[str, CitedSource]) -> None:
            def work() -> None:
                write_file(path, exported(hits, sources, export.form, export.found.query))

            def done(_result: Any, error: OSError | None) -> None:
                self._exported(export, sources, error)

            self._worker.run(work, done)

        self._sources.find(export.found.hits, found)

    def _exported(
        self, export: _Export, sources: Mapping[str, CitedSource], error: OSError | None
    ) -> None:
        if error is not None:
            reason = error.strerror or str(error)
            message = self.tr("The hits could not be exported: {reason}.").format(reason=reason)
        elif export.form is Form.BIBTEX:
            count = sum(map(citable, sources.values()))
            left = len(sources) - count
            message = self.tr("%Ln document(s) exported", "", count)
            if left:
                rest = self.tr("%Ln without author and year left out", "", left)
                message = self.tr("{done}; {rest}").format(done=message, rest=rest)
        else:
            message = self.tr("%Ln hit(s) exported", "", len(export.found.hits))
            if not export.found.complete:
                message = self.tr("{done}: the best of more").format(done=message)
        self._notices.post(Notice(message))
