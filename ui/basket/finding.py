"""Finds kept passages again whose documents were moved, renamed or changed.

A document that is where it was, and as it was, costs one request; any other is searched by the
words of its passage, as a link to it would (``ui.links``).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from indexer.api.requests import GetDocument, Search
from ui.latest_request import LatestRequest
from ui.links import link_of, query_of
from ui.search.safe_text import shown
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, SearchResult
    from ui.basket.basket import Kept
    from ui.ports import EnginePort

    # The hits that have moved, by the keys of their passages; and the keys of those not found.
    Found = Callable[[dict[str, Hit], frozenset[str]], None]

_MOST_HITS = 10
# Milliseconds before a search that a newer one replaced is sent again.
_AGAIN_MS = 500


class PassageFinder(QObject):
    """Finds a list of passages, one after the other; a new list replaces the one before."""

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._left: list[Kept] = []
        self._moved: dict[str, Hit] = {}
        self._lost: set[str] = set()
        self._done: Found | None = None
        self._request = LatestRequest(link)
        self._again = timer(self, _AGAIN_MS, self._search)

    def find_passages(self, kept: Sequence[Kept], done: Found) -> None:
        """Call ``done`` with what is elsewhere now, later."""
        self.close()
        self._left, self._done = list(kept)[::-1], done
        self._moved, self._lost = {}, set()
        self._go_on()

    def close(self) -> None:
        """Cancel the requests."""
        self._again.stop()
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
        self._request.ask(
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
            self._request.ask(Search(query, _MOST_HITS), self._answered, failed=self._refused)
        else:
            self._lose()

    def _refused(self, error: LecternError) -> None:
        if error.code == "busy":  # replaced by a search of the page
            self._again.start()
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

    def _lose(self) -> None:
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
    return (
        _words(hit.text) != _words(other.text),
        hit.path != other.path,
        abs(hit.start - other.start),
    )


def _words(text: str) -> str:
    return " ".join(shown(text).text.split()).casefold()
