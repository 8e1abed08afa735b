"""How hard is worked: by what was chosen, by what goes on beside us, and for how long."""

from __future__ import annotations

import threading

import pytest

from indexer.api.status import Speed
from indexer.throttle.throttle import Machine, Throttle


class Calm(Machine):
    """A machine that is as a test says."""

    def sample(self) -> None:
        pass


def throttle(speed: Speed = Speed.NORMAL, *, battery: bool = False, busy: bool = False) -> Throttle:
    machine = Calm(on_battery=battery, busy=busy)
    return Throttle(adaptive=True, machine=machine, speed=speed)


def test_nothing_holds_work_back_by_itself() -> None:
    calm = throttle()
    assert (calm.reason, calm.share, calm.slowed) == ("", 1.0, False)


@pytest.mark.parametrize(
    ("battery", "busy", "reason"),
    [(True, False, "battery"), (False, True, "busy"), (True, True, "battery")],
)
def test_the_machine_asks_for_peace(*, battery: bool, busy: bool, reason: str) -> None:
    asked = throttle(battery=battery, busy=busy)
    assert asked.reason == reason
    assert 0 < asked.share < 1
    # A person who wants it fast gets it fast; one who waits for a command does too.
    assert throttle(Speed.FAST, battery=battery, busy=busy).share == 1.0
    waiting = Throttle(adaptive=False, machine=Calm(on_battery=battery, busy=busy))
    assert (waiting.reason, waiting.share) == ("", 1.0)


def test_typing_comes_before_everything_but_a_pause() -> None:
    busy = throttle(busy=True)
    busy.set_pace(None, paused=None, typing=True)
    assert busy.reason == "typing"
    assert busy.share < throttle(Speed.SLOW).share
    busy.set_pace(None, paused=True, typing=None)
    assert busy.reason == "paused"
    busy.set_pace(Speed.FAST, paused=False, typing=None)
    assert busy.reason == ""


def test_a_query_is_a_reason_for_a_moment() -> None:
    asked = throttle()
    asked.query_answered()
    assert asked.reason == "query"
    assert asked.share == 1.0


def test_full_speed_needs_no_rest() -> None:
    throttle().pause_after(1e9, lambda: False)
    throttle(Speed.FAST).pause_after(1e9, lambda: False)
    throttle(Speed.SLOW).pause_after(0.0, lambda: False)


def test_a_change_of_mind_ends_a_rest() -> None:
    slow = throttle(Speed.SLOW)
    resting = threading.Thread(target=slow.pause_after, args=(1000.0, lambda: False))
    resting.start()
    assert resting.is_alive()
    slow.set_pace(Speed.FAST, paused=None, typing=None)
    resting.join(10)
    assert not resting.is_alive()


def test_the_end_of_the_work_ends_a_rest() -> None:
    throttle(Speed.SLOW).pause_after(1000.0, lambda: True)


def seen(machine: Machine, share: float, at: float) -> None:
    """Let so much of all cores be used by others for two seconds."""
    import psutil

    cores = psutil.cpu_count() or 1
    before = machine._before or (at - 2.0, 0.0, 0.0)
    machine._compare(at, before[1] + share * cores * (at - before[0]) + 1.0, before[2] + 1.0)


def test_what_flares_up_is_not_busy_and_what_lasts_is() -> None:
    machine = Machine()
    shares = (0.0, 0.9, 0.1, 0.9, 0.9, 0.4, 0.1, 0.4, 0.1, 0.1)
    expected = (False, False, False, False, True, True, True, True, True, False)
    for number, (share, busy) in enumerate(zip(shares, expected, strict=True)):
        seen(machine, share, 2.0 * number)
        assert machine.busy is busy, number


def test_a_look_at_this_machine_works() -> None:
    machine = Machine()
    machine.sample()
    machine._sample_at = 0.0
    machine.sample()
    assert isinstance(machine.on_battery, bool)
