"""The parts of a similarity add up to it, and nearest parts are those of the whole matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.batches import unit_vectors
from indexer.search import alignment
from indexer.search.alignment import align, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

sizes = st.integers(1, 12)
seeds = st.integers(0, 2**32 - 1)


def states(rows: int, seed: int, size: float = 1.0) -> NDArray[np.float32]:
    return (np.random.default_rng(seed).standard_normal((rows, 8)) * size).astype(np.float32)


@given(sizes, sizes, seeds, st.floats(0.01, 100.0))
def test_shares_add_up_to_the_cosine_of_the_means(m: int, n: int, seed: int, size: float) -> None:
    first, second = states(m, seed), states(n, seed + 1, size)
    cosine = float(unit_vectors(first.mean(axis=0)) @ unit_vectors(second.mean(axis=0)))
    found = align(first, second)
    # What is added up may be larger than the sum: states that point away from each other.
    most = float(np.abs(found.shares).sum()) + 1.0
    assert found.total == pytest.approx(cosine, abs=1e-5 * most)
    assert found.rows.sum() == pytest.approx(cosine, abs=1e-5 * most)
    assert found.columns.sum() == pytest.approx(cosine, abs=1e-5 * most)


@given(sizes, sizes, seeds)
def test_either_text_may_come_first(m: int, n: int, seed: int) -> None:
    first, second = states(m, seed), states(n, seed + 1)
    one, other = align(first, second), align(second, first)
    np.testing.assert_allclose(one.shares, other.shares.T, atol=1e-5)
    np.testing.assert_allclose(one.rows, other.columns, atol=1e-4)


@given(sizes, seeds)
def test_a_text_covers_itself(m: int, seed: int) -> None:
    found = align(states(m, seed), states(m, seed))
    assert found.recall == pytest.approx(1.0, abs=1e-5)
    assert found.total == pytest.approx(1.0, abs=1e-4 * (1.0 + float(np.abs(found.shares).sum())))
    assert float(found.cosines.max()) <= 1.0 + 1e-5


def test_states_that_cancel_out_share_nothing() -> None:
    one = states(1, 5)
    assert align(np.concatenate([one, -one]), one).shares.tolist() == [[0.0], [0.0]]


@given(sizes, sizes, st.integers(1, 5), seeds)
def test_nearest_is_the_top_of_the_whole_matrix(m: int, n: int, count: int, seed: int) -> None:
    first, second = unit_vectors(states(m, seed)), unit_vectors(states(n, seed + 1))
    places, cosines = nearest(first, second, count)
    matrix = first @ second.T
    np.testing.assert_allclose(cosines, -np.sort(-matrix, axis=1)[:, :count], atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(matrix, places, axis=1), cosines, atol=1e-6)


@given(st.integers(1, 40), seeds)
def test_blocks_make_no_difference(m: int, seed: int) -> None:
    first, second = unit_vectors(states(m, seed)), unit_vectors(states(9, seed + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "BLOCK", 7)
        places, cosines = nearest(first, second, 3)
    whole_places, whole_cosines = nearest(first, second, 3)
    assert places.tolist() == whole_places.tolist()
    np.testing.assert_allclose(cosines, whole_cosines, atol=1e-6)


def test_neighbours_are_not_their_own_nearest() -> None:
    vectors = unit_vectors(states(6, 3))
    near = np.array([0, 0, 1, 2, 3, 9])
    places, cosines = nearest(vectors, vectors, 1, (near, near))
    assert all(abs(near[place] - near[row]) > 1 for row, (place,) in enumerate(places.tolist()))
    places, cosines = nearest(vectors, vectors, 1, (near * 0, near * 0))
    assert cosines.tolist() == [[-1.0]] * 6


def test_nothing_has_no_nearest() -> None:
    none, some = np.zeros((0, 8), np.float32), unit_vectors(states(3, 1))
    assert nearest(some, none, 2)[0].shape == (3, 0)
    assert nearest(none, some, 2)[1].shape == (0, 2)
