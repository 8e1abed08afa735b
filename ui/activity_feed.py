"""What the engine is doing, asked for once a second and told to whoever shows it.

Owns the polling. It must not know how any of it is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from indexer.api.requests import GetActivity, SetPace

if TYPE_CHECKING:
    from indexer.api.answers import Activity
    from ui.ports import EnginePort

EVERY_MS = 1000


class ActivityFeed(QObject):
    """Tells the engine's ``Activity`` while it is connected.

    Signals:
        changed: With the newest activity; None while there is no engine.
    """

    changed = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.latest: Activity | None = None
        self._link = link
        self._asked = 0
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.refresh)
        link.connected.connect(self._start)
        link.disconnected.connect(self._stop)
        if link.is_connected:
            self._start()

    @property
    def paused(self) -> bool:
        return self.latest is not None and self.latest.paused

    def refresh(self) -> None:
        """Ask now, unless an answer is still to come."""
        if not self._asked and self._link.is_connected:
            self._asked = self._link.ask(GetActivity(), done=self._take, failed=self._miss)

    def pause(self, paused: bool) -> None:
        """Stop reading, or go on."""
        self._link.ask(SetPace(paused=paused), done=self._take, failed=self._miss)

    def close(self) -> None:
        self._timer.stop()
        if self._asked:
            self._link.cancel(self._asked)
            self._asked = 0

    def _start(self) -> None:
        self._timer.start()
        self.refresh()

    def _stop(self) -> None:
        self._timer.stop()
        self._asked = 0
        self._tell(None)

    def _take(self, activity: Activity) -> None:
        self._asked = 0
        self._tell(activity)

    def _miss(self, _error: object) -> None:
        self._asked = 0

    def _tell(self, activity: Activity | None) -> None:
        self.latest = activity
        self.changed.emit(activity)
