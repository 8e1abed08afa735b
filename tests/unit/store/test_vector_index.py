"""The index of a large space: it finds the nearest, and is made again rather than repaired."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from indexer import faults
from indexer.store import nearest
from indexer.store.store import Store
from indexer.store.values import DocSet, VectorRows, docs_of, key_of, keys_of
from indexer.store.vector_index import cache_bytes
from tests.store_rows import DIMENSION, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.store.vector_index import VectorIndex
    from indexer.store.vectors import Vectors

SPACE, EACH, FROM = "tiny", 100, 10_000
DOCS = 110


def many(docs: range, seed: int = 0, each: int = EACH) -> VectorRows:
    """Random unit vectors of many passages at once."""
    count = len(docs) * each
    drawn = np.random.default_rng([seed, docs.start]).standard_normal((count, DIMENSION))
    made = unit(drawn.astype(np.float32))
    return VectorRows(
        keys=np.concatenate([keys_of(doc, each) for doc in docs]),
        vectors=made,
        sentences=made,
        offsets=np.arange(count + 1, dtype=np.int64),
    )


def opened(path: Path, *, writable: bool = True, suspect: bool = False) -> Store:
    return Store.open(path, threads=2, ann_from=FROM, writable=writable, suspect=suspect)


def indexes(store: Store, *, idle: bool = False) -> bool:
    """Maintain a store; return whether that makes an index of its vectors."""
    before = of(store).index
    store.maintain(idle=idle)
    return of(store).index is not before


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library" / "index"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indexed")
    with closing(opened(folder / "index")) as made:
        made.add_vectors(SPACE, many(range(DOCS)))
        assert indexes(made)
    return folder


@pytest.fixture
def store(indexed: Path, path: Path) -> Iterator[Store]:
    shutil.copytree(indexed, path.parent)
    with closing(opened(path)) as made:
        yield made


def of(store: Store) -> Vectors:
    return store.vectors["vectors_tiny"]


def test_without_lancedb_every_vector_is_compared(
    indexed: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package with it may be removed, and come back."""
    shutil.copytree(indexed, path.parent)
    query = many(range(1)).vectors[0]
    with monkeypatch.context() as away:
        away.setitem(sys.modules, "lancedb", None)
        with closing(opened(path)) as store:
            assert of(store).index is None
            assert not indexes(store)
            found = nearest.approximate_knn(of(store), query, 1, None)
            assert found.keys.tolist() == of(store).keys()[:1].tolist()
    with closing(opened(path)) as store:
        assert of(store).index is not None


def index_of(store: Store) -> VectorIndex:
    index: VectorIndex | None = of(store).index
    assert index is not None
    return index


def check(store: Store) -> None:
    """Compare with all vectors, scored one by one."""
    keys = of(store).keys()
    every = store.vectors_of(SPACE, keys)
    hits = []
    for query in every[:: len(every) // 20]:
        truth = keys[np.argsort(-(every @ query), kind="stable")[:50]]
        found = store.knn(SPACE, query, 50)
        assert np.isin(found.keys, keys).all()
        assert len(np.unique(found.keys)) == len(found) == 50
        hits.append(np.isin(truth, found.keys).mean())
    assert np.mean(hits) >= 0.95


def test_it_finds_the_nearest(store: Store) -> None:
    check(store)
    query: NDArray[np.float32] = many(range(DOCS)).vectors[0]
    only = DocSet.from_docs(range(0, DOCS, 3))
    found = store.knn(SPACE, query, 50, only)
    assert len(found) == 50
    assert (docs_of(found.keys) % 3 == 0).all()
    # More than there are come back as all there are.
    assert len(store.knn(SPACE, query, 500, DocSet.from_docs([4, 100]))) == 2 * EACH


def test_rows_come_go_and_are_replaced(store: Store) -> None:
    store.delete_docs([2, 5, 7])
    store.add_vectors(SPACE, many(range(5, 6), seed=1))  # the keys are there again
    store.add_vectors(SPACE, many(range(8, 9), seed=1))  # and these are replaced
    store.add_vectors(SPACE, many(range(DOCS, DOCS + 5)))
    assert not indexes(store, idle=True)
    for doc in (5, 8):
        (key,) = store.knn(SPACE, many(range(doc, doc + 1), seed=1).vectors[3], 1).keys
        assert key == key_of(doc, 3)
    assert 2 not in docs_of(store.knn(SPACE, many(range(DOCS)).vectors[2 * EACH], 900).keys)
    check(store)


def test_it_is_made_again_when_much_has_changed(store: Store, path: Path) -> None:
    before = index_of(store)
    store.delete_docs(range(6))
    store.add_vectors(SPACE, many(range(DOCS, DOCS + 10)))
    assert not indexes(store)  # while there is other work it waits for more
    assert indexes(store, idle=True)
    assert index_of(store).keys.tolist() == of(store).keys().tolist()
    assert [one.name for one in path.glob("*.index-*")] == ["vectors_tiny.index-000002"]
    assert before.folder != index_of(store).folder
    check(store)


def test_it_is_there_after_opening_again(store: Store, path: Path) -> None:
    store.delete_docs([3])
    store.close()
    again = opened(path)
    assert int(index_of(again).live.sum()) == (DOCS - 1) * EACH
    check(again)
    again.close()
    reader = opened(path, writable=False)
    check(reader)
    reader.close()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-13] ^= 0x80  # of the footer: LanceDB would ask for 34 GB, and end the process
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [truncate, flip, os.unlink])
@pytest.mark.parametrize("part", ["_indices", "_versions", "keys.npy", "checksums.json"])
def test_a_damaged_one_is_not_used_and_made_again(
    store: Store, path: Path, part: str, damage: Callable[[Path], None]
) -> None:
    store.close()
    files = [one for one in path.glob("*.index-*/**/*") if one.is_file() and part in str(one)]
    assert files
    for one in files:
        damage(one)
    again = opened(path)
    assert of(again).index is None
    check(again)
    assert indexes(again)
    check(again)
    again.close()


