"""A full disk costs the batch in hand and nothing that was there before.

On a real file system of a few megabytes, which only an administrator can mount.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.private_files import LibraryLock
from indexer.api.types import FileState
from indexer.catalog.catalog import Catalog
from indexer.files.excludes import EntryClassifier, Excludes
from indexer.files.walk import RootWalk, ScanRules
from indexer.library import library as libraries
from tests.integration import rights
from tests.unit.catalog.fakes import FakeWalk, found, read, root_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DISK_BYTES = 4 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of ``DISK_BYTES``."""
    with rights.small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        yield disk


def _many(count: int) -> FakeWalk:
    return FakeWalk({"": [found(f"{n} is a rather long name of a file.txt") for n in range(count)]})


def test_the_catalog_says_so_and_goes_on_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    with Catalog(small_disk / "catalog.sqlite") as catalog:
        root = root_at(catalog, tmp_path / "r").id
        catalog.scans.apply([(root, _many(10))])
        docs = {read(catalog, job, str(job.file)) for job in catalog.queue.take(5)}
        ballast = rights.fill(small_disk)
        with pytest.raises(WorldError) as caught:
            catalog.scans.apply([(root, _many(5000))])
        assert caught.value.code == "disk_full"
        assert str(small_disk) in caught.value.message

        # What was there can still be read, and nothing half-way came beside it.
        assert catalog.files.counts() == {FileState.TEXT_ONLY: 5, FileState.QUEUED: 5}
        assert set(catalog.files.by_document(docs)) == docs
        ballast.unlink()
        assert catalog.scans.apply([(root, _many(2000))])[0].new == 1990
    with Catalog(small_disk / "catalog.sqlite") as catalog:
        assert set(catalog.docs.known().tolist()) == docs
        assert catalog.db.value("PRAGMA integrity_check") == "ok"


def test_a_library_cannot_be_made_on_a_full_disk(small_disk: Path) -> None:
    rights.fill(small_disk)
    with pytest.raises(WorldError) as caught:
        Catalog(small_disk / "catalog.sqlite")
    assert caught.value.code == "disk_full"


def test_the_lock_does_not_need_room(small_disk: Path) -> None:
    (small_disk / "library").mkdir()
    LibraryLock.acquire(small_disk / "library").release()
    rights.fill(small_disk)
    with LibraryLock.acquire(small_disk / "library"), pytest.raises(WorldError) as caught:
        LibraryLock.acquire(small_disk / "library")
    assert caught.value.code == "library_locked"


def test_a_move_that_does_not_fit_leaves_the_library_whole(
    small_disk: Path, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    with Catalog(library / "catalog.sqlite") as catalog:
        catalog.set_meta("key", "value")
    (library / "index").mkdir()
    (library / "index" / "big").write_bytes(b"x" * 2 * DISK_BYTES)
    with pytest.raises(WorldError) as caught:
        libraries.move(library, small_disk / "library")
    assert caught.value.code == "disk_full"
    assert list(small_disk.iterdir()) == []
    with Catalog(library / "catalog.sqlite") as catalog:
        assert catalog.meta("key") == "value"


def test_a_library_is_moved_to_another_disk(small_disk: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    with Catalog(library / "catalog.sqlite") as catalog:
        catalog.set_meta("key", "value")
    libraries.move(library, small_disk / "library")
    assert not library.exists()
    with Catalog(small_disk / "library" / "catalog.sqlite") as catalog:
        assert catalog.meta("key") == "value"


def test_an_unmounted_drive_is_offline_and_comes_back(small_disk: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "usb").mkdir(parents=True)
    mount = ["mount", "--bind", str(small_disk), str(folder / "usb")]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let us mount a folder twice")
    (small_disk / "on the drive.txt").write_text("x")
    (folder / "at home.txt").write_text("x")
    rules = ScanRules(Excludes(), EntryClassifier({".txt": "text"}))
    with Catalog(tmp_path / "catalog.sqlite") as catalog:
        root = catalog.roots.add_root(folder)
        try:
            assert catalog.scans.apply([(root.id, RootWalk(root, rules))])[0].new == 2
        finally:
            subprocess.run(["umount", str(folder / "usb")], check=True)
        assert catalog.scans.apply([(root.id, RootWalk(root, rules))])[0].removed == 0
        assert catalog.files.counts() == {FileState.QUEUED: 1, FileState.OFFLINE: 1}
