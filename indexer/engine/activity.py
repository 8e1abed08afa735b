"""The current activity of a library, cheap enough to be polled.

It has the progress of the run, the throughput of the last seconds, and counts from the catalog,
which are cached for some seconds.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from indexer.api.errors import LecternError
from indexer.api.status import Activity, Running
from indexer.engine import reindex

if TYPE_CHECKING:
    from indexer.api.progress import Progress
    from indexer.catalog.catalog import Catalog
    from indexer.embed.factory import ModelsInUse
    from indexer.throttle.throttle import Throttle

# The window of the throughput, long enough to be stable and short enough to show a pause.
WINDOW_S = 10.0
COUNT_EVERY_S = 1.0
COUNT_SHARE = 0.01  # of a thread's time


class ActivityMonitor(Struct):
    """Has the state for ``current_activity``. Thread-safe."""

    catalog: Catalog
    models: ModelsInUse
    throttle: Throttle
    _progress: Progress | None = None
    _recent: deque[tuple[float, int]] = field(default_factory=deque)
    _counts: dict[str, Any] = field(default_factory=dict)
    _count_at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_progress(self, progress: Progress | None) -> None:
        """Store the latest report of a run, or None at its end."""
        with self._lock:
            self._progress = progress
            if progress is None:
                self._recent.clear()
                self._count_at = float("-inf")
                return
            now = time.monotonic()
            self._recent.append((now, progress.pages))
            while len(self._recent) > 2 and now - self._recent[0][0] > WINDOW_S:
                self._recent.popleft()

    def stale(self) -> None:
        """Invalidate the counts, after a change whose effect the person waits to see."""
        self._count_at = float("-inf")

    def current_activity(self) -> Activity:
        progress = self._progress
        device, notes = self.models.device
        refusal = self.catalog.refusal
        return Activity(
            running=None if progress is None else Running("index", progress),
            pages_per_second=self._pages_per_second(),
            changes=self.catalog.db.files_version,
            device=device,
            device_notes=tuple(notes),
            speed=self.throttle.speed,
            paused=self.throttle.paused,
            reason=refusal.code if refusal else self.throttle.reason,
            **self._counted(),
        )

    def _pages_per_second(self) -> float:
        with self._lock:
            if not self._recent:
                return 0.0
            began, pages = self._recent[0]
            seconds = max(time.monotonic() - began, 1e-3)
            return max(0, self._recent[-1][1] - pages) / seconds  # counts begin at 0 with each run

    def _change(self) -> reindex.SpaceChange:
        try:
            return reindex.describe_change(self.catalog, self.models.config)
        except LecternError:  # the configured model is not on this machine
            return reindex.SpaceChange()

    def _counted(self) -> dict[str, Any]:
        """The fields of an activity that are read from the catalog."""
        if time.monotonic() < self._count_at:
            return self._counts
        began = time.thread_time()
        totals = self.catalog.spaces.totals()
        change = self._change()
        self._counts = {
            "embedded_share": totals.embedded_share,
            "changing": change.changing,
            "rebuilding": change.rebuilding,
            "pending": self.catalog.queue.waiting(),
            "set_aside": self.catalog.coverage.set_aside(),
            "empty": not totals.documents,
        }
        # By processor time, as by the clock counts would be a minute old on a busy computer.
        worked = time.thread_time() - began
        self._count_at = time.monotonic() + max(COUNT_EVERY_S, worked / COUNT_SHARE)
        return self._counts
