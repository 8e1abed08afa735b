"""The first search in a library that is still being read.

Owns the field, the first hit and which queries are suggested. It must not know the state of
indexing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from indexer.api.requests import Search
from ui.library.lessons import Lessons
from ui.library.questions import Questions
from ui.library.suggestions import Suggestions
from ui.search import describe
from ui.search.passage_label import PassageLabel
from ui.search.safe_text import line
from ui.theme import L, M, S
from ui.widgets import CardFrame, ElidedLabel, IconButton, timer, wrapped_label
from ui.words import failures

if TYPE_CHECKING:
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
        self._questions.ask(Search(text, limit=1), self._handle_result, failed=self._fail)

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
        bold = self.title.font()
        bold.setBold(True)
        self.title.setFont(bold)
        self.place = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.text = PassageLabel(MOST_LETTERS)
        self.more = IconButton(self.tr("Show &all results"), "search")
        self.more.clicked.connect(self._show_all)
        self.note = wrapped_label()

    def _arrange(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(M)
        line.addWidget(self.field, 1)
        line.addWidget(self.button)
        card = QVBoxLayout(self.card)
        card.setContentsMargins(L, M, L, M)
        card.setSpacing(S)
        for part in (self.example, self.title, self.place, self.text):
            card.addWidget(part)
        card.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeading)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addLayout(line)
        for widget in (self.card, self.note):
            column.addWidget(widget)
        self.setFocusProxy(self.field)

    def _offer(self, text: str, path: str) -> None:
        self.lessons.offer(text, path)
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
