"""The first signal asks, the second insists, and the handlers are as before in the end."""

from __future__ import annotations

import signal
import threading

import pytest

from app.signals import stopping


def test_the_first_asks_and_the_second_insists() -> None:
    before = signal.getsignal(signal.SIGINT)
    asked: list[bool] = []
    with stopping(lambda: asked.append(True)):
        signal.raise_signal(signal.SIGTERM)
        assert asked == [True]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
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
