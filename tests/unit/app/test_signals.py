"""The first signal asks for a clean end; the second one is tested by the commands' tests."""

from __future__ import annotations

import signal
import threading

from app.cli_common import stopping
from tests.waiting import WAIT_S


def test_the_first_signal_calls_stop_and_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGINT)
    asked: list[bool] = []
    with stopping(lambda: asked.append(True)):
        signal.raise_signal(signal.SIGTERM)
    assert asked == [True]
    assert signal.getsignal(signal.SIGINT) is before


def test_stop_may_take_a_lock_that_the_interrupted_code_holds() -> None:
    lock, taken = threading.Lock(), threading.Event()

    def stop() -> None:
        if lock.acquire(timeout=WAIT_S):
            taken.set()

    with stopping(stop):
        with lock:
            signal.raise_signal(signal.SIGTERM)
        assert taken.wait(WAIT_S)


def test_other_threads_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def run() -> None:
        with stopping(lambda: None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]
