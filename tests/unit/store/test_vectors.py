"""The vectors of a space: what was written is read, and damage costs the rows that it is in."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.database import Database, is_whole
from indexer.store import vectors as module
from indexer.store.values import key_of
from indexer.store.vectors import Vectors, vectors_name
from tests.store_rows import DIMENSION, vector_for, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DOCS, EACH = 30, 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"{vectors_name('tiny')}.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Vectors]:
    with closing(Vectors(path, dimension=DIMENSION)) as opened:
        for doc in range(1, DOCS + 1):
            opened.add_vectors(vectors(doc, range(EACH)))
        yield opened


def key(doc: int, ordinal: int) -> np.ndarray:
    return np.array([key_of(doc, ordinal)], np.int64)


def codes_of(store: Vectors, doc: int, ordinal: int) -> bytes:
    return store.sentence_codes_of(key(doc, ordinal)).packed.tobytes()


def change(path: Path, statement: str, *values: int) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        assert other.execute(statement, values).rowcount == 1


def test_keys_and_counts_survive_opening_again(store: Vectors, path: Path) -> None:
    store.delete_docs([3, 4711])
    assert store.counts([1, 3, 4711]) == {1: EACH, 3: 0, 4711: 0}
    assert store.keys_of(2).tolist() == [key_of(2, at) for at in range(EACH)]
    docs, counts = store.documents()
    assert (docs.tolist(), set(counts.tolist())) == ([1, 2, *range(4, DOCS + 1)], {EACH})
    with closing(Vectors(path)) as again:
        assert again.keys().tolist() == store.keys().tolist()
        assert again.dimension == DIMENSION


def test_many_are_read_as_few_are(store: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    store.delete_docs([5])
    keys = store.keys()[3::2]
    few = store.pooled_of(keys)
    monkeypatch.setattr(module, "_MANY", 10)
    assert np.array_equal(store.pooled_of(keys), few)
    assert store.keys().tolist()[0] not in keys


def test_of_many_rows_far_apart_no_others_are_read(
    store: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    rows = Database.rows

    def counted(self: Database, sql: str, *values: object) -> list[tuple[object, ...]]:
        found = rows(self, sql, *values)
        read.append(len(found))
        return found

    keys = store.keys()[3::9]
    few = store.pooled_of(keys)
    monkeypatch.setattr(module, "_MANY", 10)
    monkeypatch.setattr(Database, "rows", counted)
    assert np.array_equal(store.pooled_of(keys), few)
    assert read == [len(keys)]
    assert len(keys) >= 10


def test_vectors_that_are_written_again_take_the_place_of_the_former(store: Vectors) -> None:
    made = vectors(1, [0])
    reversed_ones = made.vectors[:, ::-1].copy()
    other = type(made)(made.keys, reversed_ones, made.sentences[:1], np.array([0, 1], np.int64))
    store.add_vectors(other)
    assert len(store.keys()) == DOCS * EACH
    np.testing.assert_allclose(store.pooled_of(key(1, 0))[0], vector_for(1, 0)[::-1], atol=1e-3)
    assert len(codes_of(store, 1, 0)) * 2 == len(codes_of(store, 1, 1))


def test_copies_are_alike_bit_for_bit(store: Vectors) -> None:
    store.copy_vectors(np.concatenate([key(1, 7), key(99, 0)]), np.concatenate([key(77, 1)] * 2))
    assert np.array_equal(store.pooled_of(key(77, 1)), store.pooled_of(key(1, 7)))
    assert codes_of(store, 77, 1) == codes_of(store, 1, 7)


@pytest.mark.parametrize("table", ["pooled", "sentences"])
@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE {} SET content = zeroblob(length(content)) WHERE key = ?",
        "UPDATE {} SET crc = crc + 1 WHERE key = ?",
        "DELETE FROM {} WHERE key = ?",
    ],
)
def test_a_row_that_is_not_as_it_was_written_is_left_out_and_deleted(
    store: Vectors, path: Path, table: str, harm: str
) -> None:
    change(path, harm.format(table), key_of(2, 5))
    assert store.verify(lambda: None)[1].tolist() == [key_of(2, 5)]
    assert store.counts([2]) == {2: EACH}  # to look changes nothing
    if table == "pooled":
        assert not store.pooled_of(key(2, 5)).any()
    else:
        assert codes_of(store, 2, 5) == b""
    assert store.counts([2]) == {2: EACH - 1}  # so that it is embedded again
    assert store.verify(lambda: None)[1].tolist() == []
    with closing(Vectors(path)) as again:
        assert again.counts([2]) == {2: EACH - 1}


def test_a_row_under_the_key_of_another_is_damage(store: Vectors, path: Path) -> None:
    store.delete_docs([9])
    moved = "UPDATE pooled SET key = ? WHERE key = ?"
    change(path, moved, key_of(9, 0), key_of(8, 0))
    with closing(Vectors(path)) as again:
        assert not again.pooled_of(np.concatenate([key(8, 0), key(9, 0)])).any()


def test_a_reader_leaves_damage_where_it_is(store: Vectors, path: Path) -> None:
    change(path, "UPDATE pooled SET crc = 0 WHERE key = ?", key_of(2, 5))
    refusal = WorldError("library_read_only", library="here")
    with closing(Vectors(path, refusal)) as reader:
        assert not reader.pooled_of(key(2, 5)).any()
        assert reader.counts([2]) == {2: EACH}
        with pytest.raises(WorldError):
            reader.add_vectors(vectors(1, [0]))


def test_what_a_space_is_outlives_the_damage_of_that_row(store: Vectors, path: Path) -> None:
    del store
    change(path, "UPDATE space SET dimension = dimension * 2")
    with closing(Vectors(path)) as again:
        assert again.dimension == DIMENSION
        assert again.pooled_of(key(2, 5)).any()


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bytes_cost_the_rows_they_are_in(store: Vectors, path: Path, seed: int) -> None:
    before = store.pooled_of(store.keys())
    store.close()
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(3):
        content[chance.randrange(4096, len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    list(module.make_openable(path))
    assert is_whole(path)
    with closing(Vectors(path)) as again:
        keys = again.keys()
        rows = {key_of(doc, at): (doc - 1) * EACH + at for doc in range(1, DOCS + 1)
                for at in range(EACH)}  # fmt: skip
        read = again.pooled_of(keys)
        again.sentence_codes_of(keys)
        assert again.verify(lambda: None)[1].tolist() == []
        left = set(again.keys().tolist())
        for one, vector in zip(keys.tolist(), read, strict=True):
            if one in left:
                assert np.array_equal(vector, before[rows[one]])
        assert len(again.keys()) >= 0.8 * len(before)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_of_a_file_that_was_cut_short_the_rest_is_kept(
    store: Vectors, path: Path, share: float
) -> None:
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    assert list(module.make_openable(path))
    assert list(module.make_openable(path)) == []
    with closing(Vectors(path)) as again:
        kept = again.keys()
        read = again.pooled_of(kept)
        again.sentence_codes_of(kept)
        if share > 0.5:
            assert len(again.keys()) > 0
        left = set(again.keys().tolist())
        for one, vector in zip(kept.tolist(), read, strict=True):
            expected = vector_for(one >> 20, one & 0xFFFFF)
            assert np.allclose(vector, expected, atol=1e-3) or one not in left


def test_pages_that_rot_while_it_is_open_cost_their_rows(store: Vectors, path: Path) -> None:
    keys = store.keys()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            leaf = "SELECT pageno FROM dbstat WHERE name = 'pooled' AND pagetype = 'leaf'"
            pages = [page for (page,) in other.execute(leaf)]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not tell where a table stands")
    content = bytearray(path.read_bytes())
    start = (pages[len(pages) // 2] - 1) * 4096
    content[start : start + 4096] = random.Random(1).randbytes(4096)
    path.write_bytes(content)
    with closing(Vectors(path)) as again:
        lost = ~again.pooled_of(keys).any(axis=1)
        assert 0 < lost.sum() < 200
        assert again.verify(lambda: None)[0]
        again.rebuild()
        assert again.verify(lambda: None)[0] == []
        with suppress(WorldError):
            again.add_vectors(vectors(DOCS + 1, [0]))
        assert again.pooled_of(keys).any(axis=1).sum() == (~lost).sum()
        assert len(again.keys()) == (~lost).sum() + 1


def test_names_are_safe_and_distinct() -> None:
    assert vectors_name("plain-1_x") == "vectors_plain-1_x"
    assert vectors_name("a/b c") != vectors_name("a b/c")
    assert len(vectors_name("x" * 500)) < 100


def in_another_thread(work: Callable[[], object]) -> BaseException | None:
    """What a function raises in a thread that has no connection yet."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).exception()


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_what_the_system_refuses_is_no_damage(path: Path) -> None:
    code = (
        "import json, os, resource, sys; from pathlib import Path;"
        "from tests.unit.store.test_vectors import *;"
        "store = Vectors(Path(sys.argv[1]), dimension=DIMENSION);"
        "store.add_vectors(vectors(1, range(EACH)));"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 64));"
        "error = in_another_thread(lambda: store.pooled_of(store.keys()));"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64));"
        "print(error.code, int(store.pooled_of(store.keys()).any(axis=1).sum()))"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["library_unwritable", str(EACH)], done.stderr


def test_a_drive_that_is_away_costs_no_row(store: Vectors, path: Path) -> None:
    keys = store.keys()
    away = path.parent.with_name("away")
    path.parent.rename(away)
    assert isinstance(in_another_thread(lambda: store.pooled_of(keys)), WorldError)
    with pytest.raises(WorldError) as caught:
        store.add_vectors(vectors(DOCS + 1, [0]))
    assert caught.value.code == "library_moved"
    assert not path.parent.exists()  # nothing is written where the drive was
    away.rename(path.parent)
    assert store.pooled_of(keys).any(axis=1).all()
    assert store.verify(lambda: None)[1].tolist() == []
