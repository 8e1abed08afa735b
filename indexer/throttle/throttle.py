"""Controls the speed of indexing by the person's choice, the machine's load and running queries.

A worker reports the duration of a piece of work, and then pauses.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil
from msgspec import Struct, field

from indexer.api.status import Speed

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog

SAMPLE_EVERY_S = 2.0
BATTERY_EVERY_S = 15.0
# Hysteresis: the machine becomes busy if other programs use the first share of all cores, and is no
# longer busy below the second.
BUSY_FROM, BUSY_UNTIL = 0.5, 0.25
# The number of equal samples in a row that are needed, so that a short peak does not count.
SAMPLES_IN_A_ROW = 2


class Machine(Struct):
    """The load of this machine, sampled every few seconds at most. Thread-safe."""

    on_battery: bool = False
    busy: bool = False
    _sample_at: float = 0.0
    _battery_at: float = 0.0
    _before: tuple[float, float, float] | None = None  # time, work of all cores, our work
    _samples: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sample(self) -> None:
        """Update ``on_battery`` and ``busy``."""
        now = time.monotonic()
        if now < self._sample_at or not self._lock.acquire(blocking=False):
            return
        try:
            self._sample_at = now + SAMPLE_EVERY_S
            if now >= self._battery_at:
                self._battery_at = now + BATTERY_EVERY_S
                self.on_battery = _on_battery()
            self._compare(now, *_work_done())
        finally:
            self._lock.release()

    def _compare(self, now: float, everyone: float, ours: float) -> None:
        """Compare the processor seconds of all programs and of our own with the last sample."""
        before, self._before = self._before, (now, everyone, ours)
        if before is None or now <= before[0]:
            return
        cores = psutil.cpu_count() or 1
        others = (everyone - before[1]) - max(0.0, ours - before[2])
        share = others / (cores * (now - before[0]))
        differs = share < BUSY_UNTIL if self.busy else share >= BUSY_FROM
        self._samples = self._samples + 1 if differs else 0
        if self._samples >= SAMPLES_IN_A_ROW:
            self.busy = not self.busy
            self._samples = 0


def _on_battery() -> bool:
    sensors = getattr(psutil, "sensors_battery", None)
    if sensors is None:
        return False
    # Some machines report a missing battery or fail.
    with contextlib.suppress(OSError, RuntimeError, NotImplementedError, psutil.Error):
        battery = sensors()
        return battery is not None and battery.power_plugged is False
    return False


def _work_done() -> tuple[float, float]:
    """The processor seconds since boot of all programs, and of this process and its children."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    # Linux counts guest time twice.
    everyone = sum(times) - idle - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
    process = psutil.Process()
    own = process.cpu_times()
    ours = own.user + own.system + own.children_user + own.children_system
    for child in process.children():
        with contextlib.suppress(psutil.Error):
            spent = child.cpu_times()
            ours += spent.user + spent.system
    return everyone, ours


SPEED_KEY, PAUSED_KEY = "speed", "paused"
# The person counts as typing for this many seconds after the last key.
TYPING_S = 2.0
# Another query is expected for this many seconds after an answer.
QUERY_S = 0.5
# A pause is split into steps of this many seconds, so that a change of speed is effective.
LISTEN_S = 0.1
# The longest pause in seconds.
LONGEST_REST_S = 20.0


# The duty cycles while the person, or another program, needs the machine.
SLOW_SHARE = 0.25
GENTLE_SHARE = 0.5
TYPING_SHARE = 0.1
# Automatic reasons and their duty cycles; the first that applies is shown.
_AUTOMATIC = {"typing": TYPING_SHARE, "battery": GENTLE_SHARE, "busy": GENTLE_SHARE}


