"""The engine's activity, which it asks for once a second and after each change by this window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.contract import LibraryPart
from indexer.api.requests import GetActivity, SetPace
from ui.latest_request import LatestRequest
from ui.widgets import timer

if TYPE_CHECKING:
    from indexer.api.status import Activity
    from ui.ports import EnginePort

EVERY_MS = 1000


class ActivityFeed(QObject):
    """Publishes the engine's ``Activity`` while it is connected, and what others change.

    Signals:
        changed: With the newest activity; None while there is no engine.
    """

    changed = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.latest: Activity | None = None
        self._link = link
        self._request = LatestRequest(link)
        self._timer = timer(self, EVERY_MS, self.refresh, single=False)
        link.connected.connect(self._start)
        link.disconnected.connect(self._stop)
        link.changed.connect(self.refresh)
        if link.is_connected:
            self._start()

    @property
    def paused(self) -> bool:
        return self.latest is not None and self.latest.paused

    def refresh(self) -> None:
        """Ask now, unless a request is under way."""
        if self._link.is_connected and not self._request.is_waiting:
            self._request.ask(GetActivity(), self._publish)

    def pause(self, paused: bool) -> None:
        """Pause or resume indexing."""
        self._link.ask(SetPace(paused=paused), done=self._publish)

    def close(self) -> None:
        self._timer.stop()
        self._request.cancel()

    def _start(self) -> None:
        self._timer.start()
        self.refresh()

    def _stop(self) -> None:
        self._timer.stop()
        self._request.cancel()
        self._publish(None)

    def _publish(self, activity: Activity | None) -> None:
        before, self.latest = self.latest, activity
        self.changed.emit(activity)
        # What has changed since pages asked, before the first activity, cannot be known.
        if activity is not None and (before is None or _version(activity) != _version(before)):
            self._link.changed.emit(frozenset({LibraryPart.FILES}))


def _version(activity: Activity) -> tuple[int, float, bool]:
    """What differs when files, documents or their states have changed."""
    return activity.changes, activity.embedded_share, activity.running is None
