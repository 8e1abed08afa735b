"""Finds the passages of saved searches that are new since they were last shown.

A search is repeated after the library has changed, once the engine is idle, one at a time.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from indexer.api.requests import Search
from indexer.api.types import Match
from ui.latest_request import LatestRequest
from ui.search.live_search import FIRST_LIMIT
from ui.search.memory import load
from ui.search.rows import grouped, is_weak, least_score
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from indexer.api.status import Activity
    from indexer.api.types import Hit, SearchResult
    from ui.file_worker import FileWorker
    from ui.ports import EnginePort
    from ui.search.live_search import LiveSearch
    from ui.search.memory import Memory, Saved

# Milliseconds between two searches in the background.
EVERY_MS = 1000
# Hits that count as seen: more than are checked for new ones, since changes of the library move
# others up.
LIMIT = 5 * FIRST_LIMIT
# The most passages stored for a search.
_KEPT = 2 * LIMIT


class Alerts(QObject):
    """Signals: ``changed``: the new passages have changed."""

    changed = Signal()

    def __init__(
        self,
        folder: Path,
        worker: FileWorker,
        memory: Memory,
        live_search: LiveSearch,
        link: EnginePort,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._file = folder / "seen.json"
        self._worker, self._memory = worker, memory
        self._live_search, self._link = live_search, link
        self._seen: dict[str, list[str]] | None = None  # by query; None until it is read
        self._new: dict[str, frozenset[str]] = {}
        self._changes: int | None = None
        self._todo: deque[str] = deque()
        self._request = LatestRequest(link)
        self._timer = timer(self, EVERY_MS, self._next)
        worker.run(lambda: load(self._file), self._loaded)
        memory.changed.connect(self._saved_changed)

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
        """Mark the shown answer to a search as seen; return the ``digest``s of its new passages."""
        text = " ".join(text.split())
        if self._seen is None or not self._memory.name_of(text):
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

    def _loaded(self, known: dict[str, object] | None, _error: object) -> None:
        seen = (known or {}).get("seen")
        self._seen = {
            text: [each for each in digests if isinstance(each, str)]
            for text, digests in (seen.items() if isinstance(seen, dict) else ())
            if isinstance(digests, list)
        }
        self._saved_changed()

    def _saved_changed(self) -> None:
        """Search for newly saved searches, and drop those that were removed."""
        texts = [each.text for each in self._memory.saved]
        if self._seen is not None:
            self._new = {text: new for text, new in self._new.items() if text in texts}
            self._plan(text for text in texts if text not in self._seen)

    def _plan(self, texts: Iterable[str]) -> None:
        self._todo.extend(text for text in texts if text not in self._todo)
        if self._todo and not self._request.is_waiting and not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        if not self._todo or self._request.is_waiting:
            return
        if self._seen is None or self._live_search.is_asking or not self._link.is_connected:
            self._timer.start()  # the person's own search comes first
            return
        text = self._todo[0]

        def done(result: SearchResult) -> None:
            self._todo.popleft()
            self._compare(text, result)
            self._plan(())

        self._request.ask(Search(text, LIMIT), done, failed=self._failed)

    def _failed(self, _error: object) -> None:
        """Retry later: another search replaced this one, or the engine has gone."""
        self._timer.start()

    def _compare(self, text: str, result: SearchResult) -> None:
        if self._seen is None or not self._memory.name_of(text):
            return
        if text not in self._seen:
            self._see(text, result.hits)
            return
        first = result.hits[:FIRST_LIMIT] if result.match is not Match.NONE else ()
        least = least_score(grouped(first))
        good = {digest(hit) for hit in first if not is_weak(hit, least)}
        new = frozenset(good.difference(self._seen[text]))
        if new != self._new.get(text, frozenset()):
            self._new[text] = new
            self.changed.emit()

    def _see(self, text: str, hits: Iterable[Hit]) -> None:
        if self._seen is None:
            return
        known = dict.fromkeys([*map(digest, hits), *self._seen.get(text, ())])
        self._seen[text] = list(known)[:_KEPT]
        saved = {each.text for each in self._memory.saved}
        kept = {each: found for each, found in self._seen.items() if each in saved}
        content, file = json.dumps({"version": 1, "seen": kept}) + "\n", self._file
        self._worker.run(lambda: write_file(file, content))


def digest(hit: Hit) -> str:
    """Return what identifies a passage: a digest of its words, wherever its file is."""
    words = " ".join(hit.text.split()) or hit.path
    return blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()
