"""The estimated time left in simulated runs: accurate, and it grows only for a reason."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.progress import rough
from indexer.pipeline.rates import GROWTH_S, TimeLeft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Conditions:
    """A simulated run: preparation, batches, and how often progress is read."""

    batches: int
    ready_s: float
    batch_s: float
    reading_s: float
    size: int  # units of work in a batch
    noise: float  # jitter, as a share of the time of a batch
    seed: int

    def ends(self, slower: Callable[[int], float] = lambda _batch: 1.0) -> list[float]:
        """The times at which batches end."""
        chance = random.Random(self.seed)
        took = (
            self.batch_s * slower(batch) * (1 + chance.uniform(-self.noise, self.noise))
            for batch in range(self.batches)
        )
        return list(itertools.accumulate(took, initial=self.ready_s))[1:]

    def readings(self, ends: list[float]) -> Iterator[tuple[float, int]]:
        """The work done at each reading of progress."""
        done, now = 0, 0.0
        while done < len(ends):
            while done < len(ends) and ends[done] <= now:
                done += 1
            yield now, done * self.size
            now += self.reading_s


conditions = st.builds(
    Conditions,
    batches=st.integers(1, 120),
    ready_s=st.floats(0, 60),
    batch_s=st.floats(0.05, 5),
    reading_s=st.floats(0.5, 2),
    size=st.integers(1, 256),
    noise=st.floats(0, 0.2),
    seed=st.integers(0, 10**6),
)


def estimates(run: Conditions, ends: list[float]) -> list[tuple[float, float]]:
    """The estimates with their times."""
    time_left, total = TimeLeft(), run.batches * run.size
    said = [(now, time_left.follow(now, done, total - done)) for now, done in run.readings(ends)]
    return [(now, left) for now, left in said if left is not None]


@given(conditions)
def test_the_time_left_never_grows_under_constant_conditions(run: Conditions) -> None:
    lefts = [left for _, left in estimates(run, run.ends())]
    assert all(after <= before for before, after in itertools.pairwise(lefts))
    assert all(left >= 0 for left in lefts)


@given(conditions)
def test_the_time_left_is_accurate_under_constant_conditions(run: Conditions) -> None:
    ends = run.ends()
    for now, left in estimates(run, ends):
        truth = ends[-1] - now
        assert left <= 1.25 * truth + 3 * run.batch_s + 2 * run.reading_s
        assert left >= 0.75 * truth - 3 * run.batch_s - 2 * run.reading_s - GROWTH_S


@given(conditions)
def test_the_time_left_grows_when_work_slows_down(run: Conditions) -> None:
    half = run.batches // 2
    ends = run.ends(lambda batch: 1.0 if batch < half else 4.0)
    for now, left in estimates(run, ends):
        # After a window has passed, earlier batches do not count.
        if half and now > ends[half - 1] + 150 + 8 * run.batch_s:
            assert left >= 0.6 * (ends[-1] - now) - 8 * run.batch_s - GROWTH_S - 4


def test_a_late_batch_increases_the_time_left() -> None:
    time_left = TimeLeft()
    for second in range(20):
        before = time_left.follow(second, second, 100 - second)
    assert before == pytest.approx(81, abs=1)
    waited = [time_left.follow(second, 19, 81) for second in range(20, 400)]
    assert waited[-1] is not None
    assert waited[-1] > 5 * 81


def test_the_time_before_the_first_batch_is_ignored() -> None:
    time_left = TimeLeft()
    assert [time_left.follow(second, 0, 100) for second in range(60)] == [None] * 60
    for second in range(60, 80):
        left = time_left.follow(second, second - 59, 159 - second)
    assert left == pytest.approx(80, abs=2)


@given(st.floats(0, 10**7), st.floats(0, 10**7))
def test_it_is_rounded_up_and_keeps_its_order(one: float, other: float) -> None:
    units = {"minute": 60, "hour": 3600, "day": 86_400}
    shorter, longer = sorted((one, other))
    low, high = (number * units[unit] or 60 for number, unit in (rough(shorter), rough(longer)))
    assert low <= high
    assert shorter <= low <= max(60, 2 * shorter)
