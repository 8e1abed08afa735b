"""Named points at which a test can end or stop this process, for tests of crashes.

Owns the one environment variable that chooses a point. Without it a point costs a look at a
constant and does nothing. It must not know what happens at a point.

``LECTERN_FAULT=passages-committed:2`` kills the process at once, as a power cut or ``kill -9``
would, when it comes by that point for the second time; ``document-begun=bad.pdf:1`` when it does so
at the file of this name, ``passage-embedding=the end.:1:SIGABRT`` with the text that ends
so. ``…:2:SIGSTOP`` sends another signal: a
stopped process waits for the test to look at it, to change a file or to send a signal, and goes
on with SIGCONT.
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
    """Say that a point was reached, and with which file or text."""
    if _FAULT is not None:
        _FAULT.reached(name, os.fsdecode(subject))
