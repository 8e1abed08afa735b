"""Polls the engine's activity once a second and publishes it.

It must not know how the activity is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import GetActivity, SetPace
from ui.timers import timer

if TYPE_CHECKING:
    from indexer.api.status import Activity
    from ui.ports import EnginePort

EVERY_MS = 1000


class ActivityFeed(QObject):
    """Publishes the engine's ``Activity`` while it is connected.

    Signals:
        changed: With the newest activity; None while there is no engine.
    """

    changed = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.latest: Activity | None = None
        self._link = link
        self._request_id = 0
        self._timer = timer(self, EVERY_MS, self.refresh, single=False)
        link.connected.connect(self._start)
        link.disconnected.connect(self._stop)
        if link.is_connected:
            self._start()

    @property
    def paused(self) -> bool:
        return self.latest is not None and self.latest.paused

    def refresh(self) -> None:
        """Ask now, unless a request is under way."""
        if not self._request_id and self._link.is_connected:
            self._request_id = self._link.ask(
                GetActivity(), done=self._handle_activity, failed=self._handle_failure
            )

    def pause(self, paused: bool) -> None:
        """Pause or resume indexing."""
        self._link.ask(
            SetPace(paused=paused), done=self._handle_activity, failed=self._handle_failure
        )

    def close(self) -> None:
        self._timer.stop()
        if self._request_id:
            self._link.cancel(self._request_id)
            self._request_id = 0

    def _start(self) -> None:
        self._timer.start()
        self.refresh()

    def _stop(self) -> None:
        self._timer.stop()
        self._request_id = 0
        self._publish(None)

    def _handle_activity(self, activity: Activity) -> None:
        self._request_id = 0
        self._publish(activity)

    def _handle_failure(self, _error: object) -> None:
        self._request_id = 0

    def _publish(self, activity: Activity | None) -> None:
        self.latest = activity
        self.changed.emit(activity)
