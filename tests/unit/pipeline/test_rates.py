from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.rates import Passages, Rates, remaining_seconds
from indexer.progress import Step

if TYPE_CHECKING:
    from tests.unit.pipeline.conftest import Library

counts = st.integers(0, 10**7)
seconds = st.floats(0.001, 10**7)


@dataclass
class Done:
    files: int = 0
    pages: int = 0


@pytest.mark.parametrize(
    ("files_done", "files_left", "passages", "expected"),
    [
        # Half of the files are read and all of their passages embedded: as long again.
        (5, 5, Passages(written=50, embedded=50), 10.0),
        # All files are read and half of the passages embedded.
        (10, 0, Passages(written=100, embedded=50, pending=50), 10.0),
        # Half of the files are read, half of those passages embedded.
        (5, 5, Passages(written=50, embedded=25, pending=25), 30.0),
        # Nothing to read, but an earlier run left passages.
        (0, 0, Passages(embedded=100, pending=300), 30.0),
        # The same with one of a thousand files read: their passages are not those of the file.
        (1, 999, Passages(written=1, embedded=100, pending=301), 10.0 * (301 + 999) / 100),
        # Files that hold nothing to embed.
        (5, 15, Passages(), 30.0),
        # No basis yet.
        (0, 5, Passages(), None),
        (0, 0, Passages(pending=10), None),
        # Done.
        (10, 0, Passages(written=100, embedded=100), 0.0),
    ],
)
def test_time_left(
    files_done: int, files_left: int, passages: Passages, expected: float | None
) -> None:
    assert remaining_seconds(10.0, files_done, files_left, passages) == expected


@given(seconds, counts, counts, counts, counts, counts)
def test_it_is_never_negative_and_grows_with_what_is_left(
    spent: float, done: int, left: int, written: int, embedded: int, pending: int
) -> None:
    less = remaining_seconds(spent, done, left, Passages(written, embedded, pending))
    more = remaining_seconds(spent, done, left + 1, Passages(written, embedded, pending + 1))
    assert (less is None) == (more is None)
    assert less is None or more is None or 0 <= less <= more


def test_a_snapshot_tells_what_is_done_and_what_is_left(library: Library) -> None:
    library.read(a=3, b=2)
    docs = library.begin("a", "b", "c", "d")
    assert len(docs) == 2
    progress = Rates(library.catalog, library.space.id).progress(
        Step.INDEX, Done(files=1, pages=7), written=2, embedded=1, tokens=30, in_hand=2
    )
    assert (progress.files_done, progress.files_total, progress.pages) == (1, 3, 7)
    assert (progress.passages, progress.passages_pending, progress.tokens) == (1, 4, 30)
    assert progress.eta_seconds is not None
    assert progress.seconds > 0


def test_what_an_earlier_run_embedded_is_not_pending(library: Library) -> None:
    docs = library.read(a=3, b=2)
    library.catalog.spaces.finish(docs["a"], library.space.id, 3)
    progress = Rates(library.catalog, library.space.id).progress(
        Step.INDEX, Done(), written=0, embedded=0, tokens=0
    )
    assert progress.passages_pending == 2
    assert progress.eta_seconds is None
