from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.catalog.records import QueuedFile
from indexer.catalog.states import Stamp
from indexer.pipeline.parts import RunCounts
from indexer.pipeline.rates import Rates, passages_left

if TYPE_CHECKING:
    from tests.unit.pipeline.conftest import Library


@pytest.mark.parametrize(
    ("pending", "made", "done", "bytes_left", "expected"),
    [
        # Half of the bytes are read and their passages embedded.
        (0, 50, RunCounts(bytes=500, cut=50), 500, 50.0),
        # All files are read and half of the passages embedded.
        (0, 50, RunCounts(bytes=500, cut=100), 0, 50.0),
        # Small files are read first; the large ones have more passages.
        (0, 10, RunCounts(files=10, bytes=1000, cut=10), 99_000, 990.0),
        # Nothing to read, but passages of an earlier run are pending.
        (300, 100, RunCounts(), 0, 200.0),
        (300, 0, RunCounts(), 500, 300.0),
        # Files without passages.
        (0, 0, RunCounts(bytes=500), 500, 0.0),
        (0, 60, RunCounts(bytes=500, cut=50), 0, 0.0),
    ],
)
def test_passages_left(
    pending: int, made: int, done: RunCounts, bytes_left: int, expected: float
) -> None:
    assert passages_left(pending, made, done, bytes_left) == expected


def test_progress_has_the_counts_done_and_left(library: Library) -> None:
    library.read(a=3, b=2)
    docs = library.begin("a", "b", "c", "d")
    assert len(docs) == 2
    progress = Rates(library.catalog, library.space.id).progress(
        RunCounts(files=1, pages=7, written=2, embedded=1, tokens=30),
        [QueuedFile(number, b"", "text", Stamp(0, 0, 0, 0)) for number in (1, 2)],
        RunCounts(files=10, pages=20, embedded=30, tokens=40),
    )
    assert (progress.files_done, progress.files_total, progress.pages) == (11, 13, 27)
    assert (progress.passages, progress.passages_pending, progress.tokens) == (31, 4, 70)
    assert progress.eta_seconds is None, "one look tells nothing of a rate"
    assert progress.seconds > 0


class BusyClock:
    """Half a second passes between two looks at it, in which this thread works nothing."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 0.5
        return self.now

    def thread_time(self) -> float:
        return 0.0


def test_counts_are_renewed_on_a_busy_computer(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.pipeline.rates.time", BusyClock())
    rates = Rates(library.catalog, library.space.id)

    def pending() -> int:
        return rates.progress(RunCounts()).passages_pending

    assert pending() == 0
    library.read(a=3)
    assert max(pending() for _ in range(4)) == 3


def test_what_an_earlier_run_embedded_is_not_pending(library: Library) -> None:
    docs = library.read(a=3, b=2)
    library.catalog.spaces.finish(docs["a"], library.space.id, 3)
    progress = Rates(library.catalog, library.space.id).progress(RunCounts())
    assert progress.passages_pending == 2
    assert progress.eta_seconds is None
