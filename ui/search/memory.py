"""The history of searches, and saved searches with their new passages; on this machine only.

Their files are readable by their owner only and replaced atomically. A saved search is repeated
after the library has changed, once the engine is idle, one at a time.
"""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from indexer.api.requests import Search
from indexer.api.types import Match
from indexer.query.grammar import MAX_CHARACTERS
from ui.requests import LatestRequest
from ui.search.live_search import FIRST_LIMIT
from ui.search.rows import grouped, is_weak, least_score
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from indexer.api.status import Activity
    from indexer.api.types import Hit, SearchResult
    from ui.file_worker import FileWorker
    from ui.ports import EnginePort
    from ui.search.live_search import LiveSearch
    from ui.search.rows import Key


log = logging.getLogger(__name__)

MOST_SEARCHES = 200
MOST_SAVED = 500
MOST_DOCUMENTS = 50
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """A search with a name; ``new`` is its number of passages not shown yet."""

    name: str
    text: str
    new: int = 0


class Memory(QObject):
    """Recent and saved searches, the newest first.

    Signals:
        changed: One of the lists has changed.
        trouble: A file could not be written, with the OSError.
    """

    changed = Signal()
    trouble = Signal(object)

    def __init__(
        self, folder: Path, worker: FileWorker, *, remembers: bool, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.recent: tuple[str, ...] = ()
        self.documents: tuple[str, ...] = ()  # paths of opened documents, the newest first
        self.saved: tuple[Saved, ...] = ()
        self._history, self._saved = folder / "history.json", folder / "searches.json"
        self._worker = worker
        self._remembers = remembers
        worker.run(self._read, self._loaded)
        if not remembers:
            self.remember(on=False)

    def remember(self, *, on: bool) -> None:
        """Switch the history on, or off, which deletes it."""
        self._remembers = on
        if not on:
            self.forget_history()

    def forget_history(self) -> None:
        """Delete the history; saved searches stay."""
        self.recent = self.documents = ()
        history = self._history
        self._worker.run(lambda: history.unlink(missing_ok=True), self._written)
        self.changed.emit()

    def note_search(self, text: str) -> None:
        """Add a search to the history, if that is on."""
        text = " ".join(text.split())[:MAX_CHARACTERS]
        if not text or not self._remembers or self.recent[:1] == (text,):
            return
        others = (each for each in self.recent if each != text)
        self.recent = (text, *others)[:MOST_SEARCHES]
        self._write_history()

    def note_document(self, path: str) -> None:
        """Add a document to the history, if that is on."""
        if self._remembers and self.documents[:1] != (path,):
            others = (each for each in self.documents if each != path)
            self.documents = (path, *others)[:MOST_DOCUMENTS]
            self._write_history()

    def drop_entry(self, entry: str) -> None:
        """Remove a search, or a document by its path, from the history."""
        self.recent = tuple(each for each in self.recent if each != entry)
        self.documents = tuple(each for each in self.documents if each != entry)
        self._write_history()

    def _write_history(self) -> None:
        content = {"searches": list(self.recent), "documents": list(self.documents)}
        self._write(self._history, content)

    def save_search(self, name: str, text: str) -> None:
        """Save a search under a name, in place of one of that name."""
        name, text = " ".join(name.split()), " ".join(text.split())
        if name and text:
            others = (each for each in self.saved if each.name != name)
            self._keep((Saved(name, text), *others))

    def discard_search(self, name: str) -> Saved | None:
        """Delete a saved search; return it, for undoing."""
        gone = next((each for each in self.saved if each.name == name), None)
        self._keep(tuple(each for each in self.saved if each.name != name))
        return gone

    def name_of(self, text: str) -> str:
        """Return the name of a saved search; "" if the text is not saved."""
        text = " ".join(text.split())
        return next((each.name for each in self.saved if each.text == text), "")

    def _keep(self, saved: tuple[Saved, ...]) -> None:
        self.saved = saved[:MOST_SAVED]
        listed = [{"name": each.name, "text": each.text} for each in self.saved]
        self._write(self._saved, {"saved": listed})

    def _write(self, file: Path, content: dict[str, Any]) -> None:
        text = json.dumps({"version": _VERSION, **content}, ensure_ascii=False, indent=1) + "\n"
        self._worker.run(lambda: write_file(file, text), self._written)
        self.changed.emit()

    def _written(self, _result: object, error: OSError | None) -> None:
        if error is not None:
            log.warning("a list of searches cannot be written: %s", error)
            self.trouble.emit(error)

    def _read(self) -> tuple[list[str], list[str], list[Saved]]:
        history = load(self._history)
        searches, documents = _strings(history.get("searches")), _strings(history.get("documents"))
        entries = load(self._saved).get("saved")
        saved = [
            Saved(entry["name"], entry["text"])
            for entry in (entries if isinstance(entries, list) else [])
            if isinstance(entry, dict) and _strings([entry.get("name"), entry.get("text")])[1:]
        ]
        return searches, documents, saved

    def _loaded(
        self, result: tuple[list[str], list[str], list[Saved]] | None, _error: object
    ) -> None:
        """Append the entries of the files to those added meanwhile."""
        searches, documents, saved = result or ([], [], [])
        if self._remembers:
            known = dict.fromkeys((*self.documents, *documents))
            self.documents = tuple(known)[:MOST_DOCUMENTS]
            self.recent = tuple(dict.fromkeys((*self.recent, *searches)))[:MOST_SEARCHES]
        names = {each.name for each in self.saved}
        self.saved = (*self.saved, *(each for each in saved if each.name not in names))
        self.changed.emit()


def load(file: Path) -> dict[str, Any]:
    """Read a JSON object from a file; {} if it is missing or invalid."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read: %s", file.name, error)
        return {}
    return content if isinstance(content, dict) else {}


def _strings(values: object) -> list[str]:
    listed = values if isinstance(values, list) else []
    return [value for value in listed if isinstance(value, str) and value.strip()]


MOST = 100
# Seconds; a query that was shown for less, as while typing, is no step of its own.
STAYED_S = 2.0


@dataclass(slots=True)
class SearchStep:
    """A query, and the key of the last current hit."""

    query: str
    key: Key | None = None


@dataclass(slots=True)
class Steps:
    """The steps so far; ``clock`` returns seconds."""

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
        """Record the current hit; the first one only if it was ``chosen`` by the person."""
        if self.current is not None and (chosen or self.current.key is not None):
            self.current.key = key

    def go_through(self, step: int) -> SearchStep | None:
        """Go back (-1) or forward; None where there is nothing."""
        if not 0 <= self._at + step < len(self._steps):
            return None
        self._at += step
        self._since = float("-inf")
        return self.current


# Milliseconds between two searches in the background.
EVERY_MS = 1000
# Hits that count as seen: more than are checked for new ones, since changes of the library move
# others up.
LIMIT = 5 * FIRST_LIMIT
# The most passages stored for a search.
_KEPT = 2 * LIMIT


class Alerts(QObject):
    """Finds new passages of saved searches. Signals: ``changed``: there are others."""

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

        self._request.replace_request(Search(text, LIMIT), done, failed=self._failed)

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