def test_an_error_of_a_search_costs_no_answer(store: Store, path: Path) -> None:
    index = index_of(store)
    for one in index.folder.rglob("*.idx"):
        one.write_bytes(b"")
    index.empty_cache()
    check(store)
    assert of(store).index is None
    store.maintain()
    check(store)
    assert list(path.glob("*.index-*")) == [index_of(store).folder]


def test_after_a_fault_it_is_made_again(store: Store, path: Path) -> None:
    store.close()
    again = opened(path, suspect=True)
    assert of(again).index is None
    assert list(path.glob("*.index-*")) == []
    again.maintain()
    check(again)
    again.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process ends by no signal there")
@pytest.mark.parametrize("point", ["vectors-indexing", "vectors-indexed"])
def test_a_kill_while_it_is_made_leaves_nothing_behind(
    path: Path, point: str, tmp_path: Path
) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.unit.store.test_vector_index import *;"
        "store = opened(Path(sys.argv[1])); store.add_vectors(SPACE, many(range(DOCS)));"
        "store.maintain()"
    )
    environment = {**os.environ, faults.VARIABLE: f"{point}:1"}
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    store = opened(path)
    assert of(store).index is None
    assert list(path.glob("*.index-*")) == []
    assert len(of(store).keys()) == DOCS * EACH
    store.maintain()
    check(store)
    store.close()


class _Ranked:
    """An index whose rows are ranked as given."""

    def __init__(self, docs: NDArray[np.int32], live: NDArray[np.bool_]) -> None:
        self.keys = docs.astype(np.int64) << 20
        self.live = live
        self.asked: list[int] = []

    def nearest(self, _query: object, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        self.asked.append(limit)
        rows = np.arange(min(limit, len(self.keys)))
        return rows, -rows.astype(np.float32)


def test_more_is_fetched_until_enough_passes() -> None:
    """The best hits may all be gone, or of documents that do not pass."""
    docs = np.arange(1000, dtype=np.int32)
    live = docs >= 100
    for wanted, first in ((DocSet(docs[400:]), 400), (None, 100)):
        index, query = _Ranked(docs, live), np.zeros(2, np.float32)
        found = nearest._by_index(cast("VectorIndex", index), query, 20, wanted, 0.6)
        assert docs_of(found.keys).tolist() == [*range(first, first + 20)]
        assert len(index.asked) > 1
        assert index.asked == sorted(set(index.asked))
    last = cast("VectorIndex", _Ranked(docs, live))
    few = nearest._by_index(last, query, 20, DocSet(docs[998:]), 0.002)
    assert docs_of(few.keys).tolist() == [998, 999]


@pytest.mark.parametrize(
    ("size", "free", "expected"),
    [
        (0, 8 << 30, 32 << 20),  # the least
        (80 << 20, 8 << 30, 100 << 20),  # all of it
        (80 << 20, 400 << 20, 50 << 20),  # an eighth of what is free
        (80 << 20, 0, 32 << 20),
        (8 << 30, 64 << 30, 2 << 30),
    ],
)
def test_the_cache_grows_with_the_index_and_the_machine(
    tmp_path: Path, size: int, free: int, expected: int
) -> None:
    folder = tmp_path / "pooled.lance" / "_indices"
    folder.mkdir(parents=True)
    with (folder / "index").open("wb") as file:
        file.truncate(size)
    assert cache_bytes(tmp_path, free) == expected
