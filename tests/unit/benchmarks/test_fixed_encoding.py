"""The fixed-dimensional encoding against the similarity that it approximates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.batches import unit_vectors
from tests.benchmarks.fixed_encoding import Encoding, chamfer

DIMENSION = 16


def drawn(count: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    random = np.random.default_rng(seed)
    vectors = unit_vectors(random.standard_normal((count, DIMENSION)).astype(np.float32))
    return vectors.reshape(count, DIMENSION)


@given(st.integers(1, 12), st.integers(1, 30), st.integers(0, 4), st.integers(0, 99))
def test_it_never_exceeds_what_it_approximates(asked: int, read: int, bits: int, seed: int) -> None:
    encoding = Encoding.drawn(DIMENSION, repetitions=3, bits=bits, seed=seed)
    query, passage = drawn(asked, seed), drawn(read, seed + 1)
    product = float(encoding.query(query) @ encoding.passage(passage))
    assert product <= chamfer(query, passage) + 1e-4


@given(st.integers(1, 12), st.integers(0, 4), st.integers(0, 99))
def test_one_vector_is_encoded_exactly(asked: int, bits: int, seed: int) -> None:
    encoding = Encoding.drawn(DIMENSION, repetitions=2, bits=bits, seed=seed)
    query, passage = drawn(asked, seed), drawn(1, seed + 1)
    product = float(encoding.query(query) @ encoding.passage(passage))
    assert product == pytest.approx(chamfer(query, passage), abs=1e-4)


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 99))
def test_a_query_is_the_sum_of_its_vectors(one: int, other: int, seed: int) -> None:
    encoding = Encoding.drawn(DIMENSION, repetitions=2, bits=3, projected=4, seed=seed)
    first, second = drawn(one, seed), drawn(other, seed + 1)
    both = encoding.query(np.concatenate([first, second]))
    assert len(both) == 2 * 8 * 4
    np.testing.assert_allclose(both, encoding.query(first) + encoding.query(second), atol=1e-4)


def test_more_parts_come_nearer() -> None:
    pairs = [(drawn(8, seed), drawn(30, seed + 500)) for seed in range(40)]
    errors = []
    for bits in (0, 2, 4):
        encoding = Encoding.drawn(DIMENSION, repetitions=16, bits=bits)
        found = [float(encoding.query(q) @ encoding.passage(p)) for q, p in pairs]
        wanted = [chamfer(q, p) for q, p in pairs]
        errors.append(np.mean(np.subtract(wanted, found)))
    assert errors[0] > errors[1] > errors[2] > 0
