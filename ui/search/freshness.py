"""Notices that the library has changed since the answer on show, and says when to ask again.

Owns how often that is at most. It must not know what is asked, nor who shows it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from indexer.api.answers import Activity

# A list that changes while one reads it is worse than one that is a little old.
EVERY_S = 4.0
# Of the time, that may be spent on asking again.
_SHARE = 0.05


class Freshness(QObject):
    """Signals: ``outdated``: what was asked last may have another answer now."""

    outdated = Signal()

    def __init__(self, parent: QObject | None = None, *, every_s: float = EVERY_S) -> None:
        super().__init__(parent)
        self._every_s = every_s
        self._seen: tuple[object, ...] = ()
        self._asked_with: tuple[object, ...] | None = None  # None: there is no answer
        self._not_before = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._check)

    def show_activity(self, activity: Activity | None) -> None:
        """Take what the engine does now; without an engine nothing is new."""
        if activity is not None:
            self._seen = (activity.changes, activity.understood)
            self._plan()

    def answered(self, seconds: float) -> None:
        """Say that there is an answer, of the library as it is now, which took so long."""
        self._asked_with = self._seen
        self._not_before = time.monotonic() + max(self._every_s, seconds / _SHARE)
        self._timer.stop()

    def stop(self) -> None:
        """There is nothing on show that could become old."""
        self._asked_with = None
        self._timer.stop()

    @property
    def _is_outdated(self) -> bool:
        return self._asked_with is not None and self._seen != self._asked_with

    def _plan(self) -> None:
        if self._is_outdated and not self._timer.isActive():
            left = self._not_before - time.monotonic()
            self._timer.start(max(0, round(1000 * left)))

    def _check(self) -> None:
        if self._is_outdated:
            self.outdated.emit()
