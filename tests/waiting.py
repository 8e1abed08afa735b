"""Waiting in tests for what other threads and processes do; never for time to pass."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Longer than a busy machine may stand still.
WAIT_S = 120.0
_LOOK_S = 0.02


def wait_for(
    condition: Callable[[], object], seconds: float = WAIT_S, *, look_s: float = _LOOK_S
) -> None:
    """Return once a condition holds, which is asked fifty times a second, or every ``look_s``."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        pause.wait(look_s)
