"""Look-ups in sorted arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.arrays import find_sorted

numbers = st.lists(st.integers(-5, 50), max_size=30)


@given(st.sets(st.integers(-5, 50)), numbers)
def test_what_is_there_is_found_where_it_stands(known: set[int], wanted: list[int]) -> None:
    ascending = np.array(sorted(known), np.int64)
    at, found = find_sorted(ascending, np.array(wanted, np.int64))
    assert found.tolist() == [place for place, each in enumerate(wanted) if each in known]
    assert ascending[at].tolist() == [wanted[place] for place in found.tolist()]
