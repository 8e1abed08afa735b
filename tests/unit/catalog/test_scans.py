from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import Cancelled
from indexer.api.types import FileState
from indexer.catalog.queue import MAX_TRIES
from indexer.catalog.records import FoundFile, ScanCounts
from indexer.catalog.states import TRANSIENT_CODES
from tests.unit.catalog.fakes import listed

from .fakes import FakeWalk, found, read_all, root_at, states

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog


def test_new_files_are_queued_and_known_kinds_are_not(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    walk = FakeWalk({"": [found("a.txt"), found("b.docx", state=FileState.UNSUPPORTED)]})
    assert catalog.scans.apply([(root.id, walk)])[0] == ScanCounts(seen=2, new=2)
    assert states(catalog) == {"a.txt": "queued", "b.docx": "unsupported"}
    assert [job.path for job in catalog.queue.take(9)] == [os.fsencode(tmp_path / "r" / "a.txt")]


def test_an_unchanged_tree_changes_nothing(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    walk = FakeWalk({"": [found("a.txt")], "deep/er": [found("b.txt")]})
    catalog.scans.apply([(root.id, walk)])
    read_all(catalog)
    assert catalog.scans.apply([(root.id, walk)])[0] == ScanCounts(seen=2)
    assert catalog.queue.waiting() == 0


def test_a_changed_file_keeps_its_document_until_it_is_read_again(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt")]}))])
    doc = read_all(catalog)["a.txt"]
    counts = catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", mtime_ns=2)]}))])[0]
    assert counts.changed == 1
    assert states(catalog) == {"a.txt": "queued"}
    assert list(catalog.files.by_document([doc])) == [doc]
    assert catalog.docs.orphans() == []


def test_a_moved_file_is_not_read_again(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"old": [found("a.txt", inode=5)]}))])
    doc = read_all(catalog)["a.txt"]
    counts = catalog.scans.apply([(root.id, FakeWalk({"new": [found("b.txt", inode=5)]}))])[0]
    assert counts == ScanCounts(seen=1, new=1, known=1, removed=1)
    assert catalog.queue.waiting() == 0
    assert [place.relative for place in catalog.files.by_document([doc])[doc]] == ["new/b.txt"]


@pytest.mark.parametrize("code", sorted(TRANSIENT_CODES))
def test_a_file_that_could_not_be_read_at_its_old_path_is_read_at_the_new_one(
    catalog: Catalog, tmp_path: Path, code: str
) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"old": [found("a.txt", inode=5)]}))])
    (job,) = catalog.queue.take(1)
    for _ in range(MAX_TRIES):  # then nothing is left to be tried by itself
        catalog.queue.started(job.file)
        catalog.queue.fail(job.file, code)
    assert states(catalog) == {"old/a.txt": "failed"}
    catalog.scans.apply([(root.id, FakeWalk({"new": [found("a.txt", inode=5)]}))])
    assert states(catalog) == {"new/a.txt": "queued"}


