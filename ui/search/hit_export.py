"""Exports all hits of a query to a file that the person chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from indexer.api.atomic import write_file
from indexer.api.requests import MAX_LIMIT, Search
from ui.citations import SourceFinder, citable
from ui.export import ExportFormat, ask_export_file, export_text
from ui.latest_request import LatestRequest
from ui.ports import Notice
from ui.search.rows import flattened, grouped
from ui.widgets import timer
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.citations import CitedSource
    from ui.file_worker import FileWorker
    from ui.ports import Context
    from ui.search.rows import FoundHits

# Milliseconds before a refused request for all hits is sent again.
_AGAIN_MS = 500


@dataclass(frozen=True, slots=True)
class _Running:
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
        ask_export_file(
            self._widget, title, name, form, lambda path: self.export_to(path, found, form)
        )

    def export_to(self, path: Path, found: FoundHits, form: ExportFormat) -> None:
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
            self._request.ask(request, self._collected, failed=self._refused)

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
                write_file(export.path, export_text(hits, sources, export.form, export.found.query))

            def done(_result: Any, error: OSError | None) -> None:
                self._exported(export, sources, error)

            self._worker.run(work, done)

        self._sources.find_sources(export.found.hits, found)

    def _exported(
        self, export: _Running, sources: Mapping[str, CitedSource], error: OSError | None
    ) -> None:
        if error is not None:
            reason = error.strerror or str(error)
            message = self.tr("The hits could not be exported: {reason}.").format(reason=reason)
        elif export.form is ExportFormat.BIBTEX:
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
        self._notices.post(Notice(message))
