"""The pure parts: quantised vectors, text deltas, filters of hits, the row map."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from indexer.store import nearest, quantise, schema
from indexer.store.rowmap import RowMap
from indexer.store.values import DocSet, ScoredKeys, docs_of, key_of, keys_of, ordinals_of
from tests.store_rows import unit

texts = st.text(max_size=200)


@given(hnp.arrays(np.float32, st.tuples(st.just(2), st.integers(1, 8), st.integers(2, 64)),
                  elements=st.floats(-1, 1, width=32)))  # fmt: skip
def test_quantised_vectors_point_the_same_way(pairs: np.ndarray) -> None:
    pairs = pairs[:, (np.abs(pairs).max(axis=2) > 1e-3).all(axis=0)]
    vectors, pooled = map(unit, pairs)
    packed = quantise.pack(vectors, pooled)
    restored = quantise.unpack(packed, pooled)
    np.testing.assert_allclose(np.linalg.norm(restored, axis=1), 1.0, atol=2e-3)
    products = quantise.cosines(packed, pooled @ pooled.T, pooled)
    np.testing.assert_allclose(products, restored @ pooled.T, atol=1e-5)
    # The worst has one component that is some ten times the others: .91 among 400,000 of these.
    assert ((restored * vectors).sum(axis=1) > 0.88).all()


def test_gaussian_vectors_lose_next_to_nothing() -> None:
    drawn = np.random.default_rng(1).standard_normal((2, 200, 384), np.float32)
    pooled = unit(drawn[0])
    vectors = unit(0.8 * pooled + 0.6 * unit(drawn[1]))
    packed = quantise.pack(vectors, pooled)
    assert packed.shape == (200, 196)
    assert ((quantise.unpack(packed, pooled) * vectors).sum(axis=1) > 0.995).all()
    # The only sentence of a passage has the passage's vector.
    np.testing.assert_allclose(quantise.unpack(quantise.pack(pooled, pooled), pooled), pooled)


def test_a_vector_of_zeros_stays_one() -> None:
    zeros, none = np.zeros((2, 7), np.float32), np.empty((0, 8), np.float32)
    np.testing.assert_array_equal(quantise.unpack(quantise.pack(zeros, zeros), zeros), zeros)
    assert quantise.pack(none, none).shape == (0, quantise.width(8)) == (0, 8)
    assert quantise.unpack(np.empty((0, 8), np.uint8), none).shape == (0, 8)


@given(st.binary(min_size=quantise.width(8) * 3, max_size=quantise.width(8) * 3))
def test_damaged_codes_give_numbers(damaged: bytes) -> None:
    packed, offsets = quantise.joined([damaged], 8)
    pooled = np.zeros((len(packed), 8), np.float32)
    pooled[:, 0] = 1
    assert offsets.tolist() == [0, 3]
    assert np.isfinite(quantise.unpack(packed, pooled)).all()
    queries = pooled[:2]
    assert np.isfinite(quantise.cosines(packed, pooled @ queries.T, queries)).all()


@given(st.integers(0, 2**31 - 1), st.lists(st.integers(0, 2**20 - 1), max_size=9))
def test_keys_tell_document_and_ordinal(doc: int, ordinals: list[int]) -> None:
    keys = keys_of(doc, np.asarray(ordinals, np.int32))
    assert keys.tolist() == [key_of(doc, ordinal) for ordinal in ordinals]
    assert set(docs_of(keys).tolist()) <= {doc}
    assert ordinals_of(keys).tolist() == ordinals


documents = st.sets(st.integers(0, 60), max_size=40)


@given(documents, documents, st.booleans(), st.integers(1, 30))
def test_what_passes_is_found_and_all_of_it(
    present: set[int], listed: set[int], allowed: bool, count: int
) -> None:
    """The best ``count`` that pass come back, best first; the condition is true for all of them."""
    docs = np.array(sorted(present), np.int32)
    counts = docs.astype(np.int64) % 3 + 1
    keys = np.array([key_of(d, i) for d, n in zip(docs, counts, strict=True) for i in range(n)])
    ranked = np.random.default_rng(len(keys)).permutation(keys.astype(np.int64))
    wanted = DocSet.from_docs(listed, allowed=allowed)
    passing = [key for key in ranked.tolist() if ((key >> 20) in listed) == allowed]
    if not passing:
        return

    def fetch(limit: int) -> ScoredKeys:
        return ScoredKeys(ranked[:limit], np.arange(len(ranked), 0, -1, dtype=np.float32)[:limit])

    found = nearest._filtered(fetch, count, wanted, len(passing) / len(keys), len(keys))
    assert found.keys.tolist() == passing[:count]


def test_more_is_fetched_until_enough_passes() -> None:
    """The best hits may all be of documents that do not pass."""
    docs = np.arange(1000, dtype=np.int32)
    keys = np.array([key_of(doc, 0) for doc in docs.tolist()], np.int64)
    fetched = []

    def fetch(limit: int) -> ScoredKeys:
        fetched.append(limit)
        return ScoredKeys(keys[:limit], np.ones(min(limit, 1000), np.float32))

    found = nearest._filtered(fetch, 20, DocSet(docs[400:]), 0.6, 1000)
    assert found.keys.tolist() == keys[400:420].tolist()
    assert len(fetched) > 1
    assert fetched == sorted(set(fetched))


def test_a_row_map_follows_appends_and_deletions() -> None:
    rows: list[tuple[int, int]] = []  # key, row id

    def scan(first: int) -> tuple[np.ndarray, np.ndarray]:
        later = [(key, row) for key, row in rows if row >= first]
        return (
            np.array([k for k, _ in later], np.int64),
            np.array([r for _, r in later], np.int64),
        )

    known = RowMap(scan)
    assert len(known.keys()) == 0
    rows += [(key_of(2, 0), 0), (key_of(1, 1), 1), (key_of(1, 0), 2)]
    known.appended()
    assert known.keys().tolist() == [key_of(1, 0), key_of(1, 1), key_of(2, 0)]
    ids, places = known.rows_of(np.array([key_of(2, 0), key_of(3, 0), key_of(1, 0)], np.int64))
    assert (ids.tolist(), places.tolist()) == ([0, 2], [0, 2])
    assert known.counts(np.array([1, 2, 3], np.int32)).tolist() == [2, 1, 0]
    rows[:] = [(key_of(2, 0), 0)]
    known.forget([1])
    rows.append((key_of(1, 0), 3))
    known.appended()
    assert known.rows_of(np.array([key_of(1, 0)], np.int64))[0].tolist() == [3]
    docs, counts = known.documents()
    assert (docs.tolist(), counts.tolist()) == ([1, 2], [1, 1])


def test_rows_that_their_writer_did_not_announce_yet_are_known() -> None:
    rows = [(key_of(1, 0), 0)]

    def scan(first: int) -> tuple[np.ndarray, np.ndarray]:
        later = [(key, row) for key, row in rows if row >= first]
        return (
            np.array([key for key, _ in later], np.int64),
            np.array([row for _, row in later], np.int64),
        )

    known = RowMap(scan)
    assert known.keys().tolist() == [key_of(1, 0)]
    rows.append((key_of(2, 0), 1))
    keys, places = known.keys_at(np.array([1, 7, 0], np.int64))
    assert (keys.tolist(), places.tolist()) == ([key_of(2, 0), key_of(1, 0)], [0, 2])


def test_a_row_map_asks_again_after_a_failed_scan() -> None:
    fail = [True]

    def scan(_first: int) -> tuple[np.ndarray, np.ndarray]:
        if fail[0]:
            raise OSError("gone")
        return np.array([7], np.int64), np.array([0], np.int64)

    known = RowMap(scan)
    with pytest.raises(OSError, match="gone"):
        known.keys()
    fail[0] = False
    assert known.keys().tolist() == [7]


def test_table_names_are_safe_and_distinct() -> None:
    assert schema.vectors_table("plain-1_x") == "vectors_plain-1_x"
    odd, other = schema.vectors_table("a/b c"), schema.vectors_table("a b/c")
    assert odd != other
    assert re.fullmatch(r"[A-Za-z0-9_-]+", odd)
    assert len(schema.vectors_table("x" * 500)) < 100
