"""Maintenance on real tables: nothing lost, nothing twice, old versions gone, the disk bounded."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.store import maintenance, nearest, runtime, schema
from indexer.store.maintenance import Thresholds
from indexer.store.store import Store
from indexer.store.values import DocSet, Term, VectorRows, docs_of, key_of
from tests.store_rows import DIMENSION, rows, unit, vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.store.table import Table

SPACE = "tiny"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store whose old versions may go at once, with an index over its vectors from 10,000 on."""
    monkeypatch.setattr(maintenance, "VERSION_AGE", timedelta(milliseconds=1))
    monkeypatch.setattr(nearest, "ANN_FROM", 10_000)
    opened = Store.open(tmp_path / "lance", threads=2, thresholds=Thresholds(ann_from=10_000))
    yield opened
    opened.close()


def texts(doc: int, count: int) -> list[str]:
    return [f"the quick brown fox number {doc} met passage {i}" for i in range(count)]


def found_docs(store: Store) -> set[int]:
    return set(docs_of(store.match([Term("fox")], 10_000).keys).tolist())


def clean(table: Table) -> None:
    """Clean up until only the newest version is left; what is younger than the limit stays."""
    while len(table.inner.list_versions()) > 1:
        table.inner.optimize(cleanup_older_than=timedelta(milliseconds=1))


def many(docs: range, each: int) -> VectorRows:
    """Random unit vectors of many passages at once."""
    count = len(docs) * each
    made = unit(np.random.default_rng(docs.start).standard_normal((count, DIMENSION), np.float32))
    return VectorRows(
        docs=np.repeat(np.asarray(docs, np.int32), each),
        ordinals=np.tile(np.arange(each, dtype=np.int32), len(docs)),
        vectors=made,
        sentences=made,
        offsets=np.arange(count + 1, dtype=np.int64),
    )


def test_upkeep_is_cheap_until_it_is_due(store: Store) -> None:
    store.add_passages(rows(1, texts(1, 30)))
    store.add_vectors(SPACE, vectors(1, range(30)))
    assert store.maintain().steps == ()
    assert store.maintain(idle=True).steps == ()
    for doc in range(2, 33):
        store.add_passages(rows(doc, texts(doc, 2)))
        store.add_vectors(SPACE, vectors(doc, [0, 1]))
    assert store.maintain().steps == ()
    assert "vectors_tiny: compacted and cleaned" in store.maintain(idle=True).steps
    assert store.maintain(idle=True).steps == ()
    assert found_docs(store) == set(range(1, 33))


def test_many_small_commits_are_compacted(store: Store) -> None:
    for doc in range(40):
        store.add_passages(rows(doc, texts(doc, 2)))
        store.add_vectors(SPACE, vectors(doc, [0, 1]))
    before = store.knn(SPACE, vectors(7, [1]).vectors[0], 5)
    store.maintain(idle=True)
    fragments = {name: table.fragments() for name, table in store.tables.by_name().items()}
    assert fragments == {schema.vectors_table(SPACE): 1}
    after = store.knn(SPACE, vectors(7, [1]).vectors[0], 5)
    assert after.keys.tolist() == before.keys.tolist()
    assert found_docs(store) == set(range(40))
    keys = np.array([key_of(7, 1), key_of(39, 0)], np.int64)
    np.testing.assert_allclose(store.vectors_of(SPACE, keys)[0], before_vector(), atol=1e-3)
    assert [p.doc for p in store.iter_passages([39, 3])] == [39, 39, 3, 3]
    assert store.verify() == []


def before_vector() -> NDArray[np.float32]:
    vector: NDArray[np.float32] = vectors(7, [1]).vectors[0]
    return vector


