"""Exports the basket: finds its passages and their sources, draws their pages, and writes a file.

A document that has neither moved nor changed costs one request. For any other, the words of the
passage are searched for, as when a link to it is followed.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, QTimer, Signal
from PySide6.QtGui import QPainter, QTransform

from indexer.api.pages import GetImage
from indexer.api.private_files import write_file
from indexer.api.requests import GetDocument, Search
from ui import passwords
from ui.citations import CitedSource, SourceFinder, bibtex, csl_json
from ui.dialogs import choose_export
from ui.document_files import png_of
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
from ui.preview.client import Urgency
from ui.preview.document import image_of
from ui.preview.loader import Loader
from ui.preview.marks import NO_MARKS, Marks, bounds, outline
from ui.preview.page_view import paint_marks
from ui.requests import PatientRequest
from ui.search.query_text import link_of, query_of
from ui.search.safe_text import shown
from ui.theme import LIGHT
from ui.words import names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtWidgets import QWidget

    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from indexer.api.pages import PageImage, Size
    from indexer.api.types import Hit, SearchResult
    from ui.basket.basket import Basket, Kept
    from ui.file_worker import FileWorker
    from ui.preview.document import PageDocument

    # The hits that have moved, by the keys of their passages; and the keys of those not found.
    Found = Callable[[dict[str, Hit], frozenset[str]], None]
    Made = Callable[[dict[str, list[ReportPicture]]], None]


# Pixels; sharp on a sheet of paper.
_WIDTH = 1240
# How many pages of a long passage are shown, from its first one on.
_MOST_PAGES = 3
# The margin shown above and below a passage, as a share of the height of its page.
_AROUND = 0.05
_PEN_PX = 3.0


class Extent(Enum):
    """How much of a page is shown: nothing, the part with the passage, all."""

    NOTHING = auto()
    PASSAGE = auto()
    PAGE = auto()


class PagePictures(QObject):
    """Makes pictures of passages; those without pages or with unreadable documents get none."""

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loader = loader = Loader(self, library)
        loader.opened.connect(self._opened)
        loader.marked.connect(self._marked)
        loader.lost.connect(self._lost)
        for signal in (loader.text_marked, loader.failed):
            signal.connect(self._next)
        self._document: PageDocument | None = None
        self._left: list[Kept] = []
        self._pages: list[int] = []
        self._marks: Marks = NO_MARKS
        self._extent = Extent.PASSAGE
        self._pictures: dict[str, list[ReportPicture]] = {}
        self._done: Made | None = None

    def make_pictures(self, kept: Sequence[Kept], extent: Extent, done: Made) -> None:
        """Make pictures, and call ``done`` later with them by the keys of their passages."""
        self.close()
        wanted = kept if extent is not Extent.NOTHING else ()
        self._left = [one for one in reversed(wanted) if one.hit.text]
        self._extent, self._done, self._pictures = extent, done, {}
        QTimer.singleShot(0, self, self._open)  # ``done`` must not be called from within this

    def close(self) -> None:
        """Cancel the pictures under way, and end the child."""
        self._done, self._left = None, []
        self._loader.let_go()
        self._loader.client.end_child()

    def _open(self) -> None:
        self._document = None
        if self._left:
            hit = self._left[-1].hit
            self._loader.load_hit(hit, passwords.shared().remembered_password(hit.path))
        elif (done := self._done) is not None:
            self.close()
            done(self._pictures)

    def _next(self, *_told: object) -> None:
        if self._left:
            self._left.pop()
        self._open()

    def _opened(self, document: PageDocument) -> None:
        self._document = document

    def _lost(self, _changed: bool) -> None:  # a slot
        if self._document is None:
            self._next()
        else:
            self._marked(NO_MARKS)

    def _marked(self, marks: Marks, _scroll: bool = True) -> None:  # a slot
        if not self._loader.is_counting:  # the child may still be telling two places apart
            self._marks = marks
            page = max(self._left[-1].hit.page, 1)
            self._pages = (marks.pages() or [page])[:_MOST_PAGES]
            self._ask_image()

    def _ask_image(self) -> None:
        if self._pages:
            request = GetImage(self._loader.source, self._pages[0], _WIDTH)
            self._loader.client.ask_child(request, self._drawn, self._next, Urgency.REST)
        else:
            self._next()

    def _drawn(self, found: PageImage, data: bytes) -> None:
        page, document = self._pages.pop(0), self._document
        if document is not None:
            size = document.sizes[page - 1]
            picture = draw(found, data, self._marks, page, size, self._extent)
            if picture is not None:
                self._pictures.setdefault(self._left[-1].key, []).append(picture)
        self._ask_image()


def draw(
    found: PageImage, data: bytes, marks: Marks, page: int, size: Size, extent: Extent
) -> ReportPicture | None:
    """Draw the marks on the image of a page, and cut it; None if the image is not valid.

    Args:
        found: The image's size.
        marks: The marks of the passage, in points.
        size: The size of the page, in points.
        extent: How much of it to keep.
    """
    over = image_of(found, data)
    if over is None:
        return None
    image = over.copy()
    scale = image.width() / max(size[0], 1.0)
    pieces = marks.passage.get(page, [])
    to_image = QTransform.fromScale(scale, scale)
    if pieces:
        painter = QPainter(image)
        path = to_image.map(outline(pieces))
        paint_marks(painter, to_image, marks.sentences, page, path, width=_PEN_PX)
        painter.end()
    if extent is Extent.PASSAGE and pieces:
        around = bounds(pieces)
        margin = _AROUND * size[1]
        part = QRectF(0, around.top() - margin, size[0], around.height() + 2 * margin)
        image = image.copy(to_image.mapRect(part).toRect().intersected(image.rect()))
    painter = QPainter(image)
    painter.setPen(LIGHT.line)
    painter.drawRect(image.rect().adjusted(0, 0, -1, -1))
    painter.end()
    return ReportPicture(
        png_of(image), image.width(), image.height(), names.place("page", str(page))
    )


_MOST_HITS = 10


class PassageFinder(QObject):
    """Finds where passages are now, one after the other; a new list replaces the one before."""

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
    """Return the hit that has a passage's words, preferably in its document; None without one."""
    best = _words(hit.text[slice(*hit.best)]) or _words(hit.text)
    same = [one for one in found if best in _words(one.text)]
    same.sort(key=partial(_distance, hit))
    return same[0] if same else None


def _distance(hit: Hit, other: Hit) -> tuple[bool, bool, int]:
    """Return a sort key: the same text first, then the same file, then the nearest place."""
    reworded = _words(hit.text) != _words(other.text)
    return reworded, hit.path != other.path, abs(hit.start - other.start)


def _words(text: str) -> str:
    return " ".join(shown(text).text.split()).casefold()


class BasketExport(QObject):
    """Runs one export at a time; a new one replaces the one before.

    Signals:
        finished: The export has ended, whether the file could be written or not.
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
        if form in (ExportFormat.BIBTEX, ExportFormat.CSL):  # only the sources
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
