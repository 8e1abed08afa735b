"""Vectors of 8 bits score about as exact ones do, and never further off than they say."""

from __future__ import annotations

import numpy as np

from indexer.store.byte_vectors import ByteVectors, rounded_query
from tests.store_rows import unit

DIMENSION = 24


def drawn(count: int, seed: int) -> np.ndarray:
    vectors = unit(np.random.default_rng(seed).standard_normal((count, DIMENSION), np.float32))
    vectors[::7] = 0.0
    return vectors


def test_products_are_off_by_at_most_what_was_lost() -> None:
    vectors = drawn(300, 1)
    coded = ByteVectors.of(vectors)
    for query in (*drawn(6, 2), vectors[3]):
        rounded, step = rounded_query(query)
        most = coded.lost * np.linalg.norm(rounded * step) + np.linalg.norm(query - rounded * step)
        assert (np.abs(coded.products(query) - vectors @ query) <= most + 1e-6).all()
    assert coded.products(vectors[3])[::7].tolist() == [0.0] * 43


def test_what_is_kept_and_joined_is_as_if_made_at_once() -> None:
    vectors = drawn(50, 3)
    left = np.arange(50) % 3 != 0
    parts = [ByteVectors.of(vectors[:30]), ByteVectors.of(vectors[30:])]
    joined = ByteVectors.joined(parts).kept(left)
    whole = ByteVectors.of(vectors[left])
    for name in ("codes", "units", "lost", "offsets"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))
    assert joined.codes.dtype == np.int8
    assert joined.offsets.dtype == np.int32


def test_products_of_the_largest_codes_do_not_saturate() -> None:
    signs = np.random.default_rng(4).choice([-1.0, 1.0], (40, DIMENSION)).astype(np.float32)
    vectors = signs / np.float32(np.sqrt(DIMENSION))
    coded = ByteVectors.of(vectors)
    for query in vectors:
        np.testing.assert_allclose(coded.products(query), vectors @ query, atol=1e-5)
