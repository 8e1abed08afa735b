"""The first search in a library that is still being read: a field, a hit, and what to try."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from indexer.api.requests import GetDocument, ListFiles, Order, Search
from indexer.api.types import FileState
from ui.ports import ignore
from ui.requests import Questions
from ui.search import describe
from ui.search.labels import PassageLabel
from ui.search.safe_text import line
from ui.theme import L, M, S, icon, icon_size
from ui.widgets import (
    CardFrame,
    ElidedLabel,
    IconButton,
    filled,
    keep_room,
    make_bold,
    timer,
    wrapped_label,
)
from ui.words import failures

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QResizeEvent

    from indexer.api.answers import Document, FileList
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.ports import Context

TYPING_MS = 200
MOST_LETTERS = 600


class FirstSearch(QWidget):
    """``lessons`` is for the page to place.

    Signals:
        finished: The query whose results are to be shown.
    """

    finished = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self.suggestions = Suggestions(context, self)
        self.suggestions.found.connect(self._offer)
        self._hit = False
        self._example = ""  # the suggestion that is answered while the field is empty
        self._make_parts()
        self._arrange()
        self._typing = timer(self, TYPING_MS, self.search)
        self._show_hit(None)

    def refresh(self) -> None:
        """Update the suggestions, and repeat a search that has no hit: files may be indexed now."""
        self.suggestions.refresh()
        if self._asked and not self._hit:
            self.search()

    def stop(self) -> None:
        self._typing.stop()
        self.suggestions.stop()
        self._questions.cancel_all()

    def search(self) -> None:
        text = self._asked
        if not text:
            self._show_hit(None)
            return
        self._questions.ask_engine(Search(text, limit=1), self._handle_result, failed=self._fail)

    @property
    def _asked(self) -> str:
        return self.field.text().strip() or self._example

    def _make_parts(self) -> None:
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("What are you looking for?"))
        self.field.setAccessibleName(self.tr("Search"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(self._finish)
        self.button = IconButton(self.tr("&Search"), "search")
        self.button.clicked.connect(self._finish)
        self.lessons = Lessons()
        self.lessons.tried.connect(self.field.setText)
        self.card = CardFrame()
        self.example = wrapped_label()
        self.title = ElidedLabel()
        make_bold(self.title)
        self.place = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.text = PassageLabel(MOST_LETTERS)
        self.more = IconButton(self.tr("Show &all results"), "search")
        self.more.clicked.connect(self._show_all)
        self.note = wrapped_label()

    def _arrange(self) -> None:
        line = filled(QHBoxLayout(), self.field, self.button, wide=self.field)
        parts = (self.example, self.title, self.place, self.text)
        card = filled(QVBoxLayout(self.card), *parts, spacing=S, edges=(L, M, L, M))
        card.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeading)
        filled(QVBoxLayout(self), line, self.card, self.note)
        self.setFocusProxy(self.field)

    def _offer(self, text: str, path: str) -> None:
        self.lessons.offer_query(text, path)
        if not self._example:  # the first suggestion is answered at once
            self._example = text
            if not self.field.text().strip():
                self.search()

    def _typed(self) -> None:
        self._hit = False
        self._typing.start()

    def _finish(self) -> None:
        text = self.field.text().strip()
        if text:
            self.finished.emit(text)

    def _show_all(self) -> None:
        self.finished.emit(self._asked)

    def _handle_result(self, result: SearchResult) -> None:
        self._show_hit(next(iter(result.hits), None))

    def _fail(self, error: LecternError) -> None:
        self._show_hit(None)
        if error.code not in {"busy", "engine_gone"}:
            self.note.setText(failures.failure(error))

    def _show_hit(self, hit: Hit | None) -> None:
        self._hit = hit is not None
        self.card.setVisible(hit is not None)
        asked = bool(self.field.text().strip())
        self.note.setText(self.tr("Nothing found yet. More is read every second."))
        self.note.setVisible(asked and hit is None)
        self.button.setEnabled(asked)
        if hit is None:
            return
        self.example.setText(self.tr("For example, “{query}”:").format(query=line(self._example)))
        self.example.setVisible(not asked)
        self.title.setText(hit.title or hit.file)
        self.place.setText(", ".join(filter(None, (line(hit.file), describe.pages(hit)))))
        self.text.show_hit(hit)


# The drawing of each, and its query: with a text and the suffix of a file.
_LESSONS = (("meaning", "{text}"), ("phrase", '"{text}"'), ("filter", "{text} ext:{suffix}"))
# Average letters; narrower lessons are below each other.
_NARROW = 28


class Lessons(QWidget):
    """Three cards that teach how to search. Signals: ``tried`` with a query."""

    tried = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        texts = (
            (
                self.tr("Ask in your own words"),
                self.tr("Finds passages that mean the same in other words."),
            ),
            (
                self.tr("Put exact words into quotes"),
                self.tr("Passages with exactly these words come first."),
            ),
            (
                self.tr("Narrow it down"),
                self.tr(
                    "Narrow by type, folder, date or language; suggestions appear as you type."
                ),
            ),
        )
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(L)
        self._lessons = [
            _Lesson(drawing, *text) for (drawing, _), text in zip(_LESSONS, texts, strict=True)
        ]
        for lesson in self._lessons:
            lesson.button.clicked.connect(self._try)
            self._row.addWidget(lesson, 1)

    @property
    def buttons(self) -> list[IconButton]:
        return [lesson.button for lesson in self._lessons]

    def offer_query(self, text: str, path: str) -> None:
        """Give the next lesson its query: words of a document, and where that is."""
        for lesson, (_, query) in zip(self._lessons, _LESSONS, strict=True):
            if not lesson.query:
                suffix = PurePath(path).suffix.removeprefix(".") or "*"
                lesson.offer_query(query.format(text=text, suffix=suffix))
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < len(_LESSONS) * _NARROW * self.fontMetrics().averageCharWidth()
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)

    def _try(self) -> None:
        self.tried.emit(next(one.query for one in self._lessons if one.button is self.sender()))


class _Lesson(CardFrame):
    """A card: what can be done, and a button to do it."""

    def __init__(self, drawing: str, title: str, about: str) -> None:
        super().__init__()
        self.query = ""
        self._drawing, self._glyph = drawing, QLabel()
        head = wrapped_label(title)
        make_bold(head)
        self.button = IconButton(title, "search")
        keep_room(self.button)
        self.button.hide()
        top = QHBoxLayout()
        top.setSpacing(M)
        top.addWidget(self._glyph, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(head, 1, Qt.AlignmentFlag.AlignTop)
        column = filled(QVBoxLayout(self), top, wrapped_label(about), edges=(L, L, L, L))
        column.addStretch(1)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeading)
        self._fit()

    def offer_query(self, query: str) -> None:
        self.query = query
        self.button.setAccessibleName(query)
        self.button.setToolTip(query)
        self.button.show()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (event.Type.FontChange, event.Type.PaletteChange):
            self._fit()

    def _fit(self) -> None:
        """Draw the icon in the current size and colour, and shorten the query to the width."""
        self._glyph.setPixmap(icon(self._drawing).pixmap(icon_size(self), self.devicePixelRatioF()))
        room = self.width() - 2 * L - icon_size(self).width() - 2 * L
        shown = self.fontMetrics().elidedText(self.query, Qt.TextElideMode.ElideRight, room)
        self.button.setText(shown.replace("&", "&&"))


MAX_SUGGESTIONS = 3
MAX_FILES = 12
LEAST_LETTERS, MOST_QUERY_LETTERS, MOST_WORDS = 6, 60, 8
# States of files that can be searched.
_STATES = (FileState.INDEXED, FileState.TEXT_ONLY)
# Signs of the grammar of queries, which a suggestion must not have.
_SIGNS = frozenset('":()[]{}<>*')


class Suggestions(QObject):
    """Finds queries to try. Signals: ``found`` with a query and the path of its document."""

    found = Signal(str, str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        self.texts: list[str] = []

    def refresh(self) -> None:
        """Look for queries in the files that were read since the last call."""
        if len(self.texts) >= MAX_SUGGESTIONS or self._waiting or self._waits:
            return
        for state in _STATES:
            request = ListFiles(state, limit=MAX_FILES, order=Order.MODIFIED)
            self._questions.ask_engine(request, self._handle_files, failed=ignore, slot=state)

    def stop(self) -> None:
        self._waiting = []
        self._questions.cancel_all()

    @property
    def _waits(self) -> bool:
        """Whether a file is being looked at: requests for a second one would cancel its own."""
        asked = (GetDocument.wire_name, Search.wire_name)
        return any(self._questions.is_waiting(each) for each in asked)

    def _handle_files(self, listed: FileList) -> None:
        paths = [row.path for row in listed.files]
        self._waiting += [path for path in paths if path not in self._seen]
        self._seen.update(paths)
        if not self._waits:
            self._next()

    def _next(self) -> None:
        if len(self.texts) >= MAX_SUGGESTIONS:
            self._waiting = []
        if self._waiting:
            path = Path(self._waiting.pop(0))
            done = partial(self._handle_document, path)
            self._questions.ask_engine(GetDocument(path), done, failed=self._skip)

    def _skip(self, _error: object) -> None:
        self._next()

    def _handle_document(self, path: Path, document: Document) -> None:
        text = without_signs(document.title or path.stem)
        if not text:
            self._next()
            return
        request = Search(text, limit=1, full_text=False)
        done = partial(self._handle_result, text, str(path))
        self._questions.ask_engine(request, done, failed=self._skip)

    def _handle_result(self, text: str, path: str, result: SearchResult) -> None:
        for hit in result.hits[:1]:
            headings = map(without_signs, reversed(hit.heading_path))
            # The heading of a section is a better query than the title of the document.
            better = next((each for each in headings if is_good(each)), text)
            if is_good(better) and better not in self.texts:
                self.texts.append(better)
                self.found.emit(better, path)
        self._next()


def without_signs(text: str) -> str:
    """Remove the signs of the grammar of queries from a text.

    >>> without_signs('2.1  "Rent":  the basics')
    '2.1 Rent the basics'
    >>> without_signs("annual_report-2023")
    'annual report 2023'
    """
    letters = (" " if sign in _SIGNS or sign in "_-/\\" else sign for sign in text)
    return " ".join("".join(letters).split())


def is_good(text: str) -> bool:
    """Return whether a text can be a query: mostly letters, neither too short nor too long.

    >>> is_good("Repairs of the roof"), is_good("1.2.3"), is_good("IV")
    (True, False, False)
    """
    letters = sum(sign.isalpha() for sign in text)
    fits = LEAST_LETTERS <= len(text) <= MOST_QUERY_LETTERS and len(text.split()) <= MOST_WORDS
    return fits and letters > len(text) // 2
