from __future__ import annotations

from dataclasses import dataclass

import pytest

from indexer.watching.watcher import SLEPT_S, Clock, SleepWatch


@dataclass
class Hands:
    """Both clocks, moved by hand."""

    wall: float = 1000.0
    monotonic: float = 5.0

    def pass_(self, wall: float, monotonic: float) -> None:
        self.wall += wall
        self.monotonic += monotonic


@pytest.mark.parametrize(
    ("wall", "monotonic", "slept"),
    [
        (2.0, 2.0, False),
        (3600.0, 2.0, True),  # Linux, macOS: the second clock stood still
        (3600.0, 3600.0, True),  # Windows: the wait was far too long
        (-3600.0, 2.0, False),  # the clock was set back
        (SLEPT_S, 2.0, False),  # or right
    ],
)
def test_sleep_is_noticed_by_the_clocks(wall: float, monotonic: float, *, slept: bool) -> None:
    hands = Hands()
    watch = SleepWatch(Clock(lambda: hands.wall, lambda: hands.monotonic))
    watch.waits()
    hands.pass_(wall, monotonic)
    assert watch.slept() == slept
    watch.waits()
    hands.pass_(2.0, 2.0)
    assert not watch.slept()


def test_long_work_is_no_sleep() -> None:
    hands = Hands()
    watch = SleepWatch(Clock(lambda: hands.wall, lambda: hands.monotonic))
    hands.pass_(10 * SLEPT_S, 10 * SLEPT_S)
    watch.waits()
    hands.pass_(1.0, 1.0)
    assert not watch.slept()
