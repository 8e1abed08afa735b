"""Questions to try, taken from the person's own documents.

Owns the search for them: headings and titles of what has been read. It must not know who asks.
"""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from ui.library.questions import Questions, ignore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ui.ports import Context

WANTED = 3
LOOKED_AT = 12
LEAST_LETTERS, MOST_LETTERS, MOST_WORDS = 6, 60, 8
# What is read is searchable in these.
_STATES = ("indexed", "text_only")
# Of the grammar of queries; a suggestion is to be taken as plain words.
_SIGNS = frozenset('":()[]{}<>*')


class Suggestions(QObject):
    """Signals: ``found`` with one more question, at most ``WANTED`` of them."""

    found = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        self.texts: list[str] = []

    def look(self) -> None:
        """Look at what has been read since the last time."""
        if len(self.texts) >= WANTED or self._waiting or self._questions.is_waiting("document"):
            return
        for state in _STATES:
            fields = {"state": state, "order": "modified", "limit": LOOKED_AT}
            self._questions.ask_as_before(
                "files", fields, self._take_files, failed=ignore, slot=state
            )

    def stop(self) -> None:
        self._waiting = []
        self._questions.cancel_all()

    def _take_files(self, reply: Mapping[str, Any]) -> None:
        paths = [str(row.get("path", "")) for row in reply.get("files", [])]
        self._waiting += [path for path in paths if path not in self._seen]
        self._seen.update(paths)
        if not self._questions.is_waiting("document"):
            self._next()

    def _next(self) -> None:
        if len(self.texts) >= WANTED:
            self._waiting = []
        if self._waiting:
            path = self._waiting.pop(0)
            self._questions.ask_as_before(
                "document", {"path": path}, partial(self._take_document, path), failed=self._skip
            )

    def _skip(self, _error: object) -> None:
        self._next()

    def _take_document(self, path: str, reply: Mapping[str, Any]) -> None:
        title = str(reply.get("document", {}).get("title", ""))
        text = plain(title or PurePath(path).stem)
        if not text:
            self._next()
            return
        fields = {"text": text, "limit": 1, "full_text": False}
        self._questions.ask_as_before(
            "search", fields, partial(self._take_hit, text), failed=self._skip
        )

    def _take_hit(self, text: str, reply: Mapping[str, Any]) -> None:
        hits = reply.get("result", {}).get("hits", [])
        if hits:
            headings = [plain(str(heading)) for heading in hits[0].get("heading_path", [])]
            # A heading of a section is a better question than the name of the whole.
            better = next((each for each in reversed(headings) if is_good(each)), text)
            if is_good(better) and better not in self.texts:
                self.texts.append(better)
                self.found.emit(better)
        self._next()


def plain(text: str) -> str:
    """Text without the signs that a query would take for its grammar.

    >>> plain('2.1  "Rent":  the basics')
    '2.1 Rent the basics'
    >>> plain("annual_report-2023")
    'annual report 2023'
    """
    letters = (" " if sign in _SIGNS or sign in "_-/\\" else sign for sign in text)
    return " ".join("".join(letters).split())


def is_good(text: str) -> bool:
    """Tell whether a text looks like a question, rather than a number or half a page.

    >>> is_good("Repairs of the roof"), is_good("1.2.3"), is_good("IV")
    (True, False, False)
    """
    letters = sum(sign.isalpha() for sign in text)
    fits = LEAST_LETTERS <= len(text) <= MOST_LETTERS and len(text.split()) <= MOST_WORDS
    return fits and letters > len(text) // 2