class Throttle(Struct):
    """Speed, pause and reason of one engine. Thread-safe.

    Attributes:
        adaptive: Whether to slow down automatically. A command for which the person waits does not.
        machine: The load of the machine.
        disk_full: Whether a worker waits for space on the disk.
    """

    adaptive: bool = False
    machine: Machine = field(default_factory=Machine)
    speed: Speed = Speed.NORMAL
    paused: bool = False
    disk_full: bool = False
    _typed_at: float = float("-inf")
    _asked_at: float = float("-inf")
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def set_pace(self, speed: Speed | None, *, paused: bool | None, typing: bool | None) -> None:
        """Set speed, pause or typing; None leaves a value unchanged."""
        with self._changed:
            if speed is not None:
                self.speed = speed
            if paused is not None:
                self.paused = paused
            if typing:
                self._typed_at = time.monotonic()
            self._changed.notify_all()

    def query_answered(self) -> None:
        """Record that a query was answered."""
        self._asked_at = time.monotonic()

    def load_pace(self, catalog: Catalog) -> None:
        """Load speed and pause from the catalog."""
        with contextlib.suppress(ValueError):
            self.speed = Speed(catalog.meta(SPEED_KEY) or Speed.NORMAL)
        self.paused = catalog.meta(PAUSED_KEY) == "1"

    def save_pace(self, catalog: Catalog) -> None:
        """Store speed and pause in the catalog."""
        with catalog.db.write():
            catalog.set_meta(SPEED_KEY, str(self.speed))
            catalog.set_meta(PAUSED_KEY, str(int(self.paused)))

    @property
    def reason(self) -> str:
        """Why work waits or is slow, as a stable code; "" if it does neither."""
        if self.paused:
            return "paused"
        if self.disk_full:
            return "disk_full"
        slow = self._automatic()
        if not slow and time.monotonic() - self._asked_at < QUERY_S:
            return "query"
        return slow

    @property
    def share(self) -> float:
        """The duty cycle, 0 to 1."""
        chosen = SLOW_SHARE if self.speed is Speed.SLOW else 1.0
        return min(chosen, _AUTOMATIC.get(self._automatic(), 1.0))

    @property
    def slowed(self) -> bool:
        """Whether pieces of work must be small, so that others wait less."""
        return self.share < 1.0

    def pause_after(self, worked: float, stopping: Callable[[], bool]) -> None:
        """Pause after some seconds of work, according to the duty cycle.

        A change of speed, or ``stopping``, ends the pause early.
        """
        began = time.monotonic()
        while not stopping():
            share = self.share
            left = min(worked * (1.0 / share - 1.0), LONGEST_REST_S) - (time.monotonic() - began)
            if left <= 0.0:
                return
            self.wait_for_change(min(left, LISTEN_S))

    def wait_for_change(self, seconds: float) -> None:
        """Wait some seconds, or until a change of speed or pause."""
        with self._changed:
            self._changed.wait(seconds)

    def _automatic(self) -> str:
        """The automatic reason for working slowly."""
        if self.speed is Speed.FAST:
            return ""
        if time.monotonic() - self._typed_at < TYPING_S:
            return "typing"
        if not self.adaptive:
            return ""
        self.machine.sample()
        if self.machine.on_battery:
            return "battery"
        return "busy" if self.machine.busy else ""


# The longest pause in seconds: about two warm queries.
LONGEST_PAUSE_S = 0.2
# Tokens in a batch: for full use of the cores; for less than 200 ms during queries; and so few that
# a query that starts in the middle is not affected.
FULL_BATCH = 4096
SMALL_BATCH = 1024
TINY_BATCH = 256


class QueryGate:
    """Counts the queries in flight. Thread-safe.

    Args:
        throttle: Is notified of each query, and says whether batches must be small.
    """

    def __init__(self, throttle: Throttle | None = None) -> None:
        self._changed = threading.Condition()
        self._active = 0
        self._throttle = throttle

    @contextmanager
    def query(self) -> Iterator[None]:
        """Pause indexing while the block runs."""
        with self._changed:
            self._active += 1
        try:
            yield
        finally:
            if self._throttle is not None:
                self._throttle.query_answered()
            with self._changed:
                self._active -= 1
                self._changed.notify_all()

    def wait_for_queries(self) -> None:
        """Wait, for a bounded time, until no query is in flight."""
        with self._changed:
            self._changed.wait_for(lambda: self._active == 0, LONGEST_PAUSE_S)

    def batch_tokens(self) -> int:
        """The most tokens of the next batch."""
        if self._throttle is not None and self._throttle.slowed:
            return TINY_BATCH
        return SMALL_BATCH if self._active else FULL_BATCH
