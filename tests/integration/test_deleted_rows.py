"""Lists of deleted rows: what Lance would not survive is emptied, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.library.rescue import rescue
from indexer.store import checks, deletions, lance_files
from indexer.store.disk import open_errors
from indexer.store.store import Store
from tests.integration.upkeep import SCATTERED, flip
from tests.store_rows import rows

if TYPE_CHECKING:
    from pathlib import Path


def half_deleted(folder: Path, count: int = 80) -> tuple[Path, Path]:
    """A store of which every second row is deleted, and the list that says so."""
    lance = folder / "library" / "lance"
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    texts = [f"The zephyr of word{i}." for i in range(count)]
    store.add_passages([*rows(1, texts), *rows(2, texts)])
    store.delete_docs([2])
    (path,) = (lance / "passages.lance" / "_deletions").iterdir()
    return lance, path


@pytest.mark.parametrize("place", [*range(448, 456), 792, *range(800, 808)])
def test_a_list_of_deleted_rows_that_would_end_the_process_is_emptied(
    tmp_path: Path, place: int
) -> None:
    lance, path = half_deleted(tmp_path)
    table = lance / "passages.lance"
    assert lance_files.mend(table) == []  # whole
    flip(path, place)
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    assert lance_files.mend(table) == []
    # The rows are back, of a document that nobody knows: recovery deletes it again.
    assert store.known_docs().tolist() == [1, 2]
    assert store.tables.passages.count() == len(store.tables.passages.all_keys()) == 159
    store.delete_docs([2])
    store.maintain(idle=True)
    assert checks.examine("passages", store.tables.passages, lambda: None).lost == 0


@pytest.mark.parametrize("rows_deleted", [1, 63, 64, 65, 500, 2132, 4999, 5001, 5999])
def test_a_whole_list_of_deleted_rows_stays_as_it_is(tmp_path: Path, rows_deleted: int) -> None:
    store = Store.open(tmp_path / "lance", threads=1, thresholds=SCATTERED)
    texts = [f"word{i}" for i in range(6000)]
    store.add_passages([*rows(1, texts[:rows_deleted]), *rows(2, texts[rows_deleted:])])
    store.delete_docs([1])
    (path,) = (tmp_path / "lance" / "passages.lance" / "_deletions").iterdir()
    before = path.read_bytes()
    assert lance_files.mend(tmp_path / "lance" / "passages.lance") == []
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", [4, 8, 9, 10, 11, 20, 1000, None])
def test_a_bitmap_of_deleted_rows_that_is_wrong_is_emptied(
    tmp_path: Path, place: int | None
) -> None:
    lance, path = half_deleted(tmp_path, 6000)
    assert path.suffix == ".bin"
    if place is None:
        path.write_bytes(path.read_bytes()[:-1])
    else:
        flip(path, place)
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    assert store.known_docs().tolist() == [1, 2]
    assert store.tables.passages.count() == len(store.tables.passages.all_keys()) == 2 * 6000 - 1
    store.delete_docs([2])
    store.maintain(idle=True)


@pytest.mark.parametrize(("count", "missing"), [(80, True), (6000, False)])
def test_repair_replaces_a_deletion_file_that_is_missing_or_of_an_unknown_format(
    tmp_path: Path, count: int, missing: bool
) -> None:
    lance, path = half_deleted(tmp_path, count)
    if missing:
        path.unlink()
    else:
        flip(path, 0)
    with pytest.raises(WorldError) as said, open_errors(lance):
        Store.open(lance, threads=1, thresholds=SCATTERED).known_docs()
    assert said.value.code == "library_damaged"
    assert rescue(lance.parent) == ["A list of deleted rows of passages is made anew."]
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    assert store.known_docs().tolist() == [1, 2]
    assert store.tables.passages.count() == len(store.tables.passages.all_keys()) == 2 * count - 1
    store.maintain(idle=True)


def test_what_a_manifest_says_of_its_lists_is_read(tmp_path: Path) -> None:
    lance, path = half_deleted(tmp_path, 6000)
    assert deletions.stated(lance / "passages.lance") == [deletions.Stated(0, path, 12_000, 6000)]
    assert deletions.miscounted(lance / "passages.lance") == []
