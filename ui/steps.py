"""The history for going back and forward: queries, each with the hit that was current."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.search.rows import Key

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

    def go(self, step: int) -> SearchStep | None:
        """Go back (-1) or forward; None where there is nothing."""
        if not 0 <= self._at + step < len(self._steps):
            return None
        self._at += step
        self._since = float("-inf")
        return self.current
