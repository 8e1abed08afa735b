from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from indexer.api.progress import Step
from indexer.pipeline.rates import FilesInReading, Rates, passages_left

if TYPE_CHECKING:
    from tests.unit.pipeline.conftest import Library


@dataclass
class Done:
    files: int = 0
    pages: int = 0
    bytes: int = 0
    cut: int = 0


@pytest.mark.parametrize(
    ("pending", "made", "done", "bytes_left", "expected"),
    [
        # Half of the bytes are read and their passages embedded.
        (0, 50, Done(bytes=500, cut=50), 500, 50.0),
        # All files are read and half of the passages embedded.
        (0, 50, Done(bytes=500, cut=100), 0, 50.0),
        # Small files are read first; the large ones have more passages.
        (0, 10, Done(files=10, bytes=1000, cut=10), 99_000, 990.0),
        # Nothing to read, but passages of an earlier run are pending.
        (300, 100, Done(), 0, 200.0),
        (300, 0, Done(), 500, 300.0),
        # Files without passages.
        (0, 0, Done(bytes=500), 500, 0.0),
        (0, 60, Done(bytes=500, cut=50), 0, 0.0),
    ],
)
def test_passages_left(
    pending: int, made: int, done: Done, bytes_left: int, expected: float
) -> None:
    assert passages_left(pending, made, done, bytes_left) == expected


def test_progress_has_the_counts_done_and_left(library: Library) -> None:
    library.read(a=3, b=2)
    docs = library.begin("a", "b", "c", "d")
    assert len(docs) == 2
    progress = Rates(library.catalog, library.space.id).progress(
        Step.INDEX,
        Done(files=1, pages=7),
        written=2,
        embedded=1,
        tokens=30,
        taken=FilesInReading(2),
    )
    assert (progress.files_done, progress.files_total, progress.pages) == (1, 3, 7)
    assert (progress.passages, progress.passages_pending, progress.tokens) == (1, 4, 30)
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
        made = rates.progress(
            Step.INDEX, Done(), written=0, embedded=0, tokens=0, taken=FilesInReading()
        )
        return made.passages_pending

    assert pending() == 0
    library.read(a=3)
    assert max(pending() for _ in range(4)) == 3


def test_what_an_earlier_run_embedded_is_not_pending(library: Library) -> None:
    docs = library.read(a=3, b=2)
    library.catalog.spaces.finish(docs["a"], library.space.id, 3)
    progress = Rates(library.catalog, library.space.id).progress(
        Step.INDEX, Done(), written=0, embedded=0, tokens=0
    )
    assert progress.passages_pending == 2
    assert progress.eta_seconds is None
