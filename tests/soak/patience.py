"""Waiting for a program under soak for as long as it gets on, however slow the machine is."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDSTILL_S = 600.0
# Of a processor, used by a program that works on a machine that is busy with others.
_LEAST_SHARE = 0.01


def communicate(
    process: subprocess.Popen[str], standstill_s: float = STANDSTILL_S
) -> tuple[str, str]:
    """Wait for the end of a program while it, or what it started, uses the processor.

    Returns:
        What it printed, and its error stream.

    Raises:
        TimeoutExpired: After so many seconds without.
    """
    while True:
        before = _used(process.pid)
        try:
            return process.communicate(timeout=standstill_s)
        except subprocess.TimeoutExpired:
            if _used(process.pid) - before < _LEAST_SHARE * standstill_s:
                raise


def _used(pid: int) -> float:
    """Return the seconds of processors that a process and what it started have used."""
    return sum(sum(times) for times in _times(pid))


def _times(pid: int) -> Iterator[tuple[float, ...]]:
    try:
        top = psutil.Process(pid)
        for process in (top, *top.children(recursive=True)):
            yield process.cpu_times()[:4]  # its own and those of its children that ended
    except psutil.NoSuchProcess:
        return
