"""Windows cover every passage, and each is taken from its most interior window."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.layout import Plan, plan_windows

lengths = st.lists(st.integers(0, 60), max_size=30)
sizes = st.integers(1, 50).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1)))


def _spans(tokens: list[int]) -> list[tuple[int, int]]:
    return list(pairwise(accumulate(tokens, initial=0)))


def _plan(tokens: list[int], size: tuple[int, int]) -> Plan:
    return plan_windows(tokens, *size)


@given(lengths, sizes)
def test_no_window_exceeds_the_capacity(tokens: list[int], size: tuple[int, int]) -> None:
    plan = _plan(tokens, size)
    assert all(0 < end - start <= size[0] for start, end in plan.windows)
    assert list(plan.windows) == sorted(set(plan.windows))


@given(lengths, sizes)
def test_slices_cover_every_passage_once(tokens: list[int], size: tuple[int, int]) -> None:
    plan = _plan(tokens, size)
    for (start, end), slices in zip(_spans(tokens), plan.slices, strict=True):
        seen = [token for part in slices for token in range(part.start, part.end)]
        assert seen == list(range(start, end))


@given(lengths, sizes)
def test_a_slice_is_inside_its_window(tokens: list[int], size: tuple[int, int]) -> None:
    plan = _plan(tokens, size)
    for slices in plan.slices:
        for part in slices:
            start, end = plan.windows[part.window]
            assert start <= part.start < part.end <= end


@given(lengths, sizes)
def test_a_passage_that_fits_has_one_slice(tokens: list[int], size: tuple[int, int]) -> None:
    plan = _plan(tokens, size)
    for length, slices in zip(tokens, plan.slices, strict=True):
        if 0 < length <= size[0]:
            assert len(slices) == 1


@given(lengths, sizes)
def test_a_passage_is_taken_from_its_most_interior_window(
    tokens: list[int], size: tuple[int, int]
) -> None:
    plan = _plan(tokens, size)
    total = sum(tokens)

    def depth(start: int, end: int, window: tuple[int, int]) -> int:
        left = start - window[0] if window[0] else total
        right = window[1] - end if window[1] < total else total
        return min(left, right)

    for (start, end), slices in zip(_spans(tokens), plan.slices, strict=True):
        if len(slices) == 1:
            chosen = depth(start, end, plan.windows[slices[0].window])
            assert all(
                depth(start, end, window) <= chosen
                for window in plan.windows
                if window[0] <= start and end <= window[1]
            )


@given(lengths, sizes)
def test_passages_have_context_on_their_left(tokens: list[int], size: tuple[int, int]) -> None:
    capacity, overlap = size
    plan = _plan(tokens, size)
    for (start, end), slices in zip(_spans(tokens), plan.slices, strict=True):
        if slices and end - start <= capacity - overlap:
            begin = plan.windows[slices[0].window][0]
            assert begin == 0 or any(
                start - a >= min(overlap, start) for a, b in plan.windows if a <= start and end <= b
            )


@given(lengths, sizes)
def test_a_window_ends_at_the_end_of_a_passage(tokens: list[int], size: tuple[int, int]) -> None:
    plan = _plan(tokens, size)
    for start, end in plan.windows:
        torn = [
            length for (a, b), length in zip(_spans(tokens), tokens, strict=True) if a < end < b
        ]
        assert all(length > size[0] for length in torn)
        assert not torn or end - start == size[0]


def test_a_text_that_fits_is_one_window() -> None:
    assert plan_windows([10, 20], 100, 8).windows == ((0, 30),)


def test_a_long_passage_is_split_in_the_middle_of_overlaps() -> None:
    plan = plan_windows([100], 60, 20)
    assert plan.windows == ((0, 60), (40, 100))
    assert [(part.start, part.end) for part in plan.slices[0]] == [(0, 50), (50, 100)]


def test_an_overlap_of_the_whole_window_is_rejected() -> None:
    with pytest.raises(ValueError, match="does not suit"):
        plan_windows([5], 8, 8)
