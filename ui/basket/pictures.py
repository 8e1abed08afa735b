"""Pictures of the pages of passages, with their outlines, for an export."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QPainter, QPen, QTransform

from indexer.api.pages import DocumentSource, GetImage, GetMarks, Open
from ui import passwords
from ui.export import ReportPicture, bytes_of
from ui.preview.client import RenderClient, Urgency
from ui.preview.document import image_of
from ui.preview.marks import NO_MARKS, Marks, bounds, ink_of, outline, pieces_of
from ui.preview.page_view import OUTLINE, TINT, TINT_BEST
from ui.theme import LIGHT
from ui.widgets import timer
from ui.words import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.errors import LecternError
    from indexer.api.pages import MarkBox, Opened, PageImage, PageRequest, PassageMarks, Size
    from indexer.api.types import Hit, Span
    from ui.basket.basket import Kept

    Made = Callable[[dict[str, list[ReportPicture]]], None]

A = TypeVar("A")

# Pixels; sharp on a sheet of paper.
_WIDTH = 1240
# Of a long passage the first pages are shown.
_MOST_PAGES = 3
# What is shown around a passage, as a share of the height of its page.
_AROUND = 0.05
_PEN_PX = 3.0
_COUNTING_MS = 30


class Extent(Enum):
    """How much of a page is shown: nothing, the part with the passage, all."""

    NOTHING = auto()
    PASSAGE = auto()
    PAGE = auto()


class PagePictures(QObject):
    """Makes the pictures of some passages; one without pages, or not to be opened, has none."""

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = RenderClient(self, library)
        self._left: list[Kept] = []
        self._pages: list[int] = []
        self._extent = Extent.PASSAGE
        self._source = DocumentSource(Path())
        self._marks: Marks = NO_MARKS
        self._size: Size = (1.0, 1.0)
        self._pictures: dict[str, list[ReportPicture]] = {}
        self._done: Made | None = None
        self._counting = timer(self, _COUNTING_MS, self._ask_marks)

    def make_pictures(self, kept: Sequence[Kept], extent: Extent, done: Made) -> None:
        """Call ``done`` with the pictures by the keys of their passages, later."""
        self.close()
        self._left = list(kept)[::-1] if extent is not Extent.NOTHING else []
        self._extent, self._done, self._pictures = extent, done, {}
        self._counting.setInterval(0 if not self._left else _COUNTING_MS)
        if self._left:
            self._open()
        else:
            self._counting.start()  # so that ``done`` is not called from within

    def close(self) -> None:
        """End what is under way, and the child."""
        self._counting.stop()
        self._done = None
        self._left = []
        self._client.end_child()

    @property
    def _hit(self) -> Hit:
        return self._left[-1].hit

    def _next(self) -> None:
        self._left.pop()
        self._open()

    def _open(self) -> None:
        if not self._left:
            done, pictures = self._done, self._pictures
            self.close()
            if done is not None:
                done(pictures)
            return
        hit = self._hit
        password = passwords.shared().remembered_password(hit.path)
        self._source = DocumentSource(Path(hit.path), hit.format, password)
        self._ask(Open(self._source, max(hit.page, 1)), self._opened)

    def _ask(self, request: PageRequest[A], done: Callable[[A, bytes], None]) -> None:
        self._client.ask_child(request, done, self._failed, Urgency.REST)

    def _failed(self, _error: LecternError) -> None:
        self._next()

    def _opened(self, found: Opened, _data: bytes) -> None:
        if found.pages is None or not self._hit.text:
            self._next()
        else:
            self._ask_marks()

    def _ask_marks(self) -> None:
        if not self._left:
            self._open()
            return
        hit = self._hit
        whole = len(hit.text) == hit.end - hit.start
        spans = tuple(span for _number, span in _marked_spans(hit))
        start = hit.start if whole else None
        request = GetMarks(self._source, hit.page_first, hit.page_last, hit.text, start, spans)
        self._ask(request, self._marked)

    def _marked(self, found: PassageMarks, _data: bytes) -> None:
        if found.pending:  # which of two places it is takes the child some more steps
            self._counting.start()
            return
        self._marks = NO_MARKS
        if found.found:
            parts: dict[int, list[MarkBox]] = {}
            for (number, _span), boxes in zip(_marked_spans(self._hit), found.spans, strict=True):
                parts.setdefault(number, []).extend(boxes)
            passage, *sentences = map(pieces_of, parts.values())
            self._marks = Marks(passage, tuple(filter(None, sentences)))
        self._pages = (self._marks.pages() or [max(self._hit.page, 1)])[:_MOST_PAGES]
        self._measure()

    def _measure(self) -> None:
        if self._pages:
            self._ask(Open(self._source, self._pages[0]), self._measured)
        else:
            self._next()

    def _measured(self, found: Opened, _data: bytes) -> None:
        if found.pages is None:
            self._next()
            return
        self._size = found.pages.size
        self._ask(GetImage(self._source, self._pages[0], _WIDTH), self._drawn)

    def _drawn(self, found: PageImage, data: bytes) -> None:
        page = self._pages.pop(0)
        picture = draw(found, data, self._marks, page, self._size, self._extent)
        if picture is not None:
            self._pictures.setdefault(self._left[-1].key, []).append(picture)
        self._measure()


def _marked_spans(hit: Hit) -> list[tuple[int, Span]]:
    """Return the ranges of a passage (0) and its best sentences (1, 2, …) without running heads."""
    spans = [(0, len(hit.text)), *(hit.marks or (hit.best,))]
    found = []
    for number, (start, end) in enumerate(spans):
        edges = [start, *(min(max(at, start), end) for gone in hit.left_out for at in gone), end]
        pairs = zip(edges[::2], edges[1::2], strict=True)
        found += [(number, (low, high)) for low, high in pairs if low < high <= len(hit.text)]
    return found


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
    painter = QPainter(image)
    painter.setTransform(QTransform.fromScale(scale, scale))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Darken)
    for number, sentence in reversed(list(enumerate(marks.sentences))):
        for line in ink_of(sentence.get(page, [])):
            painter.fillRect(line, TINT if number else TINT_BEST)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if pieces:
        painter.strokePath(outline(pieces), QPen(OUTLINE, _PEN_PX / scale))
    painter.end()
    if extent is Extent.PASSAGE and pieces:
        around = bounds(pieces)
        margin = _AROUND * size[1]
        part = QRectF(0, around.top() - margin, size[0], around.height() + 2 * margin)
        image = image.copy(
            QTransform.fromScale(scale, scale).mapRect(part).toRect().intersected(image.rect())
        )
    painter = QPainter(image)
    painter.setPen(LIGHT.line)
    painter.drawRect(image.rect().adjusted(0, 0, -1, -1))
    painter.end()
    packed = bytes_of(lambda buffer: image.save(buffer, "PNG"))  # type: ignore[call-overload]  # the stub wants bytes, which Qt refuses
    return ReportPicture(packed, image.width(), image.height(), names.place("page", str(page)))
