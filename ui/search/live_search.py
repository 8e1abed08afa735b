"""Searches while the person types, and again when the library has changed; the words that match."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from indexer.api.errors import LecternError, WorldError
from indexer.api.requests import Explain, Search, SearchByWords
from ui.requests import LatestRequest
from ui.search.rows import key_of
from ui.widgets import timer

if TYPE_CHECKING:
    from indexer.api.status import Activity
    from indexer.api.types import Explanation, Hit, SearchResult, Span
    from ui.ports import EnginePort


# A newer query replaces the one in flight after a pause in the typing. The pause is as long as the
# last answer took, but within these bounds.
LEAST_PAUSE_MS, MOST_PAUSE_MS = 40, 150
FIRST_LIMIT = 60
MOST_HITS = 10_000
# Milliseconds from a key until hits by words are asked for, to show until the answer comes.
WORDS_AFTER_MS = 60
# If the last answer took no longer than this, hits by words wait for twice the time that it took.
# That time does not include painting and the way to the engine, and hits by words would delay the
# answer by a third to a half.
QUICK_MS = 200
WORDS_LIMIT = 20  # enough to fill a window, and found in half the time of 60
# How many more hits the end of the list asks for; larger requests would delay the next query.
PAGE = 120


class LiveSearch(QObject):
    """Asks the engine as the query changes, one search at a time.

    Signals:
        answered: The answer to ``answered_text``, as a ``SearchResult``, and whether the previous
            answer was to the same query.
        answered_by_words: Hits by the words of the query, as a ``SearchResult``, while the answer
            is under way; ``answered_text`` is their query.
        failed: Why there is no answer, as a ``LecternError``.
        stale: Whether the shown hits belong to another query than the current one.
        emptied: The query is empty.
        waiting: Whether the query waits for an engine.
        busy: Whether a search is under way.
    """

    answered = Signal(object, bool)
    answered_by_words = Signal(object)
    failed = Signal(object)
    stale = Signal(bool)
    emptied = Signal()
    waiting = Signal(bool)
    busy = Signal(bool)

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self.text = ""
        self.limit = FIRST_LIMIT
        self.least = FIRST_LIMIT
        self.took_ms: int | None = None  # how long the last answer took in the engine
        self._request = LatestRequest(link)
        self._words = LatestRequest(link)
        self.answered_text = ""  # the query of the hits that are shown
        self._answered: str | None = None
        self._found = 0
        self._waits = False
        self._timer = timer(self, 0, self.ask_now)
        self._words_timer = timer(self, 0, self._ask_by_words)
        link.connected.connect(self._connected)

    @property
    def is_answered(self) -> bool:
        """Whether the last answer is to the current query."""
        return self._answered == self.text

    @property
    def shows_current(self) -> bool:
        """Whether the shown hits belong to the current query, even if only by words."""
        return self.answered_text == self.text

    @property
    def is_asking(self) -> bool:
        """Whether a request is under way or planned."""
        return self._request.is_waiting or self._timer.isActive()

    @property
    def has_all(self) -> bool:
        """Whether the last answer is to the current query and holds all hits."""
        return self.is_answered and self._found < self.limit

    @property
    def may_have_more(self) -> bool:
        """Whether a higher limit may bring more hits."""
        full = self._found >= self.limit and self.limit < MOST_HITS
        return full and self.is_answered and not self._request.is_waiting

    def asks_the_same(self, text: str) -> bool:
        """Return whether a text is the current query, except for white space around it."""
        return text.strip() == self.text.strip()

    def want_query(self, text: str, *, at_once: bool = False) -> None:
        """Set the query, and search: at once if asked to, or if no other query is in flight."""
        if self.asks_the_same(text) and not at_once:
            return
        if self.is_answered:
            self._request.cancel()  # the request in flight only asks for more hits of the old query
        self.text, self.limit = text, self.least
        if not text.strip():
            self.stop()
            self.emptied.emit()
            return
        self.stale.emit(not self.shows_current)
        self._end_words()
        self._plan_words()
        self._timer.start(self.pause_ms if self._request.is_waiting and not at_once else 0)

    def want_more(self) -> None:
        """Search again, for more hits."""
        if self.may_have_more and not self._timer.isActive():
            self.limit = min(self.limit + PAGE, MOST_HITS)
            self.ask_now()

    def want_documents(self, limit: int) -> None:
        """Search again for ``limit`` hits, unless all are there."""
        if self.text.strip() and not self.has_all and self.limit < limit:
            self.limit = limit
            self.ask_now()

    def search_again(self, least: int | None = None) -> None:
        """Search again; from now on for at least ``least`` hits."""
        if least is not None:
            self.least = least
            self.limit = max(self.limit, least)
        if self.text.strip():
            self.ask_now()

    def refresh(self) -> None:
        """Search again if the query is answered and nothing is under way."""
        if self.is_answered and not self.is_asking:
            self.search_again()

    def ask_now(self) -> None:
        """Search without waiting for a pause in the typing."""
        self._timer.stop()
        self._request.cancel()
        if not self.text.strip():
            return
        if not self._link.is_connected:
            self._wait(waits=True)
            return
        done = partial(self._done, self.text)
        self._request.replace_request(Search(self.text, self.limit), done, failed=self._refused)
        self.busy.emit(True)
        self._plan_words()

    def hurry(self) -> None:
        """Search without waiting for a pause in the typing, unless the search is under way."""
        if self._timer.isActive() or not self._request.is_waiting:
            self.ask_now()

    def stop(self) -> None:
        """Cancel everything, and forget the answer."""
        self._timer.stop()
        self._request.cancel()
        self._end_words()
        self._answered, self.answered_text = None, ""
        self._wait(waits=False)
        self.stale.emit(False)
        self.busy.emit(False)

    def _plan_words(self) -> None:
        """Ask for hits by words, once for each query, if no answer comes soon."""
        under_way = self._words_timer.isActive() or self._words.is_waiting
        if not under_way and not self.shows_current:
            self._words_timer.start(self.words_after_ms)

    @property
    def pause_ms(self) -> int:
        """The pause in the typing after which a newer query replaces the one in flight."""
        took = MOST_PAUSE_MS if self.took_ms is None else self.took_ms
        return min(max(took, LEAST_PAUSE_MS), MOST_PAUSE_MS)

    @property
    def words_after_ms(self) -> int:
        """The milliseconds from a key until hits by words are asked for.

        They take half as long as an answer and delay it, so they wait if an answer is due soon.
        """
        took = self.took_ms or 0
        return max(WORDS_AFTER_MS, 2 * took if took <= QUICK_MS else 0)

    def _ask_by_words(self) -> None:
        if self.is_asking and self._link.is_connected:
            found = partial(self._found_by_words, self.text)
            self._words.replace_request(SearchByWords(self.text, WORDS_LIMIT), found)

    def _found_by_words(self, text: str, result: SearchResult) -> None:
        if result.hits and text == self.text and self.is_asking:
            self._answered, self.answered_text = None, text
            self.stale.emit(False)
            self.answered_by_words.emit(result)

    def _end_words(self) -> None:
        self._words_timer.stop()
        self._words.cancel()

    def _done(self, text: str, result: SearchResult) -> None:
        self._wait(waits=False)
        self.took_ms = round(1000 * result.seconds)
        changed = self._timer.isActive()  # the query has changed since
        if changed:
            self.ask_now()
            if self.shows_current:
                return  # the newer query's hits by words are shown already
        same = self._answered == text
        self._answered, self.answered_text, self._found = text, text, len(result.hits)
        if not changed:
            self.busy.emit(False)
            self._end_words()
            self.stale.emit(False)
        self.answered.emit(result, same)

    def _refused(self, error: LecternError) -> None:
        self._end_words()
        self.busy.emit(False)
        if isinstance(error, WorldError) and error.code == "engine_gone":
            self._wait(waits=True)
            if self._link.is_connected:  # the link reconnected before the failure was delivered
                self._timer.start(MOST_PAUSE_MS)
        elif error.code == "busy":
            # A query of another client replaced ours.
            self._timer.start(MOST_PAUSE_MS)
        else:
            self.failed.emit(error)

    def _connected(self) -> None:
        if self._waits:
            self._wait(waits=False)
            self.ask_now()

    def _wait(self, *, waits: bool) -> None:
        if waits != self._waits:
            self._waits = waits
            self.waiting.emit(waits)


# Seconds between two refreshes: results should not move while they are read.
EVERY_S = 4.0
# The share of the time that searching again may take.
_SHARE = 0.05


class Freshness(QObject):
    """Compares results with the library. Signals: ``outdated`` says that they may have changed."""

    outdated = Signal()

    def __init__(self, parent: QObject | None = None, *, every_s: float = EVERY_S) -> None:
        super().__init__(parent)
        self._every_s = every_s
        self._seen: tuple[object, ...] = ()
        self._answered_at: tuple[object, ...] | None = None  # None without an answer
        self._not_before = 0.0
        self._timer = timer(self, 0, self._check)

    def show_activity(self, activity: Activity | None) -> None:
        """Compare the engine's state with that of the shown results."""
        if activity is not None:
            self._seen = (activity.changes, activity.embedded_share)
            if self._is_outdated and not self._timer.isActive():
                left = self._not_before - time.monotonic()
                self._timer.start(max(0, round(1000 * left)))

    def answered(self, seconds: float) -> None:
        """Note that the shown results are up to date; the search took ``seconds``."""
        self._answered_at = self._seen
        self._not_before = time.monotonic() + max(self._every_s, seconds / _SHARE)
        self._timer.stop()

    def stop(self) -> None:
        """Note that no results are shown."""
        self._answered_at = None
        self._timer.stop()

    @property
    def _is_outdated(self) -> bool:
        return self._answered_at is not None and self._seen != self._answered_at

    def _check(self) -> None:
        if self._is_outdated:
            self.outdated.emit()


