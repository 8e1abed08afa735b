"""The history of searches, and saved searches with their new passages; on this machine only.

A saved search is repeated after the library has changed, once the engine is idle, one at a time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from indexer.api.requests import Search
from indexer.api.types import Hit, Match, SearchResult
from indexer.query.grammar import MAX_CHARACTERS
from ui.personal import PersonalList
from ui.requests import LatestRequest
from ui.search.live_search import FIRST_LIMIT, LiveSearch
from ui.search.rows import Key, grouped, is_weak, least_score
from ui.widgets import timer

if TYPE_CHECKING:
    from indexer.api.status import Activity
    from ui.file_worker import FileWorker
    from ui.ports import EnginePort


MOST_SEARCHES = 200
MOST_SAVED = 500
MOST_DOCUMENTS = 50


class Saved(Struct, frozen=True):
    """A search with a name; ``new`` counts its passages that were not shown yet."""

    name: str
    text: str
    new: int = 0


class LeftSearch(Struct, frozen=True):
    """The query that was in the box when the window was closed, and the key of the current hit."""

    query: str
    path: str = ""
    start: int = 0
    end: int = 0


class Memory(QObject):
    """Recent and saved searches, the newest first, and the last search before the window closed.

    Signals:
        changed: One of the lists has changed.
    """

    changed = Signal()

    def __init__(
        self, folder: Path, worker: FileWorker, *, remembers: bool, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        history, saved = folder / "history.json", folder / "searches.json"
        self._searches = PersonalList(history, "searches", str, worker, parent=self)
        self._documents = PersonalList(history, "documents", str, worker, parent=self)
        self._left = PersonalList(
            history, "left", LeftSearch, worker, key=lambda one: one.query, parent=self
        )
        self._saved = PersonalList(
            saved, "saved", Saved, worker, key=lambda one: one.name, parent=self
        )
        self.lists = (self._searches, self._documents, self._saved)
        for each in self.lists:
            each.changed.connect(self.changed)
        self._remembers = remembers
        if not remembers:
            self.remember(on=False)

    @property
    def recent(self) -> tuple[str, ...]:
        return self._searches.entries

    @property
    def documents(self) -> tuple[str, ...]:
        """Paths of opened documents, the newest first."""
        return self._documents.entries

    @property
    def saved(self) -> tuple[Saved, ...]:
        return self._saved.entries

    def remember(self, *, on: bool) -> None:
        """Switch the history on or off; switching it off deletes it."""
        self._remembers = on
        if not on:
            self.forget_history()

    def forget_history(self) -> None:
        """Delete the history; saved searches stay."""
        self._searches.delete()
        self._documents.delete()
        self._left.delete()

    @property
    def left(self) -> LeftSearch | None:
        """The last search before the window was closed, if there was one."""
        return self._left.entries[0] if self._left.entries else None

    def leave(self, query: str, key: Key | None) -> None:
        """Store the last search before the window closes, if the history is on."""
        query = " ".join(query.split())[:MAX_CHARACTERS]
        left = (LeftSearch(query, *(key or ())),) if query and self._remembers else ()
        if left != self._left.entries:
            self._left.change(lambda _before: left)

    def note_search(self, text: str) -> None:
        """Add a search to the history, if that is on."""
        text = " ".join(text.split())[:MAX_CHARACTERS]
        if text and self._remembers and self.recent[:1] != (text,):
            self._searches.change(lambda known: _with_first(text, known)[:MOST_SEARCHES])

    def note_document(self, path: str) -> None:
        """Add a document to the history, if that is on."""
        if self._remembers and self.documents[:1] != (path,):
            self._documents.change(lambda known: _with_first(path, known)[:MOST_DOCUMENTS])

    def follow_document(self, path: str, now: str) -> None:
        """Replace the path of a document that was moved."""
        self._documents.change(lambda known: dict.fromkeys(now if one == path else one
                                                           for one in known))  # fmt: skip

    def drop_entry(self, entry: str) -> None:
        """Remove a search, or a document by its path, from the history."""
        for each in (self._searches, self._documents):
            if entry in each.entries:
                each.change(lambda known: (one for one in known if one != entry))

    def save_search(self, name: str, text: str) -> None:
        """Save a search under a name, in place of one of that name."""
        name, text = " ".join(name.split()), " ".join(text.split())
        if name and text:
            new = Saved(name, text)
            self._saved.change(
                lambda saved: (new, *(one for one in saved if one.name != name))[:MOST_SAVED]
            )

    def discard_search(self, name: str) -> Saved | None:
        """Delete a saved search; return it, for undoing."""
        gone = next((each for each in self.saved if each.name == name), None)
        self._saved.change(lambda saved: (each for each in saved if each.name != name))
        return gone

    def name_of(self, text: str) -> str:
        """Return the name of a saved search; "" if the text is not saved."""
        text = " ".join(text.split())
        return next((each.name for each in self.saved if each.text == text), "")


def _with_first(entry: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return (entry, *(one for one in known if one != entry))


MOST = 100
# A query that was shown for fewer seconds, as while typing, is no step of its own.
STAYED_S = 2.0


class SearchStep(Struct):
    """A query, and the key of the hit that was current last."""

    query: str
    key: Key | None = None


class Steps(Struct):
    """The queries so far, through which one can go back and forward; ``clock`` returns seconds."""

    clock: Callable[[], float] = time.monotonic
    _steps: list[SearchStep] = field(default_factory=list)
    _at: int = -1
    _since: float = 0.0

    @property
    def current(self) -> SearchStep | None:
        return self._steps[self._at] if self._at >= 0 else None

    def note_query(self, query: str) -> None:
        """Record that a query was answered."""
        current = self.current
        if current is not None and current.query == query:
            return
        passing = current is not None and self.clock() - self._since < STAYED_S
        if passing and current is not None and current.key is None:
            self._at -= 1
        self._steps[self._at + 1 :] = [SearchStep(query)]
        del self._steps[:-MOST]
        self._at = len(self._steps) - 1
        self._since = self.clock()

    def note_hit(self, key: Key, *, chosen: bool) -> None:
        """Record the current hit; for a query's first hit only if the person has ``chosen`` it."""
        if self.current is not None and (chosen or self.current.key is not None):
            self.current.key = key

    def go_through(self, step: int) -> SearchStep | None:
        """Go back (-1) or forward (1); return None if there is no such step."""
        if not 0 <= self._at + step < len(self._steps):
            return None
        self._at += step
        self._since = float("-inf")
        return self.current


