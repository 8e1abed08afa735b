"""Suggests queries from the person's documents: headings and titles of what has been read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import GetDocument, ListFiles, Order, Search
from indexer.api.types import FileState
from ui.library.questions import Questions
from ui.ports import ignore

if TYPE_CHECKING:
    from indexer.api.answers import Document, FileList
    from indexer.api.types import SearchResult
    from ui.ports import Context

MAX_SUGGESTIONS = 3
MAX_FILES = 12
LEAST_LETTERS, MOST_LETTERS, MOST_WORDS = 6, 60, 8
# States of files that can be searched.
_STATES = (FileState.INDEXED, FileState.TEXT_ONLY)
# Signs of the grammar of queries, which a suggestion must not have.
_SIGNS = frozenset('":()[]{}<>*')


class Suggestions(QObject):
    """Signals: ``found`` with one more query and the path of its document, a few times."""

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
            self._questions.ask(request, self._handle_files, failed=ignore, slot=state)

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
            self._questions.ask(GetDocument(path), done, failed=self._skip)

    def _skip(self, _error: object) -> None:
        self._next()

    def _handle_document(self, path: Path, document: Document) -> None:
        text = plain(document.title or path.stem)
        if not text:
            self._next()
            return
        request = Search(text, limit=1, full_text=False)
        done = partial(self._handle_result, text, str(path))
        self._questions.ask(request, done, failed=self._skip)

    def _handle_result(self, text: str, path: str, result: SearchResult) -> None:
        for hit in result.hits[:1]:
            headings = map(plain, reversed(hit.heading_path))
            # The heading of a section is a better query than the title of the document.
            better = next((each for each in headings if is_good(each)), text)
            if is_good(better) and better not in self.texts:
                self.texts.append(better)
                self.found.emit(better, path)
        self._next()


def plain(text: str) -> str:
    """Remove the signs of the grammar of queries from a text.

    >>> plain('2.1  "Rent":  the basics')
    '2.1 Rent the basics'
    >>> plain("annual_report-2023")
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
    fits = LEAST_LETTERS <= len(text) <= MOST_LETTERS and len(text.split()) <= MOST_WORDS
    return fits and letters > len(text) // 2
