"""Whether a child that is silent waits for a processor.

On a busy machine a process of low priority may wait for minutes without a fault of its own. Owns
the measurement; it must not know messages. Only Linux says whether a process could run.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress

import psutil

# Seconds after which it is judged whether a process could run most of the time.
_WINDOW_S = 1.0


class Starvation:
    """Measures a process and its descendants from now on.

    One that hangs either sleeps, or soon uses as much of a processor as it may.

    Args:
        process: Whose descendants are measured with it.
        seconds: Of a processor that it may use.
    """

    def __init__(self, process: psutil.Process, seconds: float) -> None:
        self._process = process
        self._most = self._used() + seconds
        self._begin()

    def holds(self) -> bool:
        """Return whether it waits for a processor; to be called a few times a second."""
        if sys.platform != "linux" or self._used() > self._most:
            return False
        self._looks += 1
        self._could_run += any(_could_run(each) for each in self._family())
        if time.monotonic() - self._began < _WINDOW_S:
            return True
        mostly = self._could_run > self._looks / 2
        self._begin()
        return mostly

    def _begin(self) -> None:
        self._looks = self._could_run = 0
        self._began = time.monotonic()

    def _family(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            return [self._process, *self._process.children(recursive=True)]
        return []

    def _used(self) -> float:
        """Return the processor time of the processes, and of their children that have ended."""
        total = 0.0
        for each in self._family():
            with suppress(psutil.Error):
                total += sum(each.cpu_times()[:4])
        return total


def _could_run(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() == psutil.STATUS_RUNNING)
    return False
