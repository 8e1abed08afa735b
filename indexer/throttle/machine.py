"""The load of the machine by other programs, and whether it runs on battery.

Owns sampling both at intervals, and how long a state must last before it counts. It must not know
the consequences.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, field

import psutil

SAMPLE_EVERY_S = 2.0
BATTERY_EVERY_S = 15.0
# Hysteresis: the shares of all cores used by other programs from which on the machine is busy, and
# below which it is not.
BUSY_FROM, BUSY_UNTIL = 0.5, 0.25
# Samples in a row that are needed, so that a short peak does not count.
SAMPLES_IN_A_ROW = 2


@dataclass(slots=True)
class Machine:
    """The load of this machine, sampled every few seconds at most. Thread-safe."""

    on_battery: bool = False
    busy: bool = False
    _sample_at: float = 0.0
    _battery_at: float = 0.0
    _before: tuple[float, float, float] | None = None  # when, all cores' work, ours
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
        """Compare the processor seconds of all programs and of ours with the last sample."""
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
    # Some machines report a missing battery, or fail.
    with contextlib.suppress(OSError, RuntimeError, NotImplementedError, psutil.Error):
        battery = sensors()
        return battery is not None and battery.power_plugged is False
    return False


def _work_done() -> tuple[float, float]:
    """Processor seconds since boot: of all programs, and of this process and its children."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    # Linux counts guest time twice.
    everyone = sum(times) - idle - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
    ours = 0.0
    process = psutil.Process()
    own = process.cpu_times()
    ours += own.user + own.system + own.children_user + own.children_system
    for child in process.children():
        with contextlib.suppress(psutil.Error):
            spent = child.cpu_times()
            ours += spent.user + spent.system
    return everyone, ours
