"""Pooling equals plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.batches import segment_sums, unit_vectors

bounds = st.lists(st.integers(0, 40), min_size=1, max_size=12).map(sorted)


def _states(rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)


@given(bounds)
def test_sums_of_segments_are_the_sums_of_their_rows(edges: list[int]) -> None:
    states = _states(40)
    sums = segment_sums(states, np.array(edges, np.int64))
    plain = [states[a:b].sum(axis=0) for a, b in pairwise(edges)]
    assert sums.shape == (len(edges) - 1, 8)
    np.testing.assert_allclose(sums, np.array(plain).reshape(-1, 8), atol=1e-5)


@given(bounds)
def test_an_empty_segment_sums_to_zero(edges: list[int]) -> None:
    sums = segment_sums(_states(40), np.array(edges, np.int64))
    for row, (a, b) in zip(sums, pairwise(edges), strict=True):
        assert a < b or not row.any()


def test_unit_vectors_have_length_one() -> None:
    np.testing.assert_allclose(np.linalg.norm(unit_vectors(_states(9)), axis=1), 1, atol=1e-6)


def test_a_vector_of_zeros_stays_zero() -> None:
    assert not unit_vectors(np.zeros((2, 4), np.float32)).any()