class Seen(Struct, frozen=True):
    """The ``digest``s of the passages that were shown for a query, the newest first."""

    text: str
    digests: tuple[str, ...]


# Milliseconds between two searches in the background.
EVERY_MS = 1000
# How many hits count as seen. Fewer are checked for new ones, since changes of the library move
# other hits up.
LIMIT = 5 * FIRST_LIMIT
# The most passages stored for a search.
_KEPT = 2 * LIMIT


class Alerts(QObject):
    """Finds new passages of saved searches. Signals: ``changed`` when their numbers change."""

    changed = Signal()

    def __init__(
        self, folder: Path, worker: FileWorker, memory: Memory, live_search: LiveSearch,
        link: EnginePort, parent: QObject,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._memory = memory
        self._seen = PersonalList(
            folder / "seen.json", "seen", Seen, worker, key=lambda one: one.text, parent=self
        )
        self._live_search, self._link = live_search, link
        self._new: dict[str, frozenset[str]] = {}
        self._changes: int | None = None
        self._todo: deque[str] = deque()
        self._request = LatestRequest(link)
        self._timer = timer(self, EVERY_MS, self._next)
        memory.changed.connect(self._saved_changed)
        self._saved_changed()

    def annotated(self) -> tuple[Saved, ...]:
        """Return the saved searches with their numbers of new passages."""
        return tuple(
            replace(each, new=len(self._new.get(each.text, ()))) for each in self._memory.saved
        )

    def show_activity(self, activity: Activity | None) -> None:
        """Repeat the searches if the library has changed and the engine is idle."""
        if activity is None or activity.running is not None or activity.changes == self._changes:
            return
        self._changes = activity.changes
        self._plan(each.text for each in self._memory.saved)

    def visit(self, text: str, hits: Iterable[Hit]) -> frozenset[str]:
        """Mark the shown answer as seen; return the ``digest``s of its new passages."""
        text = " ".join(text.split())
        if not self._memory.name_of(text):
            return frozenset()
        new = self._new.pop(text, frozenset())
        self._see(text, hits)
        if new:
            self.changed.emit()
        return new

    def stop(self) -> None:
        """Cancel everything; the page closes."""
        self._timer.stop()
        self._todo.clear()
        self._request.cancel()

    def _saved_changed(self) -> None:
        """Search for newly saved searches, and drop those that were removed."""
        texts = [each.text for each in self._memory.saved]
        seen = {one.text for one in self._seen.entries}
        self._new = {text: new for text, new in self._new.items() if text in texts}
        self._plan(text for text in texts if text not in seen)

    def _plan(self, texts: Iterable[str]) -> None:
        self._todo.extend(text for text in texts if text not in self._todo)
        if self._todo and not self._request.is_waiting and not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        if not self._todo or self._request.is_waiting:
            return
        if self._live_search.is_asking or not self._link.is_connected:
            self._timer.start()  # the person's own search comes first
            return
        text = self._todo[0]

        def done(result: SearchResult) -> None:
            self._todo.popleft()
            self._compare(text, result)
            self._plan(())

        self._request.replace_request(Search(text, LIMIT), done, failed=self._failed)

    def _failed(self, _error: object) -> None:
        """Retry later: another search replaced this one, or the engine has gone."""
        self._timer.start()

    def _compare(self, text: str, result: SearchResult) -> None:
        if not self._memory.name_of(text):
            return
        seen = self._digests(text)
        if seen is None:
            self._see(text, result.hits)
            return
        first = result.hits[:FIRST_LIMIT] if result.match is not Match.NONE else ()
        least = least_score(grouped(first))
        good = {digest(hit) for hit in first if not is_weak(hit, least)}
        new = frozenset(good.difference(seen))
        if new != self._new.get(text, frozenset()):
            self._new[text] = new
            self.changed.emit()

    def _see(self, text: str, hits: Iterable[Hit]) -> None:
        known = dict.fromkeys([*map(digest, hits), *(self._digests(text) or ())])
        new = Seen(text, tuple(known)[:_KEPT])
        others = {each.text for each in self._memory.saved} - {text}
        self._seen.change(lambda seen: (new, *(one for one in seen if one.text in others)))

    def _digests(self, text: str) -> tuple[str, ...] | None:
        return next((one.digests for one in self._seen.entries if one.text == text), None)


def digest(hit: Hit) -> str:
    """Return a digest of a passage's words, which identifies it wherever its file is."""
    words = " ".join(hit.text.split()) or hit.path
    return blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()
