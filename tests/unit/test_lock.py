"""One holder a library, named in the message of those who come later."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from indexer.errors import WorldError
from indexer.lock import LibraryLock, holder

if TYPE_CHECKING:
    from pathlib import Path


def test_the_second_taker_is_told_who_holds_it(tmp_path: Path) -> None:
    library = tmp_path / "a" / "library"
    with LibraryLock.acquire(library, "lectern index"):
        with pytest.raises(WorldError) as caught:
            LibraryLock.acquire(library)
        assert caught.value.code == "library_locked"
        assert f"lectern index (process {os.getpid()})" in caught.value.message
    with LibraryLock.acquire(library):
        pass


def test_a_stale_note_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "lock.json").write_text('{"program": "long gone", "pid": 1}')
    LibraryLock.acquire(tmp_path, "here").release()
    assert holder(tmp_path) == "another program"


def test_a_note_that_makes_no_sense_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "lock.json").write_text("[1, 2")
    assert holder(tmp_path) == "another program"


def test_only_the_owner_may_look_inside(tmp_path: Path) -> None:
    with LibraryLock.acquire(tmp_path / "library"):
        assert (tmp_path / "library").stat().st_mode & 0o077 == 0
        for file in (tmp_path / "library").iterdir():
            assert file.stat().st_mode & 0o077 == 0, file


def test_a_library_that_cannot_be_made_is_the_worlds_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WorldError) as caught:
        LibraryLock.acquire(tmp_path / "file" / "library")
    assert caught.value.code == "library_unwritable"


def test_letting_go_twice_is_harmless(tmp_path: Path) -> None:
    lock = LibraryLock.acquire(tmp_path)
    lock.release()
    other = LibraryLock.acquire(tmp_path, "other")
    lock.release()
    assert "other" in holder(tmp_path)
    other.release()
