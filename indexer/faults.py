"""Named points at which a test can kill or stop this process; without a test they do nothing.

``LECTERN_FAULT=passages-committed:2`` kills the process with SIGKILL when it reaches that point for
the second time. ``document-begun=bad.pdf:1`` waits for a file of this name, and
``passage-embedding=the end.:1:SIGABRT`` for a text that ends so. ``…:2:SIGSTOP`` sends another
signal: the test can inspect the stopped process, and SIGCONT continues it.
"""

from __future__ import annotations

import os
import signal
import threading

VARIABLE = "LECTERN_FAULT"

_SPEC = os.environ.get(VARIABLE, "")


class _Fault:
    """Counts down to one fault. Thread-safe."""

    def __init__(self, spec: str) -> None:
        point, _, rest = spec.partition(":")
        self._name, _, self._subject = point.partition("=")
        times, _, number = rest.partition(":")
        self._left = int(times)
        self._signal = signal.Signals[number or "SIGKILL"]
        self._lock = threading.Lock()

    def reached(self, name: str, subject: str) -> None:
        if name != self._name or not subject.endswith(self._subject):
            return
        with self._lock:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), self._signal)


_FAULT = _Fault(_SPEC) if _SPEC else None


def reached(name: str, subject: str | bytes = b"") -> None:
    """Trigger the fault, if it is selected for this point and subject."""
    if _FAULT is not None:
        _FAULT.reached(name, os.fsdecode(subject))
