"""The derived files: with them, without them and with wrong ones every answer is the same."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.store import derived, derived_upkeep, records, schema
from indexer.store.maintenance import Thresholds
from indexer.store.store import Store
from tests.store_rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indexer.store.table import Table
    from indexer.store.values import Int64s

DOCS, EACH = 12, 40


def opened(path: Path) -> Store:
    return Store.open(path / "lance", threads=1, thresholds=Thresholds(derived_from=1))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = opened(tmp_path)
    for doc in range(1, DOCS + 1):
        add(made, doc, EACH)
    made.maintain(idle=True)
    yield made
    made.close()


def add(store: Store, doc: int, count: int, seed: int = 0) -> None:
    store.add_passages(rows(doc, [f"passage {i} of {doc}, {seed}" for i in range(count)]))


def table_of(store: Store) -> Table:
    return store.tables.passages


def sizes(table: Table) -> list[int]:
    """The rows of each part of the file of rows."""
    assert table.derived is not None
    return [part.rows for part in table.derived.parts]


def part_of(table: Table) -> Path:
    """The only part of the file of rows."""
    (path,) = (table.path / derived.FOLDER).glob("rows-*.bin")
    return path


def answers(store: Store) -> list[Any]:
    """What queries get of given passages."""
    keys = table_of(store).rows.keys()
    wanted = np.concatenate([keys[::-3], keys[:5], [7, keys[-1] + 1]])
    return [
        *read(store, wanted, schema.PASSAGE_COLUMNS),
        *read(store, wanted, ("view", "text_starts")),
    ]


def read(store: Store, keys: Int64s, columns: Sequence[str]) -> list[Any]:
    """Columns of passages, by key."""
    found = store.passages_of(keys, columns)
    return [found.get(key) for key in keys.tolist()]


def same_without(store: Store) -> bool:
    """Whether LanceDB alone gives the same answers."""
    table = table_of(store)
    used = table.derived
    assert used
    before = answers(store)
    assert answers(store) == before  # from what was kept of the first time
    assert table.derived is used
    table.derived = None
    alone = answers(store)
    table.derived = used
    return alone == before


def test_every_answer_is_the_same_without_the_file(store: Store) -> None:
    assert same_without(store)


def test_rows_written_later_come_from_the_table(store: Store) -> None:
    add(store, 20, 30)
    assert same_without(store)


def test_the_records_last_used_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_KEPT", 3)
    table = store.tables.passages
    first, *others = table.rows.keys()[:6].tolist()
    for key in others:
        read(store, np.array([first, key]), ("view",))
    assert table.derived is not None
    places = table.derived.aligned(table).numbers[0, :6].tolist()
    assert list(table.derived.kept) == [places[4], places[0], places[5]]


def test_rows_written_later_are_read_once_and_held(store: Store) -> None:
    add(store, 20, 30)
    store.delete_docs([3])
    first = answers(store)
    files = [table.derived for table in (table_of(store),)]
    held = [file.lacked for file in files if file]
    assert [len(one.ids) for one in held if one] == [30]
    assert answers(store) == first
    assert [file.lacked for file in files if file] == held
    add(store, 21, 10)
    store.delete_docs([20])
    assert same_without(store)
    lacked = [file.lacked for file in files if file]
    assert [len(one.ids) for one in lacked if one] == [10]


def test_many_rows_written_later_are_searched_by_lancedb(store: Store) -> None:
    add(store, 20, 300)
    assert same_without(store)
    store.maintain(idle=True)
    assert same_without(store)


def test_deleted_rows_are_found_no_more(store: Store) -> None:
    store.delete_docs([3, 4])
    assert same_without(store)
    add(store, 3, 5)  # the keys are there again, with other vectors
    assert same_without(store)


def test_the_file_is_used_after_reopening_and_after_compaction(
    store: Store, tmp_path: Path
) -> None:
    add(store, 20, 3)
    table_of(store).inner.optimize()
    store.maintain(idle=True)
    store.close()
    again = opened(tmp_path)
    assert same_without(again)
    again.close()


def test_a_compaction_that_was_not_noted_leaves_the_file_unused(
    store: Store, tmp_path: Path
) -> None:
    add(store, 20, 3)
    table_of(store).inner.optimize()
    store.close()
    again = opened(tmp_path)
    assert table_of(again).derived is None
    again.maintain(idle=True)
    assert same_without(again)
    again.close()


def test_a_part_of_commits_that_were_undone_is_not_used(store: Store, tmp_path: Path) -> None:
    tables = (table_of(store),)
    before = [table.inner.version for table in tables]
    add(store, 20, 300)
    store.maintain(idle=True)
    for table, version in zip(tables, before, strict=True):
        table.inner.restore(version)
    store.close()
    again = opened(tmp_path)
    assert again.tables.passages.derived is None
    add(again, 20, 300, seed=1)  # with the keys and row ids of those that were undone
    again.maintain(idle=True)
    assert same_without(again)
    again.close()


def test_parts_are_added_and_merged(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_upkeep, "_MISSING", 0)
    monkeypatch.setattr(derived_upkeep, "_IDLE_TIMES", 1)
    tables = (table_of(store),)
    for doc, count in enumerate([200, 300, 50, 60, 20], 20):
        add(store, doc, count)
        if count == 50:
            store.delete_docs([1])
        store.maintain(idle=True)
    assert sizes(tables[0]) == [980, 130]
    assert same_without(store)
    store.close()
    again = opened(tmp_path)
    assert sizes(table_of(again)) == [980, 130]
    assert same_without(again)
    monkeypatch.undo()
    again.maintain(idle=True)
    assert sizes(table_of(again)) == [1110]
    assert same_without(again)
    again.close()


def test_a_part_with_many_stale_rows_is_made_again(store: Store) -> None:
    table = store.tables.passages
    store.delete_docs([1, 2, 3])
    store.maintain(idle=True)
    assert sizes(table) == [DOCS * EACH]
    store.delete_docs([4])
    store.maintain(idle=True)
    assert sizes(table) == [(DOCS - 4) * EACH]
    assert same_without(store)


def test_the_other_parts_of_a_cut_one_are_used(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_upkeep, "_IDLE_TIMES", 1)
    cut = part_of(table_of(store))
    add(store, 20, 300)
    store.maintain(idle=True)
    store.close()
    cut.write_bytes(cut.read_bytes()[:-1])
    again = opened(tmp_path)
    assert sizes(table_of(again)) == [300]
    assert same_without(again)
    again.maintain(idle=True)
    assert sizes(table_of(again)) == [480, 300]
    assert same_without(again)
    again.close()


def test_a_file_that_was_closed_is_made_anew_only_if_it_is_damaged(store: Store) -> None:
    table = table_of(store)
    file = part_of(table)
    table.derived = None
    store.maintain(idle=True)
    assert part_of(table) == file
    assert same_without(store)
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    table.derived = None
    store.maintain(idle=True)
    assert part_of(table) != file
    assert same_without(store)


def test_a_full_disk_leaves_the_parts_that_there_are(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, 20, 300)
    monkeypatch.setattr(derived_upkeep, "_SPARE_BYTES", 1 << 60)
    store.maintain(idle=True)
    assert sizes(table_of(store)) == [480]
    assert same_without(store)


@pytest.mark.parametrize("wrong", ["cut", "longer", "other", "format", "no stamp", "no json", "{}"])
def test_a_wrong_file_is_not_used_and_made_again(store: Store, tmp_path: Path, wrong: str) -> None:
    folder = table_of(store).path / derived.FOLDER
    file, stamp = part_of(table_of(store)), folder / "rows.json"
    store.close()
    said = json.loads(stamp.read_text())
    (part,) = said["parts"]
    if wrong == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    elif wrong == "longer":
        file.write_bytes(file.read_bytes() + b"\0")
    elif wrong == "other":
        stamp.write_text(json.dumps({**said, "parts": [{**part, "file": "rows-00.bin"}]}))
    elif wrong == "format":
        stamp.write_text(json.dumps({**said, "format": said["format"] + 1}))
    elif wrong == "no stamp":
        stamp.unlink()
    else:
        stamp.write_text(wrong)
    again = opened(tmp_path)
    assert table_of(again).derived is None
    again.maintain(idle=True)
    assert same_without(again)
    again.close()


def test_a_file_that_is_cut_while_it_is_open_is_given_up(store: Store) -> None:
    expected = answers(store)
    table = table_of(store)
    # Nothing of it was read yet.
    table.derived = derived.Derived.load(table.path, records.LAYOUT)
    part_of(table).write_bytes(b"")
    assert answers(store) == expected
    assert table.derived is None


def test_a_reader_of_the_replaced_file_reads_on(store: Store, tmp_path: Path) -> None:
    reader = Store.open(tmp_path / "lance", threads=1, writable=False)
    expected = answers(reader)
    add(store, 20, 300)
    store.maintain(idle=True)
    assert table_of(reader).derived is not None
    assert answers(reader) == expected
    reader.close()


def test_the_files_are_for_their_owner_only_and_counted(store: Store) -> None:
    table = table_of(store)
    folder = table.path / derived.FOLDER
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = list(folder.iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {part_of(table), folder / "rows.json"} <= set(files)
    with_it = store.sizes()[table.path.stem]
    bytes_of_it = sum(file.stat().st_size for file in files)
    derived_upkeep.discard(table)
    without = store.sizes()[table.path.stem]
    assert with_it.total - without.total == with_it.live - without.live == bytes_of_it


def test_altered_bytes_are_damage(store: Store) -> None:
    table = table_of(store)
    assert not derived_upkeep.damaged(table.path)
    file = part_of(table)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert derived_upkeep.damaged(table.path)
    derived_upkeep.discard(table)
    assert not derived_upkeep.damaged(table.path)


def test_altered_bytes_are_not_merged(store: Store) -> None:
    table = table_of(store)
    file = part_of(table)
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    add(store, 20, 300)
    store.maintain(idle=True)
    assert table.derived is None
    store.maintain(idle=True)
    assert sizes(table) == [780]
    assert not derived_upkeep.damaged(table.path)
    assert same_without(store)
