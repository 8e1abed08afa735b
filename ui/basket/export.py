"""Exports the basket: finds its passages, their sources and pages, and writes a file.

A document that is where it was, and as it was, costs one request; any other is searched by the
words of its passage, as a link to it would.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.private_files import write_file
from indexer.api.requests import GetDocument, Search
from ui.basket.pictures import Extent, PagePictures
from ui.citations import CitedSource, SourceFinder, bibtex, csl_json
from ui.dialogs import choose_export
from ui.export import (
    ExportFormat,
    Report,
    ReportPicture,
    entries_of,
    sources_of,
    tell_written,
    write_report,
)
from ui.ports import Context, EnginePort, Notice
from ui.requests import PatientRequest
from ui.search.query_text import link_of, query_of
from ui.search.safe_text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtWidgets import QWidget

    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.basket.basket import Basket, Kept
    from ui.file_worker import FileWorker

    # The hits that have moved, by the keys of their passages; and the keys of those not found.
    Found = Callable[[dict[str, Hit], frozenset[str]], None]


_MOST_HITS = 10


class PassageFinder(QObject):
    """Finds a list of passages, one after the other; a new list replaces the one before."""

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._left: list[Kept] = []
        self._moved: dict[str, Hit] = {}
        self._lost: set[str] = set()
        self._done: Found | None = None
        self._request = PatientRequest(link, self)

    def find_passages(self, kept: Sequence[Kept], done: Found) -> None:
        """Call ``done`` later with the passages that have moved or are gone."""
        self.close()
        self._left, self._done = list(kept)[::-1], done
        self._moved, self._lost = {}, set()
        self._go_on()

    def close(self) -> None:
        """Cancel the requests."""
        self._request.cancel()
        self._done = None
        self._left = []

    def _go_on(self) -> None:
        if not self._left:
            done, self._done = self._done, None
            if done is not None:
                done(self._moved, frozenset(self._lost))
            return
        hit = self._left[-1].hit
        self._request.replace_request(
            GetDocument(Path(hit.path)), self._handle_document, failed=self._handle_failure
        )

    def _handle_document(self, document: Document) -> None:
        if document.mtime_ns == self._left[-1].hit.modified_ns:
            self._left.pop()
            self._go_on()
        else:
            self._search()

    def _handle_failure(self, error: LecternError) -> None:
        if error.code == "not_a_root":
            self._search()
        else:
            self._lose()

    def _search(self) -> None:
        query = query_of(link_of(self._left[-1].hit))
        if query:
            self._request.replace_request(Search(query, _MOST_HITS), self._answered, self._lose)
        else:
            self._lose()

    def _answered(self, result: SearchResult) -> None:
        one = self._left.pop()
        found = same_passage(one.hit, result.hits)
        if found is None:
            self._lost.add(one.key)
        elif found != one.hit:
            self._moved[one.key] = found
        self._go_on()

    def _lose(self, _error: LecternError | None = None) -> None:
        self._lost.add(self._left.pop().key)
        self._go_on()


def same_passage(hit: Hit, found: Sequence[Hit]) -> Hit | None:
    """Return the hit with the words of a passage, at best in its own document; None without one."""
    best = _words(hit.text[slice(*hit.best)]) or _words(hit.text)
    same = [one for one in found if best in _words(one.text)]
    same.sort(key=partial(_distance, hit))
    return same[0] if same else None


def _distance(hit: Hit, other: Hit) -> tuple[bool, bool, int]:
    """How far another passage is from one: of another text, in another file, further off."""
    reworded = _words(hit.text) != _words(other.text)
    return reworded, hit.path != other.path, abs(hit.start - other.start)


def _words(text: str) -> str:
    return " ".join(shown(text).text.split()).casefold()


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
        self._form, self._path = ExportFormat.MARKDOWN, Path()
        self._lost: frozenset[str] = frozenset()  # the keys of passages that were not found
        self._basket = basket
        self._notices = context.notices
        self._worker = worker
        self._widget = parent
        self._finder = PassageFinder(context.link, self)
        self._sources = SourceFinder(context.link, self)
        self._pictures = PagePictures(context.library, self)

    def ask_where(self, form: ExportFormat) -> None:
        """Let the person choose a file, and export to it."""
        title, name = self.tr("Export the passages"), self.tr("passages")
        wanted = partial(self.export_to, form)
        choose_export(self._widget, title, name, form.suffix, wanted)

    def export_to(self, form: ExportFormat, path: Path) -> None:
        """Write the basket to a file."""
        self.close()
        self._form, self._path = form, path
        self._notices.post(Notice(self.tr("The passages are being exported…"), seconds=0))
        self._finder.find_passages(self._basket.kept, self._found)

    def close(self) -> None:
        """Cancel what is under way."""
        self._finder.close()
        self._sources.close()
        self._pictures.close()

    def _found(self, moved: dict[str, Hit], lost: frozenset[str]) -> None:
        self._basket.relocate_passages(moved)
        self._lost = lost
        self._sources.find_sources([one.hit for one in self._basket.kept], self._cited)

    def _cited(self, hits: Sequence[Hit], sources: Mapping[str, CitedSource]) -> None:
        form, path = self._form, self._path
        if not form.has_passages:
            self._lost = frozenset()
            text = bibtex(hits, sources) if form is ExportFormat.BIBTEX else csl_json(sources)
            self._worker.run(lambda: write_file(path, text), self._written)
            return
        present = [one for one in self._basket.kept if one.key not in self._lost]
        extent = Extent.PAGE if form is ExportFormat.PAGES else self.extent
        self._pictures.make_pictures(present, extent, partial(self._drawn, sources))

    def _drawn(
        self,
        sources: Mapping[str, CitedSource],
        pictures: Mapping[str, Sequence[ReportPicture]],
    ) -> None:
        form, path, kept = self._form, self._path, self._basket.kept
        if form is ExportFormat.PAGES and not pictures:
            self._notices.post(Notice(self.tr("None of the passages is on a page.")))
            self.finished.emit()
            return
        remark = self.tr("This passage is no longer in the library; this is how it was read.")
        remarks = dict.fromkeys(self._lost, remark)
        report = Report(
            title=self.tr("Collected passages"),
            sources_title=self.tr("Sources"),
            note_label=self.tr("Note:"),
            link_label=self.tr("Open in Lectern"),
            entries=entries_of(kept, sources, pictures, remarks),
            sources=sources_of(kept, sources),
        )
        self._worker.run(lambda: write_report(path, form, report), self._written)

    def _written(self, _result: object, error: OSError | None) -> None:
        text = self.tr("%Ln passage(s) exported", "", len(self._basket))
        if lost := len(self._lost):
            rest = self.tr("%Ln no longer in the library", "", lost)
            text = self.tr("{done}; {rest}").format(done=text, rest=rest)
        tell_written(self._notices, self._path, text, error)
        self.finished.emit()
