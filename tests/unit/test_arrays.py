"""Look-ups in sorted arrays, unions, and maxima of runs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indexer.arrays import find_sorted, segment_max, united

counts = st.lists(st.integers(0, 4), min_size=1, max_size=12)
numbers = st.lists(st.integers(-5, 50), max_size=30)


@given(st.sets(st.integers(-5, 50)), numbers)
def test_what_is_there_is_found_where_it_stands(known: set[int], wanted: list[int]) -> None:
    ascending = np.array(sorted(known), np.int64)
    at, found = find_sorted(ascending, np.array(wanted, np.int64))
    assert found.tolist() == [place for place, each in enumerate(wanted) if each in known]
    assert ascending[at].tolist() == [wanted[place] for place in found.tolist()]


@given(st.lists(st.lists(st.integers(0, 50), max_size=10), max_size=4))
def test_a_union_has_each_number_once(several: list[list[int]]) -> None:
    found = united([np.array(some, np.int32) for some in several])
    assert found.dtype == np.int32
    assert found.tolist() == sorted(set().union(*several))


@given(
    counts.flatmap(
        lambda c: st.tuples(
            st.just(c), arrays(np.float32, sum(c), elements=st.floats(0, 1, width=32))
        )
    )
)
def test_the_best_of_each_run_is_its_maximum(given_: tuple[list[int], np.ndarray]) -> None:
    sizes, values = given_
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    best, place = segment_max(values, offsets)
    for i, size in enumerate(sizes):
        run = values[offsets[i] : offsets[i + 1]]
        if size:
            assert best[i] == run.max()
            assert place[i] == int(run.argmax())
        else:
            assert (best[i], place[i]) == (-1.0, 0)
