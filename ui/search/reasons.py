"""The words of a hit that match the query, for the current hit or the one under the mouse."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import Explain
from ui.requests import LatestRequest
from ui.search.rows import key_of

if TYPE_CHECKING:
    from indexer.api.types import Explanation, Hit, Span
    from ui.ports import EnginePort

# The most pairs of words that are named.
_PAIRS = 4


@dataclass(frozen=True, slots=True)
class Words:
    """The matching words, as offsets into the text of a hit.

    ``same`` are those of the query, ``meaning`` those close to it in meaning; ``pairs`` are a word
    of the query and its closest one, closest first.
    """

    same: tuple[Span, ...]
    meaning: tuple[Span, ...]
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def from_explanation(cls, found: Explanation, text: str) -> Self:
        """Take them from the engine's answer about a hit of this text."""
        own = {text[slice(*span)].lower() for span in found.same}
        pairs = [(mine, other) for mine, other, _ in found.pairs if other.lower() not in own]
        meaning = [span for span in found.marks if span not in found.same]
        return cls(found.same, tuple(meaning), tuple(pairs[:_PAIRS]))


class Reasons(QObject):
    """Signals: ``shown`` with a hit and its ``Words``, or with None twice to hide them."""

    shown = Signal(object, object)

    def __init__(self, link: EnginePort, parent: QObject) -> None:
        super().__init__(parent)
        self.on = False  # whether they are shown for each current hit
        self._query = ""
        self._current: Hit | None = None
        self._pointed: Hit | None = None
        self._asked: object = None
        self._request = LatestRequest(link)

    def select(self, hit: Hit | None, query: str) -> None:
        """Set the current hit and its query."""
        self._current, self._query = hit, query
        self._ask()

    def point(self, hit: Hit | None) -> None:
        """Show the words of the hit under the mouse; None for none."""
        self._pointed = hit
        self._ask()

    def toggle(self) -> None:
        """Switch the words of the current hit on or off."""
        self.on = not self.on
        self._ask()

    def stop(self) -> None:
        self._current = self._pointed = None
        self._ask()

    def _ask(self) -> None:
        hit = self._pointed or (self._current if self.on else None)
        if hit is not None and hit.start == hit.end:  # without a passage: found by its file name
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

            self._request.ask(
                Explain(self._query, Path(hit.path), hit.start), done, failed=self._failed
            )

    def _failed(self, _error: object) -> None:
        self._asked = None