def test_an_index_over_vectors_finds_the_nearest(store: Store) -> None:
    batches = [many(range(first, first + 50), 100) for first in range(0, 300, 50)]
    for batch in batches[:4]:
        store.add_vectors(SPACE, batch)
    done = store.maintain(idle=True)
    assert "vectors_tiny: vectors indexed" in done.steps
    for batch in batches[4:]:  # rows no index covers, then rows it was extended by
        store.add_vectors(SPACE, batch)
    every = np.concatenate([batch.vectors for batch in batches])
    assert _recall(store, every) >= 0.95
    store.maintain(idle=True)
    assert _recall(store, every) >= 0.95
    only = DocSet.from_docs(range(0, 300, 3))
    found = store.knn(SPACE, every[0], 50, only)
    assert len(found) == 50
    assert (docs_of(found.keys) % 3 == 0).all()
    # More than there are come back as all there are.
    assert len(store.knn(SPACE, every[0], 500, DocSet.from_docs([4, 200]))) == 200


def _recall(store: Store, every: NDArray[np.float32]) -> float:
    keys = np.array([key_of(doc, i) for doc in range(len(every) // 100) for i in range(100)])
    hits = []
    for query in every[:: len(every) // 20]:
        truth = keys[np.argsort(-(every @ query))[:50]]
        hits.append(np.isin(truth, store.knn(SPACE, query, 50).keys).mean())
    return float(np.mean(hits))


def test_deleted_rows_stay_away_through_upkeep(store: Store) -> None:
    for doc in range(12):
        store.add_passages(rows(doc, texts(doc, 100)))
        store.add_vectors(SPACE, vectors(doc, range(100)))
    store.maintain(idle=True)
    store.delete_docs([2, 5, 7])
    assert found_docs(store) == {0, 1, 3, 4, 6, 8, 9, 10, 11}
    done = store.maintain(idle=True)
    assert done.steps
    assert found_docs(store) == {0, 1, 3, 4, 6, 8, 9, 10, 11}
    assert 5 not in docs_of(store.knn(SPACE, vectors(5, [0]).vectors[0], 900).keys)
    store.add_passages(rows(5, ["the fox is back"]))
    store.maintain(idle=True)
    assert 5 in found_docs(store)
    assert store.verify() == []


def test_the_disk_stays_within_twice_the_live_data(store: Store) -> None:
    for doc in range(30):
        store.add_passages(rows(doc, texts(doc, 200)))
        store.add_vectors(SPACE, vectors(doc, range(200)))
        store.maintain(idle=doc % 5 == 4)
    store.maintain(idle=True)
    sizes = store.sizes().values()
    assert sum(size.total for size in sizes) < 2 * sum(size.live for size in sizes) + 2_000_000


def test_leftovers_go_at_open_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "lance"
    store = Store.open(path, threads=2)
    store.add_passages(rows(1, texts(1, 50)))
    store.add_vectors(SPACE, vectors(1, range(50)))
    folder = path / f"{schema.vectors_table(SPACE)}.lance" / "data"
    left = folder / "0123456789abcdef0123456789abcdef.lance"
    left.write_bytes(b"x" * (32 << 20))
    store.close()
    store = Store.open(path, threads=2)
    assert store.clean_at_open().steps == (f"{schema.vectors_table(SPACE)}: leftovers removed",)
    assert not left.exists()
    assert store.clean_at_open().steps == ()
    assert found_docs(store) == {1}
    store.close()


def test_readers_are_never_disturbed_by_the_writer(store: Store) -> None:
    store.add_passages(rows(0, texts(0, 50)))
    store.add_vectors(SPACE, vectors(0, range(50)))
    done = threading.Event()
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while not done.is_set():
                keys = store.match([Term("fox")], 40).keys
                assert len(set(keys.tolist())) == 40
                assert len(store.passages_of(keys, ["text"])) == 40
                near = store.knn(SPACE, vectors(0, [3]).vectors[0], 20).keys
                assert len(set(near.tolist())) == 20
                assert store.sentence_vectors_of(SPACE, near)[1][-1] == 40
        except BaseException as error:  # noqa: BLE001  # reported by the test
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for doc in range(1, 12):
        store.add_passages(rows(doc, texts(doc, 100)))
        store.add_vectors(SPACE, vectors(doc, range(100)))
        table = store.tables.vectors(SPACE)
        assert table is not None
        table.inner.optimize()
        store.maintain(idle=True)
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []


def test_upkeep_while_indexing_waits_for_room(tmp_path: Path) -> None:
    due = Thresholds(fragments=(1, 1))
    no_room = replace(due, slack=-(1 << 40))
    store = Store.open(tmp_path / "lance", threads=1, thresholds=no_room)
    store.add_vectors(SPACE, vectors(1, range(400)))
    assert store.maintain().steps == ()
    store.close()
    store = Store.open(tmp_path / "lance", threads=1, thresholds=due)
    assert store.maintain().steps
    store.close()


def test_the_disk_is_bounded_while_old_versions_are_young(tmp_path: Path) -> None:
    """Without waiting for the ten minutes that versions are kept for readers."""
    upkeep = Thresholds(fragments=(2, 1), slack=1 << 16, reader_s=0.001)
    store = Store.open(tmp_path / "lance", threads=1, thresholds=upkeep)
    for turn in range(5):
        store.add_passages(rows(turn, texts(turn, 400)))
        store.add_vectors(SPACE, vectors(turn, range(400)))
        store.maintain(idle=True)
        store.delete_docs([turn - 1])
        store.maintain(idle=True)
        size = store.sizes()[schema.vectors_table(SPACE)]
        assert size.total <= 2 * size.live + (1 << 17)
        assert found_docs(store) == {turn}
    store.close()


def test_old_versions_never_keep_maintenance_from_being_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small commits fill the disk with versions, which only maintenance removes."""
    monkeypatch.setattr(maintenance, "_GARBAGE_BYTES", 0)
    upkeep = Thresholds(fragments=(10, 5), slack=1 << 13, reader_s=0.001)
    store = Store.open(tmp_path / "lance", threads=1, thresholds=upkeep)
    for doc in range(80):
        store.add_passages(rows(doc, texts(doc, 2)))
        store.add_vectors(SPACE, vectors(doc, range(2)))
        store.maintain()
        table = store.tables.vectors(SPACE)
        assert table is not None
        assert table.fragments() <= 12
    assert found_docs(store) == set(range(80))
    store.close()


def test_a_cache_that_was_outgrown_is_replaced(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_INDEX_CACHE_LEAST", 1 << 16)
    store.tables.cache_bytes = 1 << 16
    store.add_passages(rows(1, texts(1, 20)))
    store.add_vectors(SPACE, many(range(100), 120))
    before = store.tables.by_name()[schema.vectors_table(SPACE)].inner
    store.maintain(idle=True)
    assert store.tables.by_name()[schema.vectors_table(SPACE)].inner is not before
    assert len(store.knn(SPACE, many(range(100), 120).vectors[5], 20)) == 20
    store.add_passages(rows(2, texts(2, 20)))
    assert found_docs(store) == {1, 2}


def test_vectors_that_only_order_what_was_found_get_no_index(store: Store, tmp_path: Path) -> None:
    store.add_vectors(SPACE, many(range(100), 120), searched=False)
    store.maintain(idle=True)
    store.close()
    opened = Store.open(tmp_path / "lance", threads=2, thresholds=Thresholds(ann_from=10_000))
    opened.add_vectors(SPACE, many(range(100, 101), 120))
    opened.maintain(idle=True)
    table = opened.tables.vectors(SPACE)
    assert table is not None
    assert "vector" not in table.indices()
    keys = np.array([key_of(100, 0)])
    assert len(opened.sentence_vectors_of(SPACE, keys)[0]) == 1
    opened.close()


def test_a_reader_whose_version_vanished_reads_the_newest(store: Store, tmp_path: Path) -> None:
    store.add_passages(rows(1, texts(1, 30)))
    store.add_vectors(SPACE, vectors(1, range(30)))
    reader = Store.open(tmp_path / "lance", threads=2)
    for doc in (2, 3):
        store.add_passages(rows(doc, texts(doc, 30)))
        store.add_vectors(SPACE, vectors(doc, range(30)))
    embedded = store.tables.vectors(SPACE)
    assert embedded is not None
    clean(embedded)
    assert len(reader.knn(SPACE, vectors(1, [3]).vectors[0], 99)) == 90
    keys = np.array([key_of(1, 3)], np.int64)
    assert reader.vectors_of(SPACE, keys).any()
    reader.tables.close()  # it must not clean up what it does not own
