"""Detects that the library changed since the shown results, and signals when to search again.

Owns the rate limit. It must not know the query or the results.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ui.widgets import timer

if TYPE_CHECKING:
    from indexer.api.status import Activity

# Seconds between two refreshes: results should not move while they are read.
EVERY_S = 4.0
# The share of the time that searching again may take.
_SHARE = 0.05


class Freshness(QObject):
    """Signals: ``outdated``: the shown results may have changed."""

    outdated = Signal()

    def __init__(self, parent: QObject | None = None, *, every_s: float = EVERY_S) -> None:
        super().__init__(parent)
        self._every_s = every_s
        self._seen: tuple[object, ...] = ()
        self._answered_at: tuple[object, ...] | None = None  # None: there is no answer
        self._not_before = 0.0
        self._timer = timer(self, 0, self._check)

    def show_activity(self, activity: Activity | None) -> None:
        """Compare the engine's state with that of the shown results."""
        if activity is not None:
            self._seen = (activity.changes, activity.embedded_share)
            self._plan()

    def answered(self, seconds: float) -> None:
        """Results of the library's current state are shown; the search took ``seconds``."""
        self._answered_at = self._seen
        self._not_before = time.monotonic() + max(self._every_s, seconds / _SHARE)
        self._timer.stop()

    def stop(self) -> None:
        """No results are shown."""
        self._answered_at = None
        self._timer.stop()

    @property
    def _is_outdated(self) -> bool:
        return self._answered_at is not None and self._seen != self._answered_at

    def _plan(self) -> None:
        if self._is_outdated and not self._timer.isActive():
            left = self._not_before - time.monotonic()
            self._timer.start(max(0, round(1000 * left)))

    def _check(self) -> None:
        if self._is_outdated:
            self.outdated.emit()
