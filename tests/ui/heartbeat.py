"""Measures how long our own code blocks the event loop.

A loaded machine makes every beat late, so the time in which threads of this process were ready but
had no processor is subtracted: what is left is the time that the main thread worked or waited.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 5
TASKS = Path("/proc/self/task")


@dataclass(slots=True)
class Beats:
    """Seconds between beats: by the clock, of it due to us, and of that on the processor."""

    clock: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def describe(self) -> str:
        began, worst = 0.0, []
        for clock, ours in zip(self.clock, self.ours, strict=True):
            began += clock
            worst.append((ours, began))
        late = ", ".join(
            f"{1000 * ours:.0f} ms after {at:.1f} s" for ours, at in sorted(worst)[:-6:-1]
        )
        return (
            f"{len(self.clock)} beats; longest gap {1000 * max(self.clock):.1f} ms by the clock, "
            f"{1000 * max(self.ours):.1f} ms due to us, "
            f"{1000 * max(self.processor):.1f} ms on the processor; worst: {late}"
        )


CONTROL = """
import sys, threading, time
worst, last = 0.0, time.monotonic()
gone = threading.Event()
def wait():
    sys.stdin.read()
    gone.set()
threading.Thread(target=wait, daemon=True).start()
while not gone.is_set():
    time.sleep(0.005)
    now = time.monotonic()
    worst, last = max(worst, now - last), now
print(worst)
"""


class Machine:
    """Measures how late the beats of an otherwise idle process are, because of the machine."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CONTROL],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def stop(self) -> float:
        """Return its longest gap in seconds."""
        told, _nothing = self._process.communicate()
        return float(told)


class Heartbeat(QObject):
    """Measures the beats from its construction to ``stop``."""

    def __init__(self) -> None:
        super().__init__()
        self.beats = Beats()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._last = _now()
        self._timer.start()

    def stop(self) -> Beats:
        self._timer.stop()
        return self.beats

    def _beat(self) -> None:
        now = _now()
        clock, processor, starved = (new - old for new, old in zip(now, self._last, strict=True))
        self.beats.clock.append(clock)
        self.beats.processor.append(processor)
        self.beats.ours.append(max(processor, clock - max(0.0, starved)))
        self._last = _now()


def _now() -> tuple[float, float, float]:
    return time.monotonic(), time.thread_time(), _starved()


def _starved() -> float:
    """Seconds that threads of this process have spent ready, waiting for a processor."""
    total = 0
    for task in TASKS.glob("*/schedstat") if TASKS.exists() else ():
        try:
            total += int(task.read_text().split()[1])
        except (OSError, IndexError, ValueError):
            continue  # the thread has ended, or the kernel does not count
    return total / 1e9
