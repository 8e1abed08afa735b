"""Ctrl+C and SIGTERM: the first asks for a clean end, the second ends at once."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

CANCELLED = 130  # what a shell reports after Ctrl+C


@contextlib.contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first signal to end; a second one ends the process at once.

    ``stop`` runs on a thread of its own: in the signal handler it would wait for ever for a lock
    that the interrupted code holds, and setting an event takes one. Ending at once is like being
    killed: the next process that opens the library recovers it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    stop_requested = False
    # The queue's ``put`` may interrupt itself, as a handler can.
    calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def run() -> None:
        if (call := calls.get()) is not None:
            call()

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal stop_requested
        if stop_requested:
            os._exit(CANCELLED)
        stop_requested = True
        calls.put(stop)

    runner = threading.Thread(target=run, name="signals", daemon=True)
    runner.start()
    before = {name: signal.signal(name, handle) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
        calls.put(None)
        runner.join()
