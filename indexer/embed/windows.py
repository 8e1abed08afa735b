"""Windows over a long run of tokens, and which window each passage is taken from.

Owns the plan by which a model with a limited window reads a text that is longer: overlapping
windows, every passage taken from the window where it is most interior, nothing left out. Pure
functions of lengths; it must not know tokens, models or vectors.
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
    """Part of a passage as one window sees it: tokens ``start`` to ``end`` of the whole run."""

    window: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The windows (token ranges of the run), and for each passage where its tokens come from.

    The slices of a passage touch each other and cover it; one that fits a window has one.
    """

    windows: tuple[tuple[int, int], ...]
    slices: tuple[tuple[PassageSlice, ...], ...]


def plan_windows(lengths: Sequence[int], capacity: int, overlap: int) -> Plan:
    """Lay windows over passages that follow each other.

    A window starts ``overlap`` tokens before the first passage that no earlier window holds
    whole, so every passage has context on its left wherever there is any. It ends with a passage:
    what it held of another would be read twice.

    Args:
        lengths: Tokens of each passage, in order; none negative.
        capacity: Tokens a window holds, special tokens and prefix not counted.
        overlap: Tokens of context wanted on the left; less than ``capacity``.

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
    covered = 0  # every passage that ends before was held whole, or read in steps
    for start, end in spans:
        fits = end - start <= capacity
        # A passage that no window holds is read in steps, each with its overlap.
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
    """The distance of a span from the nearer border of a window; the text's ends do not count."""
    left = start - window[0] if window[0] > 0 else total
    right = window[1] - end if window[1] < total else total
    return min(left, right)


def _cut(start: int, end: int, windows: Sequence[tuple[int, int]]) -> tuple[PassageSlice, ...]:
    """Share a span out among the windows it touches, changing over in mid-overlap."""
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