def test_a_file_changed_under_a_new_name_is_read_again_under_its_known_name(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    read_all(catalog)
    # Only the new name was reported.
    catalog.scans.apply(
        [(root.id, _look({"": [found("b.txt", inode=5, mtime_ns=2)]}, {"": ["b.txt"]}))]
    )
    assert states(catalog) == {"a.txt": "queued", "b.txt": "queued"}
    read_all(catalog)
    both = [found(name, inode=5, mtime_ns=2) for name in ("a.txt", "b.txt")]
    assert catalog.scans.apply([(root.id, FakeWalk({"": both}))])[0].changed == 0


def test_a_new_file_with_the_number_of_one_that_is_away_leaves_it_alone(
    catalog: Catalog, tmp_path: Path
) -> None:
    first, second = root_at(catalog, tmp_path / "r"), root_at(catalog, tmp_path / "s")
    catalog.scans.apply([(first.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    read_all(catalog)
    catalog.scans.apply([(first.id, FakeWalk({}, reachable=False))])
    catalog.scans.apply([(second.id, FakeWalk({"": [found("b.txt", inode=5, mtime_ns=2)]}))])
    assert states(catalog) == {"a.txt": "offline", "b.txt": "queued"}


def test_a_move_to_another_root_is_not_read_again(catalog: Catalog, tmp_path: Path) -> None:
    first, second = root_at(catalog, tmp_path / "r"), root_at(catalog, tmp_path / "s")
    catalog.scans.apply([(first.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    doc = read_all(catalog)["a.txt"]
    catalog.scans.apply([(second.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    catalog.scans.apply([(first.id, FakeWalk({"": []}))])
    assert catalog.queue.waiting() == 0
    assert [place.root for place in catalog.files.by_document([doc])[doc]] == [str(tmp_path / "s")]


def test_the_same_inode_with_another_time_is_another_file(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    read_all(catalog)
    catalog.scans.apply([(root.id, FakeWalk({"": [found("b.txt", inode=5, mtime_ns=9)]}))])
    assert catalog.queue.waiting() == 1


def test_a_file_swapped_for_one_of_equal_size_and_time_is_read(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    read_all(catalog)
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", inode=6)]}))])
    assert catalog.queue.waiting() == 1


def test_a_vanished_file_leaves_an_orphan(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt")], "d": [found("b.txt")]}))])
    docs = read_all(catalog)
    counts = catalog.scans.apply([(root.id, FakeWalk({"": []}))])[0]
    assert counts.removed == 2
    assert catalog.docs.orphans() == sorted(docs.values())
    catalog.docs.forget(docs.values())
    assert catalog.docs.known().tolist() == []


def test_an_unreachable_root_is_offline_and_comes_back(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    walk = FakeWalk({"": [found("a.txt"), found("b.txt")]})
    catalog.scans.apply([(root.id, walk)])
    doc = read_all(catalog)["a.txt"]
    before = states(catalog)
    assert catalog.scans.apply([(root.id, FakeWalk({}, reachable=False))])[0].offline
    assert set(states(catalog).values()) == {"offline"}
    assert not catalog.roots.root_by_id(root.id).online
    assert list(catalog.files.by_document([doc])) == [doc]
    assert catalog.docs.orphans() == []
    catalog.scans.apply([(root.id, walk)])
    assert states(catalog) == before
    assert catalog.queue.waiting() == 0


def test_an_empty_mount_point_takes_nothing_away(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    drive = FakeWalk({"": [], "usb": [found("a.txt", volume=9)]})
    catalog.scans.apply([(root.id, drive)])
    read_all(catalog)
    assert catalog.scans.apply([(root.id, FakeWalk({"": [], "usb": []}))])[0].removed == 0
    assert states(catalog) == {"usb/a.txt": "offline"}
    catalog.scans.apply([(root.id, drive)])
    assert states(catalog) == {"usb/a.txt": "text_only"}


def test_a_drive_with_a_new_number_still_loses_its_deleted_files(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    both = [found("a.txt", volume=9, inode=1), found("b.txt", volume=9, inode=2)]
    catalog.scans.apply([(root.id, FakeWalk({"": both}, volume=9))])
    read_all(catalog)
    again = FakeWalk({"": [found("a.txt", volume=10, inode=8)]}, volume=10)
    assert catalog.scans.apply([(root.id, again)])[0].removed == 1
    assert states(catalog) == {"a.txt": "text_only"}


def test_a_folder_that_could_not_be_listed_keeps_its_files(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply(
        [(root.id, FakeWalk({"": [], "d": [found("a.txt")], "d/e": [found("b.txt")]}))]
    )
    read_all(catalog)
    denied = FakeWalk({"": []}, unread={b"d": "path_denied"})
    for _ in range(2):
        assert catalog.scans.apply([(root.id, denied)])[0].removed == 0
        assert states(catalog) == {"d": "failed", "d/a.txt": "text_only", "d/e/b.txt": "text_only"}
    assert listed(catalog, FileState.FAILED)[0].code == "path_denied"


def test_stopping_half_way_removes_nothing(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    many = {f"d{n}": [found(f"{k}.txt") for k in range(900)] for n in range(5)}
    catalog.scans.apply([(root.id, FakeWalk(many))])

    def stop(_seen: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        catalog.scans.apply([(root.id, FakeWalk(many))], stop)
    assert sum(catalog.files.counts().values()) == 4500
    gone = dict(list(many.items())[1:])
    assert catalog.scans.apply([(root.id, FakeWalk(gone))])[0].removed == 900


def test_names_that_are_not_utf8_survive(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    name = b"caf\xe9.txt"
    walk = FakeWalk({"": [FoundFile(name, 1, 1, 7, 1, "text")]})
    catalog.scans.apply([(root.id, walk)])
    (job,) = catalog.queue.take(1)
    assert job.path == os.fsencode(tmp_path / "r") + b"/" + name
    (row,) = listed(catalog)
    assert os.fsencode(row.path) == job.path
    assert os.fsencode(row.file) == name


def test_a_verdict_that_changes_is_taken_over(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", state=FileState.UNSUPPORTED)]}))])
    assert catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt")]}))])[0].changed == 1
    assert catalog.queue.waiting() == 1


def _look(folders: dict[str, list[FoundFile]], entries: dict[str, list[str]]) -> FakeWalk:
    """A walk over what was looked at alone."""
    wanted = {
        folder.encode(): frozenset(name.encode() for name in names)
        for folder, names in entries.items()
    }
    return FakeWalk(folders, only=wanted)


def test_a_look_says_nothing_about_what_it_did_not_look_at(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    everything = {"": [found("a.txt"), found("b.txt")], "d": [found("c.txt")]}
    catalog.scans.apply([(root.id, FakeWalk(everything))])
    counts = catalog.scans.apply(
        [
            (
                root.id,
                _look({"": [found("a.txt", mtime_ns=2), found("n.txt")]}, {"": ["a.txt", "n.txt"]}),
            )
        ]
    )[0]
    assert counts == ScanCounts(seen=2, new=1, changed=1)
    assert set(states(catalog)) == {"a.txt", "b.txt", "d/c.txt", "n.txt"}
    assert catalog.scans.apply([(root.id, _look({"": []}, {"": ["b.txt"]}))])[0].removed == 1
    assert set(states(catalog)) == {"a.txt", "d/c.txt", "n.txt"}
    # Later walks over everything find nothing to mend.
    everything[""] = [found("a.txt", mtime_ns=2), found("n.txt")]
    assert catalog.scans.apply([(root.id, FakeWalk(everything))])[0] == ScanCounts(seen=3)


def test_a_folder_that_was_looked_at_leaves_with_all_it_held(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    inner = {"d": [found("a.txt", inode=5)], "d/e": [found("b.txt", inode=6)], "d0": []}
    catalog.scans.apply([(root.id, FakeWalk({"": [], **inner, "dd": [found("c.txt")]}))])
    read_all(catalog)
    moved = {"": [], "n": [found("a.txt", inode=5)], "n/e": [found("b.txt", inode=6)]}
    counts = catalog.scans.apply([(root.id, _look(moved, {"": ["d", "n"]}))])[0]
    assert counts == ScanCounts(seen=2, new=2, known=2, removed=2)
    assert set(states(catalog)) == {"n/a.txt", "n/e/b.txt", "dd/c.txt"}
    assert catalog.queue.waiting() == 0


def test_a_look_starts_at_a_folder_that_is_known(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r")
    assert catalog.scans.from_known_folders(root.id, {b"": {b"x"}}) == {}
    catalog.scans.apply([(root.id, FakeWalk({"": [], "d": []}))])
    entries = {b"d": {b"a"}, b"d/new/er": {b"b"}, b"other/deep": {b"c"}, b"": {b"z"}}
    assert catalog.scans.from_known_folders(root.id, entries) == {
        b"d": {b"a", b"new"},
        b"": {b"other", b"z"},
    }


def test_a_move_between_roots_is_taken_in_before_it_leaves(
    catalog: Catalog, tmp_path: Path
) -> None:
    first, second = root_at(catalog, tmp_path / "r"), root_at(catalog, tmp_path / "s")
    catalog.scans.apply([(first.id, FakeWalk({"": [found("a.txt", inode=5)]}))])
    catalog.scans.apply([(second.id, FakeWalk({"": []}))])
    read_all(catalog)
    counts = catalog.scans.apply(
        [(first.id, FakeWalk({"": []})), (second.id, FakeWalk({"": [found("a.txt", inode=5)]}))]
    )
    assert [(count.known, count.removed) for count in counts] == [(0, 1), (1, 0)]
    assert catalog.queue.waiting() == 0


def test_numbers_of_files_are_not_given_out_again(catalog: Catalog, tmp_path: Path) -> None:
    """A reader may still be at work on a file that is gone."""
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt")]}))])
    (job,) = catalog.queue.take(1)
    catalog.scans.apply([(root.id, FakeWalk({"": []}))])
    catalog.scans.apply([(root.id, FakeWalk({"": [found("b.txt")]}))])
    (other,) = catalog.queue.take(1)
    assert job.file != other.file
