"""Runs of passages: they cover a document in order, with boundaries that follow the text."""

from __future__ import annotations

from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.vectors import SectionReader
from indexer.store.values import StoredPassage

WINDOW = 64
LATE = SectionReader("Log", WINDOW)
ALONE = SectionReader("Log", 0)


def passages(*views: str, headings: tuple[str, ...] = ()) -> list[StoredPassage]:
    return [
        StoredPassage(
            n, 1, 1, 0, 0, headings, view, view, (0,), (0,), doc=1, text_id="t", language="en"
        )
        for n, view in enumerate(views)
    ]


def prose(count: int) -> list[str]:
    return [f"The {n}th storm broke at dawn and nobody slept. " * (3 + n % 4) for n in range(count)]


def digests(reading: SectionReader, views: list[str]) -> list[bytes]:
    return [reading.digest(run) for run in reading.runs(passages(*views))]


@given(st.lists(st.text("abc ", min_size=1, max_size=400), max_size=40))
def test_runs_hold_every_passage_once_and_in_order(views: list[str]) -> None:
    whole = passages(*views)
    for reading in (ALONE, LATE):
        runs = list(reading.runs(whole))
        assert list(chain.from_iterable(run.passages for run in runs)) == whole
        assert all(run.before is None for run in runs[:1])


def test_a_run_has_the_end_of_the_previous_passage_as_context() -> None:
    whole = passages(*prose(60))
    runs = list(LATE.runs(whole))
    assert len(runs) > 3
    for before, run in pairwise(runs):
        assert run.before is not None
        assert len(run.before.view) <= 160 < len(before.passages[-1].view) + 1
        assert before.passages[-1].view.endswith(run.before.view)
        assert not run.before.view.startswith(" ")


def test_context_has_the_headings_of_the_next_passage() -> None:
    long = [*passages(*prose(30)), *passages(*prose(30), headings=("Weather",))]
    under = [run for run in LATE.runs(long) if run.passages[0].heading_path]
    assert under
    for run in under:
        assert run.before is not None
        assert run.before.heading_path == run.passages[0].heading_path


def test_an_edit_changes_only_the_runs_around_it() -> None:
    views = prose(80)
    edited = [*views[:40], "A bassoon was heard.", *views[40:]]
    before, after = digests(LATE, views), digests(LATE, edited)
    assert len(before) > 8
    assert len(set(before) - set(after)) <= 3
    assert len(set(after) - set(before)) <= 4


def test_headings_are_part_of_what_is_read() -> None:
    (view,) = prose(1)
    for reading in (ALONE, LATE):
        (bare,) = reading.runs(passages(view))
        (under,) = reading.runs(passages(view, headings=("Weather",)))
        assert reading.digest(bare) != reading.digest(under)