# The most pairs of words that are named.
_PAIRS = 4


class Words(Struct, frozen=True):
    """The matching words of a hit.

    ``same`` are the offsets of the query's own words, ``meaning`` of those close to it in meaning;
    ``pairs`` are words of the query, each with its closest word of the hit, closest pair first.
    """

    same: tuple[Span, ...]
    meaning: tuple[Span, ...]
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def from_explanation(cls, found: Explanation, text: str) -> Self:
        """Convert the engine's answer about a hit with this text."""
        own = {text[slice(*span)].lower() for span in found.same}
        pairs = [(mine, other) for mine, other, _ in found.pairs if other.lower() not in own]
        meaning = [span for span in found.marks if span not in found.same]
        return cls(found.same, tuple(meaning), tuple(pairs[:_PAIRS]))


class Reasons(QObject):
    """Asks which words match. Signals: ``shown`` with a hit and its ``Words``, or None twice."""

    shown = Signal(object, object)

    def __init__(self, link: EnginePort, parent: QObject) -> None:
        super().__init__(parent)
        self.on = False  # whether matching words are shown for each current hit
        self._query = ""
        self._current: Hit | None = None
        self._asked: object = None
        self._request = LatestRequest(link)

    def select(self, hit: Hit | None, query: str) -> None:
        """Set the current hit and its query."""
        self._current, self._query = hit, query
        self._ask()

    def toggle_words(self) -> None:
        """Switch matching words on or off."""
        self.on = not self.on
        self._ask()

    def stop(self) -> None:
        self._current = None
        self._ask()

    def _ask(self) -> None:
        hit = self._current if self.on else None
        if hit is not None and hit.start == hit.end:  # it has no passage, but a matching file name
            hit = None
        asked = (self._query, key_of(hit)) if hit is not None else None
        if asked == self._asked:
            return
        self._asked = asked
        self._request.cancel()
        self.shown.emit(None, None)
        if hit is not None:

            def done(found: Explanation | None) -> None:
                if found is not None:
                    self.shown.emit(hit, Words.from_explanation(found, hit.text))

            self._request.replace_request(
                Explain(self._query, Path(hit.path), hit.start), done, failed=self._failed
            )

    def _failed(self, _error: object) -> None:
        self._asked = None
