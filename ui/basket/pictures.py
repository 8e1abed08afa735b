"""Pictures of the pages of passages, with their outlines, for an export."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, QTimer
from PySide6.QtGui import QPainter, QTransform

from indexer.api.pages import GetImage
from ui import passwords
from ui.export import ReportPicture, bytes_of
from ui.preview.client import Urgency
from ui.preview.document import image_of
from ui.preview.loader import Loader
from ui.preview.marks import NO_MARKS, Marks, bounds, outline
from ui.preview.page_view import paint_marks
from ui.theme import LIGHT
from ui.words import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.pages import PageImage, Size
    from ui.basket.basket import Kept
    from ui.preview.document import PageDocument

    Made = Callable[[dict[str, list[ReportPicture]]], None]

# Pixels; sharp on a sheet of paper.
_WIDTH = 1240
# Of a long passage the first pages are shown.
_MOST_PAGES = 3
# What is shown around a passage, as a share of the height of its page.
_AROUND = 0.05
_PEN_PX = 3.0


class Extent(Enum):
    """How much of a page is shown: nothing, the part with the passage, all."""

    NOTHING = auto()
    PASSAGE = auto()
    PAGE = auto()


class PagePictures(QObject):
    """Makes the pictures of some passages; one without pages, or not to be opened, has none."""

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
        """Call ``done`` with the pictures by the keys of their passages, later."""
        self.close()
        wanted = kept if extent is not Extent.NOTHING else ()
        self._left = [one for one in reversed(wanted) if one.hit.text]
        self._extent, self._done, self._pictures = extent, done, {}
        QTimer.singleShot(0, self, self._open)  # so that ``done`` is not called from within

    def close(self) -> None:
        """End what is under way, and the child."""
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
        if not self._loader.is_counting:  # which of two places it is takes the child more steps
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
        marks: Of the passage, in points.
        size: Of the page, in points.
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
    packed = bytes_of(lambda buffer: image.save(buffer, "PNG"))  # type: ignore[call-overload]  # the stub wants bytes, which Qt refuses
    return ReportPicture(packed, image.width(), image.height(), names.place("page", str(page)))
