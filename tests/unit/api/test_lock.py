"""One holder a library, named in the message of those who come later."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.api.errors import WorldError
from indexer.api.private_files import HOLDER_NAME, LOCK_NAME, LibraryLock, holder, holding, identity


def test_the_second_taker_is_told_who_holds_it(tmp_path: Path) -> None:
    library = tmp_path / "a" / "library"
    with LibraryLock.acquire(library, "lectern index"):
        with pytest.raises(WorldError) as caught:
            LibraryLock.acquire(library)
        assert caught.value.code == "library_locked"
        told = rf"lectern index \(process {os.getpid()}, since \d{{4}}-\d\d-\d\d \d\d:\d\d\)"
        assert re.search(told, caught.value.message)
    with LibraryLock.acquire(library):
        pass


def test_a_stale_note_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "lock.json").write_text('{"program": "long gone", "pid": 1}')
    LibraryLock.acquire(tmp_path, "here").release()
    assert holder(tmp_path) == "another program"


def test_a_holder_on_another_machine_is_told_apart(tmp_path: Path) -> None:
    note = '{"program": "lectern", "pid": 12, "host": "far-away", "since": 0}'
    (tmp_path / "lock.json").write_text(note)
    assert holder(tmp_path) == "lectern (process 12 on far-away)"


def test_a_note_that_makes_no_sense_does_not_matter(tmp_path: Path) -> None:
    for note in (
        "[1, 2",
        "[]",
        '{"program": "x", "pid": "y"}',
        '{"program": "x", "pid": 1, "since": []}',
    ):
        (tmp_path / "lock.json").write_text(note)
        assert holder(tmp_path) == "another program"


@pytest.mark.skipif(sys.platform == "win32", reason="rights are those of the folder above")
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


def test_a_killed_holder_leaves_no_lock_behind(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from indexer.api.private_files import LibraryLock\n"
        "lock = LibraryLock.acquire(Path(sys.argv[1]), 'the victim'); print('held', flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        with pytest.raises(WorldError, match=rf"the victim \(process {process.pid}"):
            LibraryLock.acquire(tmp_path)
        process.kill()
    with LibraryLock.acquire(tmp_path):
        pass


def test_each_holding_is_told_from_all_others(tmp_path: Path) -> None:
    library, copy, link = (tmp_path / name for name in ("library", "copy", "link"))
    link.symlink_to(library, target_is_directory=True)
    with LibraryLock.acquire(library) as lock:
        if not link.is_dir():
            pytest.skip("Wine 8 does not follow links")
        shutil.copytree(library, copy)
        assert holding(library) == holding(link) == lock.holding
        assert holding(copy) not in {None, lock.holding}
        assert identity(copy) != identity(library) == identity(link) == lock.holding[:2]
    assert holding(library) is None
    assert identity(tmp_path / "nowhere") is None
    with LibraryLock.acquire(library) as again:
        assert again.holding[:2] == lock.holding[:2]
        assert again.holding != lock.holding


def test_a_lock_knows_when_it_guards_its_path_no_more(tmp_path: Path) -> None:
    library, away = tmp_path / "library", tmp_path / "away"
    with LibraryLock.acquire(library) as lock:
        assert lock.is_intact()
        library.rename(away)
        assert not lock.is_intact()
        with pytest.raises(WorldError) as caught:
            lock.check()
        assert caught.value.code == "library_moved"
        with LibraryLock.acquire(library, "the next"):  # there is another folder by now
            assert not lock.is_intact()
            lock.release()
            assert "the next" in holder(library)
        shutil.rmtree(library)
        away.rename(library)


@pytest.mark.parametrize("name", [LOCK_NAME, HOLDER_NAME])
def test_a_lock_notices_files_of_another_library(tmp_path: Path, name: str) -> None:
    library, backup = tmp_path / "library", tmp_path / "backup"
    if sys.platform == "win32" and name == LOCK_NAME:
        pytest.skip("Windows lets nobody replace an open file")
    with LibraryLock.acquire(library) as lock, LibraryLock.acquire(backup):
        (library / "other").write_bytes((backup / name).read_bytes())
        (library / "other").replace(library / name)
        assert not lock.is_intact()


def test_a_note_that_could_not_be_written_does_not_end_an_engine(tmp_path: Path) -> None:
    with LibraryLock.acquire(tmp_path) as lock:
        (tmp_path / HOLDER_NAME).write_text("")
        assert lock.is_intact()
        assert holding(tmp_path) is None


@pytest.mark.skipif(sys.platform != "win32", reason="elsewhere the file of a released lock stays")
def test_a_library_whose_lock_file_is_gone_can_be_read(tmp_path: Path) -> None:
    LibraryLock.acquire(tmp_path).release()
    with LibraryLock.share(tmp_path) as lock:
        assert lock.is_intact()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no shared locks")
def test_readers_share_a_library_that_no_writer_may_take(tmp_path: Path) -> None:
    library, away = tmp_path / "library", tmp_path / "away"
    LibraryLock.acquire(library).release()
    (library / HOLDER_NAME).write_text('{"program": "killed", "pid": 1, "taking": "old"}')
    before = {path: path.read_bytes() for path in library.iterdir()}
    with LibraryLock.share(library) as lock:
        assert lock.refusal is not None
        assert lock.refusal.code == "library_read_only"
        assert lock.holding[:2] == identity(library)
        assert lock.holding.taking != "old"
        assert lock.is_intact()
        for take in (LibraryLock.acquire, LibraryLock.share):  # one engine a person
            with pytest.raises(WorldError) as caught:
                take(library)
            assert caught.value.code == "library_locked"
        assert {path: path.read_bytes() for path in library.iterdir()} == before
        library.rename(away)
        assert not lock.is_intact()
        shutil.copytree(away, library)
        assert not lock.is_intact()
        shutil.rmtree(library)
        away.rename(library)
        assert lock.is_intact()
        (library / HOLDER_NAME).write_text('{"taking": "of a library laid over this one"}')
        assert not lock.is_intact()
    with LibraryLock.acquire(library) as lock:
        assert lock.refusal is None
