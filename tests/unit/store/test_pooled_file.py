"""The flat file of pooled vectors: with it, without it and with wrong ones answers are the same."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.store import pooled_file
from indexer.store.store import Store
from indexer.store.values import DocSet, VectorRows
from tests.store_rows import DIMENSION, unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.store.table import Table

SPACE = "tiny"
DOCS, EACH = 12, 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store.open(tmp_path / "lance", threads=1)
    for doc in range(1, DOCS + 1):
        add(made, doc, EACH)
    yield made
    made.close()


def add(store: Store, doc: int, count: int, seed: int = 0) -> None:
    drawn = unit(np.random.default_rng((doc, seed)).standard_normal((count, DIMENSION), np.float32))
    docs, ordinals = np.full(count, doc, np.int32), np.arange(count, dtype=np.int32)
    offsets = np.arange(count + 1, dtype=np.int64)
    store.add_vectors(SPACE, VectorRows(docs, ordinals, drawn, drawn, offsets))


def table_of(store: Store) -> Table:
    table = store.tables.vectors(SPACE)
    assert table is not None
    return table


def file_of(store: Store) -> Path:
    (path,) = (table_of(store).path / pooled_file.FOLDER).iterdir()
    return path


def in_file(store: Store) -> int:
    """How many rows of the table are in its file."""
    table = table_of(store)
    return int(np.count_nonzero(~table.pooled.lacking(*table.rows.pairs())))


def answers(store: Store) -> list[Any]:
    """What queries get of the vectors: the nearest, and given ones."""
    keys = table_of(store).rows.keys()
    wanted = np.concatenate([keys[::-3], keys[:5], [7, keys[-1] + 1]])
    drawn = unit(np.random.default_rng(99).standard_normal((4, DIMENSION), np.float32))
    some = [None, DocSet.from_docs([3, 5, 6, 99]), DocSet.from_docs([3, 5], allowed=False)]
    found = [
        search(SPACE, query, count, docs).keys.tolist()
        for search in (store.knn, store.approximate_knn)
        for query in drawn
        for docs in some
        for count in (1, 25, 10_000)
    ]
    sentences, offsets = store.sentence_vectors_of(SPACE, wanted)
    vectors = store.vectors_of(SPACE, wanted)
    return [*found, vectors.tolist(), sentences.tolist(), offsets.tolist()]


def same_without(store: Store) -> bool:
    """Whether LanceDB alone gives the same answers."""
    table, before = table_of(store), answers(store)
    used = table.pooled
    table.pooled = pooled_file.PooledFile(table.path / "none", DIMENSION, writable=False)
    table.codes = None
    alone = answers(store)
    table.pooled, table.codes = used, None
    return alone == before == answers(store)


def test_vectors_are_in_the_file_at_once(store: Store) -> None:
    assert in_file(store) == DOCS * EACH
    assert same_without(store)
    assert store.maintain(idle=True).steps == ()


def test_it_is_used_after_reopening_and_after_compaction(store: Store, tmp_path: Path) -> None:
    table_of(store).inner.optimize()
    store.delete_docs([3])
    add(store, 3, 5, seed=1)  # the keys are there again, with other vectors
    store.close()
    again = Store.open(tmp_path / "lance", threads=1)
    assert in_file(again) == DOCS * EACH - EACH + 5
    assert same_without(again)
    again.close()


def test_a_reader_writes_nothing(store: Store, tmp_path: Path) -> None:
    file_of(store).unlink()
    reader = Store.open(tmp_path / "lance", threads=1, writable=False)
    assert answers(reader) == answers(store)
    assert list((table_of(store).path / pooled_file.FOLDER).iterdir()) == []
    reader.tables.close()


@pytest.mark.parametrize("wrong", ["none", "cut", "longer", "empty", "header", "keys", "last"])
def test_a_wrong_file_is_used_as_far_as_it_is_whole(
    store: Store, tmp_path: Path, wrong: str
) -> None:
    expected, path = answers(store), file_of(store)
    store.close()
    content = bytearray(path.read_bytes())
    block = len(content) // DOCS
    if wrong in {"header", "keys"}:
        content[4 * block + (3 if wrong == "header" else 40)] ^= 1
    elif wrong == "last":
        content[-1] ^= 1
    changed = {"cut": content[:-1], "longer": content + b"more", "empty": b""}.get(wrong, content)
    path.write_bytes(bytes(changed))
    if wrong == "none":
        path.unlink()
    again = Store.open(tmp_path / "lance", threads=1)
    whole = {"none": 0, "empty": 0, "header": 4, "keys": 4, "cut": DOCS - 1, "last": DOCS - 1}
    assert in_file(again) == EACH * whole.get(wrong, DOCS)
    assert answers(again) == expected
    again.maintain()
    assert in_file(again) == EACH * DOCS
    assert answers(again) == expected
    assert not table_of(again).pooled.is_damaged()
    add(again, 20, 3)
    assert same_without(again)
    again.close()


def test_altered_vectors_are_damage_and_are_not_written_again(store: Store) -> None:
    path, table, expected = file_of(store), table_of(store), answers(store)
    content = bytearray(path.read_bytes())
    content[len(content) // DOCS - 1] ^= 1
    path.write_bytes(content)
    assert table.pooled.is_damaged()
    table.pooled.rewrite(*table.rows.pairs())
    table.discard_pooled()
    store.maintain()
    assert not table.pooled.is_damaged()
    assert in_file(store) == DOCS * EACH
    assert answers(store) == expected


def test_a_file_that_is_cut_while_it_is_open_is_given_up_and_made_anew(store: Store) -> None:
    expected, table = answers(store), table_of(store)
    file_of(store).write_bytes(b"")
    table.codes = None
    assert answers(store) == expected
    assert table.pooled.is_refused
    store.maintain()
    assert in_file(store) == DOCS * EACH
    assert answers(store) == expected


def test_it_is_written_anew_when_much_is_stale(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooled_file, "_STALE_ROWS", 10)
    size = file_of(store).stat().st_size
    store.delete_docs([1])
    store.maintain(idle=True)
    assert file_of(store).stat().st_size == size
    store.delete_docs([2, 3, 4, 5])
    store.maintain()
    assert len(table_of(store).pooled) == DOCS * EACH
    add(store, 30, 1)
    assert "vectors_tiny: pooled vectors written" in store.maintain(idle=True).steps
    assert len(table_of(store).pooled) == in_file(store) == (DOCS - 5) * EACH + 1
    assert file_of(store).stat().st_size < size
    assert same_without(store)


def test_a_full_disk_costs_the_file_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pooled_file, "_write", full)
        add(store, 20, 30)
        store.maintain(idle=True)
        assert in_file(store) == DOCS * EACH
        assert same_without(store)
    add(store, 21, 1)
    store.maintain()
    assert in_file(store) == DOCS * EACH + 31
    assert same_without(store)


def test_it_is_for_its_owner_only_and_counted(store: Store) -> None:
    path, table = file_of(store), table_of(store)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with_it, size = store.sizes()["vectors_tiny"], path.stat().st_size
    table.discard_pooled()
    without = store.sizes()["vectors_tiny"]
    assert with_it.total - without.total == with_it.live - without.live == size


def test_a_space_that_is_dropped_takes_its_file_with_it(store: Store) -> None:
    path = table_of(store).path
    store.drop_space(SPACE)
    assert not path.exists()
