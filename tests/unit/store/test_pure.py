"""The pure parts: quantised vectors and keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from indexer.store import values
from indexer.store.values import docs_of, key_of, keys_of
from tests.store_rows import ordinals_of, unit

texts = st.text(max_size=200)


@given(hnp.arrays(np.float32, st.tuples(st.just(2), st.integers(1, 8), st.integers(2, 64)),
                  elements=st.floats(-1, 1, width=32)))  # fmt: skip
def test_quantised_vectors_point_the_same_way(pairs: np.ndarray) -> None:
    pairs = pairs[:, (np.abs(pairs).max(axis=2) > 1e-3).all(axis=0)]
    vectors, pooled = map(unit, pairs)
    packed = values.pack_sentences(vectors, pooled)
    restored = values.unpack_sentences(packed, pooled)
    np.testing.assert_allclose(np.linalg.norm(restored, axis=1), 1.0, atol=2e-3)
    products = values.cosines_of_sentences(packed, pooled @ pooled.T, pooled)
    np.testing.assert_allclose(products, restored @ pooled.T, atol=1e-5)
    # The worst has one component that is some ten times the others: .91 among 400,000 of these.
    assert ((restored * vectors).sum(axis=1) > 0.88).all()


def test_gaussian_vectors_lose_next_to_nothing() -> None:
    drawn = np.random.default_rng(1).standard_normal((2, 200, 384), np.float32)
    pooled = unit(drawn[0])
    vectors = unit(0.8 * pooled + 0.6 * unit(drawn[1]))
    packed = values.pack_sentences(vectors, pooled)
    assert packed.shape == (200, 196)
    assert ((values.unpack_sentences(packed, pooled) * vectors).sum(axis=1) > 0.995).all()
    # The only sentence of a passage has the passage's vector.
    np.testing.assert_allclose(
        values.unpack_sentences(values.pack_sentences(pooled, pooled), pooled), pooled
    )


def test_a_vector_of_zeros_stays_one() -> None:
    zeros, none = np.zeros((2, 7), np.float32), np.empty((0, 8), np.float32)
    np.testing.assert_array_equal(
        values.unpack_sentences(values.pack_sentences(zeros, zeros), zeros), zeros
    )
    assert values.pack_sentences(none, none).shape == (0, values.bytes_of_sentence(8)) == (0, 8)
    assert values.unpack_sentences(np.empty((0, 8), np.uint8), none).shape == (0, 8)


@given(
    st.binary(min_size=values.bytes_of_sentence(8) * 3, max_size=values.bytes_of_sentence(8) * 3)
)
def test_damaged_codes_give_numbers(damaged: bytes) -> None:
    codes = values.join_codes([damaged], 8)
    packed, offsets = codes.packed, codes.offsets
    pooled = np.zeros((len(packed), 8), np.float32)
    pooled[:, 0] = 1
    assert offsets.tolist() == [0, 3]
    assert np.isfinite(values.unpack_sentences(packed, pooled)).all()
    queries = pooled[:2]
    assert np.isfinite(values.cosines_of_sentences(packed, pooled @ queries.T, queries)).all()


@given(st.integers(0, 2**31 - 1), st.integers(0, 9))
def test_keys_tell_document_and_ordinal(doc: int, passages: int) -> None:
    keys = keys_of(doc, passages)
    assert keys.tolist() == [key_of(doc, ordinal) for ordinal in range(passages)]
    assert set(docs_of(keys).tolist()) <= {doc}
    assert ordinals_of(keys) == list(range(passages))


def test_the_largest_ordinal_is_of_its_document() -> None:
    last = np.array([key_of(2**31 - 1, 2**20 - 1)], np.int64)
    assert (docs_of(last)[0], ordinals_of(last)[0]) == (2**31 - 1, 2**20 - 1)
