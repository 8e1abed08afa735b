"""Exports the basket: finds its passages, their sources and pages, and writes a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from ui.basket.finding import PassageFinder
from ui.basket.pictures import Extent, PagePictures
from ui.citations import SourceFinder, bibtex, csl_json
from ui.desktop import open_path
from ui.export import ExportFormat, Report, ask_export_file, entries_of, sources_of, write_report
from ui.ports import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from indexer.api.types import Hit
    from ui.basket.basket import Basket
    from ui.citations import CitedSource
    from ui.export import ReportPicture
    from ui.file_worker import FileWorker
    from ui.ports import Context


class BasketExport(QObject):
    """One export at a time; a new one replaces the one before.

    Signals:
        finished: The last step is done, whether the file could be written or not.
    """

    finished = Signal()

    def __init__(
        self, basket: Basket, context: Context, worker: FileWorker, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.extent = Extent.PASSAGE
        self._basket = basket
        self._notices = context.notices
        self._worker = worker
        self._widget = parent
        self._finder = PassageFinder(context.link, self)
        self._sources = SourceFinder(context.link, self)
        self._pictures = PagePictures(context.library, self)

    def ask_where(self, form: ExportFormat) -> None:
        """Let the person choose a file, and export to it."""
        title, name = self.tr("Export the basket"), self.tr("basket")
        ask_export_file(self._widget, title, name, form, partial(self._chosen, form))

    def export_to(self, path: Path, form: ExportFormat) -> None:
        """Write the basket to a file."""
        self.close()
        self._notices.post(Notice(self.tr("The basket is being exported…"), seconds=0))
        self._finder.find_passages(self._basket.kept, partial(self._found, path, form))

    def close(self) -> None:
        """Cancel what is under way."""
        self._finder.close()
        self._sources.close()
        self._pictures.close()

    def _chosen(self, form: ExportFormat, path: Path) -> None:
        self.export_to(path, form)

    def _found(
        self, path: Path, form: ExportFormat, moved: dict[str, Hit], lost: frozenset[str]
    ) -> None:
        self._basket.relocate_passages(moved)
        hits = [one.hit for one in self._basket.kept]
        self._sources.find_sources(hits, partial(self._cited, path, form, lost))

    def _cited(
        self,
        path: Path,
        form: ExportFormat,
        lost: frozenset[str],
        hits: Sequence[Hit],
        sources: Mapping[str, CitedSource],
    ) -> None:
        if not form.has_passages:
            text = bibtex(hits, sources) if form is ExportFormat.BIBTEX else csl_json(sources)
            self._worker.run(lambda: write_file(path, text), partial(self._written, path, 0))
            return
        present = [one for one in self._basket.kept if one.key not in lost]
        self._pictures.make_pictures(
            present, self.extent, partial(self._drawn, path, form, lost, sources)
        )

    def _drawn(
        self,
        path: Path,
        form: ExportFormat,
        lost: frozenset[str],
        sources: Mapping[str, CitedSource],
        pictures: Mapping[str, Sequence[ReportPicture]],
    ) -> None:
        remark = self.tr("This passage is no longer in the library; this is how it was read.")
        kept = self._basket.kept
        report = Report(
            title=self.tr("Collected passages"),
            sources_title=self.tr("Sources"),
            note_label=self.tr("Note:"),
            link_label=self.tr("Open in Lectern"),
            entries=entries_of(kept, sources, pictures, dict.fromkeys(lost, remark)),
            sources=sources_of(kept, sources),
        )
        done = partial(self._written, path, len(lost))
        self._worker.run(lambda: write_report(path, form, report), done)

    def _written(self, path: Path, lost: int, _result: object, error: OSError | None) -> None:
        if error is not None:
            reason = error.strerror or str(error)
            text = self.tr("The basket could not be exported: {reason}.").format(reason=reason)
            self._notices.post(Notice(text))
        else:
            text = self.tr("%Ln passage(s) exported", "", len(self._basket))
            if lost:
                rest = self.tr("%Ln no longer in the library", "", lost)
                text = self.tr("{done}; {rest}").format(done=text, rest=rest)
            show = partial(open_path, str(path), self._notices)
            self._notices.post(Notice(text, action=self.tr("Open"), act=show))
        self.finished.emit()
