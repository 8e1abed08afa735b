"""Overlapping windows over a text longer than the model's window.

Every passage is pooled from the window in which it is farthest from a border, and every token is
covered.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class PassageSlice:
    """The tokens ``start`` to ``end`` of the run, part of a passage, as pooled from one window."""

    window: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The windows, as token ranges of the run, and for each passage its slices.

    The slices of a passage are adjacent and cover it; a passage that fits a window has one.
    """

    windows: tuple[tuple[int, int], ...]
    slices: tuple[tuple[PassageSlice, ...], ...]


def plan_windows(lengths: Sequence[int], capacity: int, overlap: int) -> Plan:
    """Plan windows over consecutive passages.

    A window starts ``overlap`` tokens before the first passage that is not whole in an earlier
    window, so that every passage has context on its left. It ends at the end of a passage, because
    the tokens of a partial one would be encoded twice.

    Args:
        lengths: Tokens of each passage, in order; none negative.
        capacity: Tokens of a window, special tokens and prefix not counted.
        overlap: Tokens of context on the left; less than ``capacity``.

    Returns:
        The plan. Windows are sorted and none is longer than ``capacity``.

    Raises:
        ValueError: If ``capacity`` is not above ``overlap``, or ``overlap`` is negative.
    """
    if not 0 <= overlap < capacity:
        raise ValueError(f"an overlap of {overlap} does not suit windows of {capacity} tokens")
    spans = list(pairwise(accumulate(lengths, initial=0)))
    total = spans[-1][1] if spans else 0
    windows = _windows(spans, capacity, overlap)
    slices = tuple(_slices(start, end, windows, total) for start, end in spans)
    return Plan(tuple(windows), slices)


def _windows(
    spans: Sequence[tuple[int, int]], capacity: int, overlap: int
) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    ends = [end for _, end in spans]
    covered = 0  # tokens up to here are planned
    for start, end in spans:
        fits = end - start <= capacity
        # A passage longer than a window is split, with an overlap in each part.
        while covered < end:
            context = min(overlap, capacity - (end - start)) if fits else overlap
            begin = max(0, (start if fits else max(covered, start)) - context)
            reach = begin + capacity
            covered = ends[bisect_right(ends, reach) - 1] if reach >= end else reach
            windows.append((begin, covered))
    return windows


def _slices(
    start: int, end: int, windows: Sequence[tuple[int, int]], total: int
) -> tuple[PassageSlice, ...]:
    if start == end:
        return ()
    holding = [i for i, (a, b) in enumerate(windows) if a <= start and end <= b]
    if holding:
        best = max(holding, key=lambda i: _interior(start, end, windows[i], total))
        return (PassageSlice(best, start, end),)
    return _cut(start, end, windows)


def _interior(start: int, end: int, window: tuple[int, int], total: int) -> int:
    """The distance of a span to the nearer border of a window; ends of the text do not count."""
    left = start - window[0] if window[0] > 0 else total
    right = window[1] - end if window[1] < total else total
    return min(left, right)


def _cut(start: int, end: int, windows: Sequence[tuple[int, int]]) -> tuple[PassageSlice, ...]:
    """Split a span over the windows it overlaps, in the middle of each overlap."""
    touching = [i for i, (a, b) in enumerate(windows) if a < end and start < b]
    slices = []
    position = start
    for here, following in zip(touching, [*touching[1:], None], strict=True):
        border = end
        if following is not None:
            border = min(end, (windows[here][1] + windows[following][0]) // 2)
        if border > position:
            slices.append(PassageSlice(here, position, border))
            position = border
    return tuple(slices)
