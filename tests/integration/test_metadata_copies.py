"""Metadata of LanceDB that was altered is put back before Lance reads it, and nothing is lost."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.library.rescue import rescue
from indexer.store.metadata_copies import FOLDER, MetadataCopies
from indexer.store.store import Store
from tests.integration.upkeep import SCATTERED, flip
from tests.store_rows import vector_for, vectors

if TYPE_CHECKING:
    from pathlib import Path

SPACE, TABLE = "tiny", "vectors_tiny.lance"


def half_deleted(folder: Path, count: int = 80) -> Path:
    """A store of vectors of which every second row is deleted, in one fragment."""
    lance = folder / "library" / "lance"
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    for doc in (1, 2):
        store.add_vectors(SPACE, vectors(doc, range(count)))
    table = store.tables.vectors(SPACE)
    assert table is not None
    table.commit(table.inner.optimize)
    store.delete_docs([2])
    return lance


def check_whole(lance: Path, count: int = 80, *, writable: bool = True) -> None:
    store = Store.open(lance, threads=1, thresholds=SCATTERED, writable=writable)
    table = store.tables.vectors(SPACE)
    assert table is not None
    assert store.vector_counts(SPACE, [1, 2]) == {1: count, 2: 0}
    assert table.count() == count
    assert store.knn(SPACE, vector_for(1, 3), 1).keys.tolist() == [(1 << 20) + 3]
    table.commit(table.inner.optimize)
    assert len(store.sentence_vectors_of(SPACE, table.rows.keys())[0]) == 2 * count
    store.tables.close()


def files(lance: Path, folder: str) -> list[Path]:
    return sorted(path for path in (lance / TABLE / folder).rglob("*") if path.is_file())


@pytest.mark.parametrize("count", [80, 6000])
@pytest.mark.parametrize("harm", ["flips", "truncated", "empty", "gone"])
def test_a_list_of_deleted_rows_is_put_back(tmp_path: Path, count: int, harm: str) -> None:
    lance = half_deleted(tmp_path, count)
    (path,) = files(lance, "_deletions")
    assert path.suffix == (".arrow" if count == 80 else ".bin")
    whole = path.read_bytes()
    chance = random.Random(count)
    for _ in range(4 if harm == "flips" else 1):
        if harm == "flips":
            flip(path, chance.randrange(len(whole)))
        elif harm == "gone":
            path.unlink()
        else:
            path.write_bytes(whole[: len(whole) // 2] if harm == "truncated" else b"")
        assert MetadataCopies(lance / TABLE, writable=True).restore() == [path]
        assert path.read_bytes() == whole
    check_whole(lance, count)


@pytest.mark.parametrize("harm", ["flips", "truncated", "empty", "gone", "longer"])
def test_the_newest_list_of_versions_is_put_back(tmp_path: Path, harm: str) -> None:
    lance = half_deleted(tmp_path)
    path = files(lance, "_versions")[0]
    whole = path.read_bytes()
    if harm == "flips":
        for place in range(7, len(whole), 41):
            flip(path, place)
    elif harm == "gone":
        path.unlink()
    else:
        changed = {"truncated": whole[:20], "empty": b"", "longer": whole + b"more"}
        path.write_bytes(changed[harm])
    assert rescue(lance.parent) == [f"1 altered files of {TABLE[:-6]} are put back."]
    assert path.read_bytes() == whole
    check_whole(lance)


@pytest.mark.parametrize("place", range(1, 41))
def test_the_end_of_a_data_file_is_put_back(tmp_path: Path, place: int) -> None:
    lance = half_deleted(tmp_path)
    path = max(files(lance, "data"), key=lambda file: file.stat().st_mtime_ns)
    whole = path.read_bytes()
    flip(path, -place)
    check_whole(lance)
    assert path.read_bytes() == whole


def test_a_library_that_can_only_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    lance = half_deleted(tmp_path)
    path = files(lance, "data")[-1]
    flip(path, -13)
    altered = path.read_bytes()
    with pytest.raises(WorldError) as said:
        Store.open(lance, threads=1, writable=False)
    assert said.value.code == "library_damaged"
    assert path.read_bytes() == altered


@pytest.mark.parametrize("harm", ["gone", "no archive", "flips"])
def test_damaged_copies_put_nothing_back_and_are_made_again(tmp_path: Path, harm: str) -> None:
    lance = half_deleted(tmp_path)
    (archive,) = files(lance, FOLDER)
    size = archive.stat().st_size
    if harm == "gone":
        archive.unlink()
    elif harm == "no archive":
        archive.write_bytes(b"not one")
    else:
        for place in range(3, size, 97):
            flip(archive, place)
    kept = [*files(lance, "data"), *(lance / TABLE / "_versions").glob("*.manifest")]
    before = {path: path.read_bytes() for path in kept}
    assert MetadataCopies(lance / TABLE, writable=True).restore() == []
    check_whole(lance)
    assert all(path.read_bytes() == content for path, content in before.items() if path.exists())
    flip(files(lance, "data")[-1], -13)
    check_whole(lance)


def test_a_version_that_is_not_copied_yet_stays(tmp_path: Path) -> None:
    """As of a process that was killed after a commit."""
    lance = half_deleted(tmp_path)
    (archive,) = files(lance, FOLDER)
    copied = archive.read_bytes()
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    store.add_vectors(SPACE, vectors(3, range(5)))
    archive.write_bytes(copied)
    assert MetadataCopies(lance / TABLE, writable=True).restore() == []
    again = Store.open(lance, threads=1, thresholds=SCATTERED)
    assert again.vector_counts(SPACE, [1, 2, 3]) == {1: 80, 2: 0, 3: 5}
