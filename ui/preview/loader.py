"""Loads a hit: opens its document, and finds its passage there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from indexer.api.pages import DocumentSource, FindWords, GetMarks, GetOutline, GetText, Open
from ui.preview.client import RenderClient, Urgency
from ui.preview.document import PageDocument, image_cache
from ui.preview.marks import Marks, pieces_of
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.pages import FoundWords, MarkBox, Opened, PageRequest, PassageMarks, TextPart
    from indexer.api.types import Hit, Span

A = TypeVar("A")

# Code points of a text that are loaded before and after its passage.
ROOM = 40_000
_COUNTING_MS = 30


class Loader(QObject):
    """Loads one hit at a time.

    ``library`` is the library's folder, which has the text recognised on scanned pages.
    """

    opened = Signal(object)  # a PageDocument; the previous one is closed already
    marked = Signal(object, bool)  # Marks, and whether to bring them into view
    words_came = Signal(object)  # tuples of the Pieces of a word, and whether it is in the query
    text_came = Signal(str, object)  # the text, and its TextPart
    text_marked = Signal(object, object)  # the passage, its sentences: offsets in the document
    more_came = Signal(str, object)
    outline_came = Signal(object)  # tuple[OutlineEntry, ...]
    lost = Signal(bool)  # the passage is not found; true if the file has changed since
    found = Signal(object)  # FoundWords
    failed = Signal(object)  # a LecternError

    def __init__(self, parent: QObject | None = None, library: Path | None = None) -> None:
        super().__init__(parent)
        self.client = RenderClient(self, library)
        self._cache = image_cache()
        self._document: PageDocument | None = None
        self._hit: Hit | None = None
        self.source = DocumentSource(Path())
        self._modified_ns = 0
        self._asked: list[int] = []  # all requests for the hit, answered ones too
        self._finding: int | None = None
        self.is_counting = False  # whether the place of the marks is not certain yet
        self._again = timer(self, _COUNTING_MS, self._ask_marks)

    def load_hit(self, hit: Hit, password: str | None) -> None:
        """Load a hit; requests for the previous one are cancelled."""
        self.cancel_requests()
        if Path(hit.path) != self.source.path:
            self.stop_finding()
        self._hit = hit
        self.source = DocumentSource(Path(hit.path), hit.format, password)
        self._ask(Open(self.source, max(hit.page, 1)), self._opened, Urgency.OPEN)

    def cancel_requests(self) -> None:
        """Cancel all requests except the search for words, which may go on with the document."""
        self._again.stop()
        self.is_counting = False
        for number in self._asked:
            self.client.cancel(number)
        self._asked.clear()

    def let_go(self) -> None:
        """Close the document."""
        self.cancel_requests()
        self.stop_finding()
        self._hit = None
        self._replace(None)

    def close(self) -> None:
        self.let_go()
        self.client.close()

    def want_outline(self) -> None:
        came = self.outline_came.emit
        self._ask(GetOutline(self.source), lambda entries, _data: came(entries), Urgency.VISIBLE)

    def find_words(self, text: str, page: int) -> None:
        """Find words from a page on; this replaces the last such request."""
        self.stop_finding()
        request = FindWords(self.source, text, page)
        self._finding = self.client.ask_child(request, self._got_found, urgency=Urgency.SOON)

    def stop_finding(self) -> None:
        if self._finding is not None:
            self.client.cancel(self._finding)
            self._finding = None

    def want_more(self, start: int, end: int) -> None:
        """Load a larger range of the text."""

        def came(part: TextPart, data: bytes) -> None:
            self.more_came.emit(data.decode("utf-8", "replace"), part)

        self._ask(GetText(self.source, start, end), came, Urgency.VISIBLE)

    def _ask(
        self, request: PageRequest[A], done: Callable[[A, bytes], None], urgency: Urgency
    ) -> None:
        self._asked.append(self.client.ask_child(request, done, self.failed.emit, urgency))

    def _opened(self, found: Opened, _data: bytes) -> None:
        hit = self._hit
        if hit is None:
            return
        self._modified_ns = found.modified_ns
        if found.pages is None:
            request = GetText(self.source, hit.start, hit.end, ROOM)
            self._ask(request, self._got_text, Urgency.OPEN)
            return
        shown = self._document
        same = shown is not None and (shown.source, shown.stamp) == (self.source, found.stamp)
        if not same:
            self._replace(
                PageDocument(self.source, found.stamp, found.pages, self.client, self._cache, self)
            )
        # The marks come first, since they determine the visible part of the page.
        self._ask_marks()
        self.opened.emit(self._document)

    def _replace(self, document: PageDocument | None) -> None:
        before, self._document = self._document, document
        if before is not None:
            before.close()
            before.deleteLater()

    def _ask_marks(self) -> None:
        hit = self._hit
        if hit is None or not hit.text:
            return
        urgency = Urgency.REST if self.is_counting else Urgency.MARKS
        spans = tuple(span for _number, span in _marked_spans(hit))
        self._ask(self._marks_of(hit, spans), partial(self._got_marks, hit), urgency)

    def want_words(self, same: Sequence[Span], meaning: Sequence[Span]) -> None:
        """Find matching words of the passage on its pages: the same, and those close in meaning."""
        hit = self._hit
        if hit is None or not hit.text:
            return

        def done(found: PassageMarks, _data: bytes) -> None:
            own = [number < len(same) for number in range(len(found.spans))]
            self.words_came.emit(tuple(zip(map(pieces_of, found.spans), own, strict=True)))

        self._ask(self._marks_of(hit, (*same, *meaning)), done, Urgency.MARKS)

    def _marks_of(self, hit: Hit, spans: tuple[Span, ...]) -> GetMarks:
        start = hit.start if len(hit.text) == hit.end - hit.start else None
        return GetMarks(self.source, hit.page_first, hit.page_last, hit.text, start, spans)

    def _got_marks(self, hit: Hit, found: PassageMarks, _data: bytes) -> None:
        again, self.is_counting = self.is_counting, found.found and found.pending
        if not found.found:
            self._lose()
            return
        if self._document is not None:
            # The margin of the first passage stays, so that the scale does not change later.
            self._document.margin = self._document.margin or found.margin
        parts: dict[int, list[MarkBox]] = {}
        for (number, _span), boxes in zip(_marked_spans(hit), found.spans, strict=True):
            parts.setdefault(number, []).extend(boxes)
        passage, *sentences = map(pieces_of, parts.values())
        self.marked.emit(Marks(passage, tuple(filter(None, sentences))), not again)
        if self.is_counting:
            # The text occurs twice, so its offset decides; the child counts the pages before it in
            # steps.
            self._again.start()

    def _got_text(self, part: TextPart, data: bytes) -> None:
        hit = self._hit
        if hit is None:
            return
        text, offset = data.decode("utf-8", "replace"), part.offset
        self.text_came.emit(text, part)
        self._replace(None)
        if not hit.text:
            return
        start = place_in(text, offset, hit)
        if start is None:
            self._lose()
            return
        sentences = [(start + low, start + high) for low, high in _sentences(hit)]
        self.text_marked.emit((start, start + len(hit.text)), sentences)

    def _lose(self) -> None:
        if self._hit is not None:
            self.lost.emit(self._hit.modified_ns != self._modified_ns)

    def _got_found(self, answer: FoundWords, _data: bytes) -> None:
        self._finding = None
        self.found.emit(answer)


def _sentences(hit: Hit) -> list[Span]:
    """Return the best sentences of a hit, best first, as offsets into its text."""
    spans = hit.marks or (hit.best,)
    return [(start, end) for start, end in spans if 0 <= start < end <= len(hit.text)]


def _marked_spans(hit: Hit) -> list[tuple[int, Span]]:
    """Return the ranges of a passage (0) and its best sentences (1, 2, …) without running heads."""
    found = []
    for number, (start, end) in enumerate(((0, len(hit.text)), *_sentences(hit))):
        edges = [start, *(min(max(at, start), end) for gone in hit.left_out for at in gone), end]
        pairs = zip(edges[::2], edges[1::2], strict=True)
        found += [(number, (low, high)) for low, high in pairs if low < high]
    return found


def place_in(text: str, offset: int, hit: Hit) -> int | None:
    """Return the offset of a hit's text in its document; None if it is not found.

    Args:
        text: The loaded part of the document.
        offset: The offset of that part.
        hit: The hit, whose text may have been shortened.
    """
    local = hit.start - offset
    if text[max(local, 0) : max(local, 0) + len(hit.text)] == hit.text:
        return hit.start
    # The text was shortened, or the file has changed before it: take the nearest occurrence.
    before = text.rfind(hit.text, 0, max(local, 0) + len(hit.text))
    after = text.find(hit.text, max(local, 0))
    found = [at for at in (before, after) if at >= 0]
    if not found:
        return None
    return offset + min(found, key=lambda at: abs(at - local))
