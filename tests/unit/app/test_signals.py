"""The first signal asks for a clean end; the second one is tested by the commands' tests."""

from __future__ import annotations

import signal
import threading

from app.signals import stopping


def test_the_first_signal_calls_stop_and_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGINT)
    asked: list[bool] = []
    with stopping(lambda: asked.append(True)):
        signal.raise_signal(signal.SIGTERM)
    assert asked == [True]
    assert signal.getsignal(signal.SIGINT) is before


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
