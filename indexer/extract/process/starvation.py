"""Whether a child that is silent waits for a processor.

On a busy machine a process of low priority may wait for minutes without a fault of its own. Owns
the measurement; it must not know messages. Only Linux says whether a process could run.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

# A look takes .2 ms of a processor, of which there is little; three of them make a verdict.
_EVERY_S = 0.4
_LOOKS = 3


class Starvation:
    """Measures a process and its descendants from now on.

    One that hangs either sleeps, or soon uses as much of a processor as it may.

    Args:
        process: Whose descendants are measured with it.
        seconds: Of a processor that it may use.
    """

    def __init__(self, process: psutil.Process, seconds: float) -> None:
        self._process = process
        self._most = _used(self._family()) + seconds
        self._next = 0.0
        self._looks = self._could_run = 0

    def holds(self) -> bool:
        """Return whether it waits for a processor; to be called a few times a second."""
        if sys.platform != "linux":
            return False
        if time.monotonic() < self._next:
            return True
        self._next = time.monotonic() + _EVERY_S
        family = self._family()
        if _used(family) > self._most:
            return False
        self._looks += 1
        self._could_run += any(map(_could_run, family))
        if self._looks < _LOOKS:
            return True
        mostly = self._could_run > self._looks / 2
        self._looks = self._could_run = 0
        return mostly

    def _family(self) -> list[psutil.Process]:
        """Return the process and its descendants, without reading those of the whole system."""
        found, waiting = [], [self._process]
        while waiting:
            found.append(process := waiting.pop())
            with suppress(OSError, psutil.Error):
                for listed in Path(f"/proc/{process.pid}/task").glob("*/children"):
                    waiting += map(psutil.Process, map(int, listed.read_text("ascii").split()))
        return found


def _used(processes: list[psutil.Process]) -> float:
    """Return the processor time of processes, and of their children that have ended."""
    total = 0.0
    for each in processes:
        with suppress(psutil.Error):
            total += sum(each.cpu_times()[:4])
    return total


def _could_run(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() == psutil.STATUS_RUNNING)
    return False
