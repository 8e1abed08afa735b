"""Searches in 8 bits find the nearest, or about the nearest, whatever happens to the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.store import nearest
from indexer.store.store import Store
from indexer.store.values import DocSet, VectorRows, docs_of, keys_of
from tests.store_rows import DIMENSION, rows, unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPACE = "tiny"
DOCS, EACH = 30, 50
ROUGHLY = 0.03  # the most that scores of vectors in 8 bits are wrong here


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store.open(tmp_path / "index", threads=1)
    made.add_passages([row for doc in range(1, DOCS + 1) for row in rows(doc, ["word"] * EACH)])
    for doc in range(1, DOCS + 1):
        add(made, doc, seed=doc)
    yield made
    made.close()


def add(store: Store, doc: int, seed: int) -> None:
    """Vectors of a document, some of one component and some of zeros among them."""
    drawn = np.random.default_rng(seed).standard_normal((EACH, DIMENSION), np.float32)
    drawn[0] = np.eye(1, DIMENSION, seed % DIMENSION)
    vectors = unit(drawn)
    vectors[1] = 0.0
    offsets = np.zeros(EACH + 1, np.int64)
    store.add_vectors(SPACE, VectorRows(keys_of(doc, EACH), vectors, vectors[:0], offsets))


def check(store: Store) -> None:
    """Compare with all vectors, scored one by one."""
    table = store.vectors["vectors_tiny"]
    keys = table.keys()
    vectors = store.vectors_of(SPACE, keys)
    drawn = np.random.default_rng(99).standard_normal((6, DIMENSION), np.float32)
    for query in (*unit(drawn), vectors[7], np.zeros(DIMENSION, np.float32)):
        exact = vectors @ query
        for docs in (None, DocSet.from_docs([2, 5], allowed=False)):
            kept = np.ones(len(keys), bool) if docs is None else docs.keeps(docs_of(keys))
            for count in (1, 40, 10_000):
                best = np.lexsort((keys[kept], -exact[kept]))[:count]
                assert (
                    nearest.knn(table, query, count, docs).keys.tolist()
                    == keys[kept][best].tolist()
                )
                found = nearest.approximate_knn(table, query, count, docs)
                near = exact[np.searchsorted(keys, found.keys)]
                assert len(found) == len(best) == len(np.unique(found.keys))
                assert np.abs(near - exact[kept][best]).max() < ROUGHLY
                assert np.abs(near - found.scores).max() < ROUGHLY
    least = nearest.may_be_nearest(table, vectors[7], 5, None)
    assert 5 <= len(least) < len(keys) // 4


def test_it_leaves_out_none_of_the_nearest(store: Store) -> None:
    check(store)


def test_rows_come_and_go(store: Store) -> None:
    check(store)
    store.delete_docs([3, 4])
    check(store)
    add(store, 3, seed=100)  # the keys are there again, with other vectors
    add(store, DOCS + 1, seed=101)
    check(store)
    store.maintain(idle=True)
    check(store)


def test_a_query_is_scored_once(store: Store) -> None:
    """The search inside likely documents takes the scores of that of the library."""
    table = store.vectors["vectors_tiny"]
    query = unit(np.ones((1, DIMENSION), np.float32))[0]
    everywhere = nearest.approximate_knn(table, query, 5, None)
    assert table.codes is not None
    scored = table.codes.scores.get(query.tobytes(), pytest.fail)
    scored[table.codes.keys == (wanted := table.keys()[60])] = 2.0
    inside = nearest.approximate_knn(table, query, 5, DocSet.from_docs([2]))
    assert inside.keys[0] == wanted != everywhere.keys[0]


def test_changes_without_a_question_take_no_memory(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.store.vectors._MANY", 2 * EACH)
    table = store.vectors["vectors_tiny"]
    add(store, 3, seed=100)
    assert table._changes is None, "nothing was asked yet"
    check(store)
    for seed in range(200, 200 + 2 * DOCS):
        add(store, 3, seed)
        assert table._changed <= len(table.keys())
    assert table.codes is None
    check(store)


def test_codes_are_made_anew_after_an_error_while_they_are_completed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(store)
    add(store, 3, seed=100)
    table = store.vectors["vectors_tiny"]
    with monkeypatch.context() as patched:
        patched.setattr(type(table), "pooled_of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            nearest.may_be_nearest(table, unit(np.ones((1, DIMENSION), np.float32))[0], 5, None)
    check(store)
