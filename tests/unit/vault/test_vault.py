"""An encrypted folder: its places, its record, and a small library there and back."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from subprocess import PIPE
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.confine.process import children
from indexer.vault import convert, mounting
from indexer.vault.place import State, is_encrypted, mounted_device, place_of
from tests.encrypting import PASSPHRASE, content_of, needs_gocryptfs, planted_in
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from pathlib import Path

PLANTED = b"xylophone of the harbour master"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    library = tmp_path / "library"
    (library / "index").mkdir(parents=True)
    (library / "catalog.sqlite").write_bytes(PLANTED)
    (library / "index" / PLANTED.decode()).write_bytes(bytes(100_000))
    return library


def code(error: pytest.ExceptionInfo[WorldError]) -> str:
    return error.value.code


def test_every_path_of_a_library_leads_to_its_place(library: Path, tmp_path: Path) -> None:
    place = place_of(library)
    assert place.folder == tmp_path / "library.encrypted"
    other = tmp_path / "other"
    other.symlink_to(library)
    assert place_of(other) == place
    library.rename(tmp_path / "away")
    library.symlink_to("library.encrypted/open")
    assert place_of(other) == place_of(library) == place_of(place.open) == place


@needs_gocryptfs
def test_a_library_is_encrypted_unlocked_locked_and_decrypted(library: Path) -> None:
    place, before = place_of(library), content_of(library)
    also = library.parent / "window"
    also.mkdir()
    (also / "history.json").write_bytes(PLANTED)
    convert.encrypt(place, PASSPHRASE, {"window": also})
    assert is_encrypted(library)
    assert planted_in(library.parent, [PLANTED]) == []
    with pytest.raises(FileExistsError):  # nothing can be written beside it by mistake
        (library / "index").mkdir(parents=True)
    with pytest.raises(WorldError) as refused:
        mounting.unlock(place, "wrong")
    assert code(refused) == "vault_passphrase"
    assert not mounted_device(place.open)
    mounting.unlock(place, PASSPHRASE)
    assert content_of(library) == before | {
        "window/history.json": content_of(library)["window/history.json"]
    }
    assert planted_in(place.cipher, [PLANTED]) == []
    held = os.open(library / "catalog.sqlite", os.O_RDONLY)
    mounting.lock(place)
    with pytest.raises(OSError, match="not connected"):
        os.pread(held, 1, 0)
    with contextlib.suppress(OSError):
        os.close(held)
    assert not os.path.lexists(place.open)
    convert.decrypt(place, PASSPHRASE)
    assert set(content_of(library)) == {*before, "window/history.json"}
    assert not place.folder.exists()


def test_a_copy_is_compared_byte_by_byte_each_time(library: Path, tmp_path: Path) -> None:
    (library / "link").symlink_to("index")
    copy = tmp_path / "copy"
    convert.copy_folder(library, copy)
    convert.compare_folders(library, copy)
    assert (copy / "link").readlink() == (library / "link").readlink()
    changed = copy / "catalog.sqlite"
    assert (changed.stat().st_mode & 0o777, copy.stat().st_mode & 0o777) == (0o600, 0o700)
    times = changed.stat().st_mtime_ns
    assert times == (library / "catalog.sqlite").stat().st_mtime_ns
    changed.write_bytes(PLANTED.upper())
    os.utime(changed, ns=(times, times))
    with pytest.raises(OSError, match="differs"):
        convert.compare_folders(library, copy)
    changed.unlink()
    with pytest.raises(FileNotFoundError):
        convert.compare_folders(library, copy)


@needs_gocryptfs
def test_what_another_window_writes_meanwhile_is_not_removed(library: Path) -> None:
    place = place_of(library)
    also = library.parent / "window"
    also.mkdir()
    (also / "old.json").write_bytes(b"{}")
    convert.encrypt(place, PASSPHRASE, {"window": also})
    assert not also.exists()
    also.mkdir()
    (also / "new.json").write_bytes(b"{}")
    place.write(State.REMOVING)
    convert.put_right(place, [also])
    assert [each.name for each in also.iterdir()] == ["new.json"]


@needs_gocryptfs
def test_nothing_is_begun_without_room(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content_of(library)
    none = shutil.disk_usage(library)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: none)
    with pytest.raises(WorldError) as refused:
        convert.encrypt(place_of(library), PASSPHRASE, {})
    assert code(refused) == "disk_full"
    assert content_of(library) == before
    assert not place_of(library).folder.exists()


@needs_gocryptfs
def test_a_killed_keeper_leaves_nothing_unlocked(library: Path) -> None:
    place = place_of(library)
    convert.encrypt(place, PASSPHRASE, {})
    mounting.unlock(place, PASSPHRASE)
    os.kill(int(place.keeper.read_text()), 9)
    mounting.lock(place)
    assert not mounted_device(place.open)
    mounting.unlock(place, PASSPHRASE)
    assert (library / "catalog.sqlite").read_bytes() == PLANTED
    mounting.lock(place)


@needs_gocryptfs
@pytest.mark.parametrize("killed", [True, False], ids=["keeper killed", "keeper there"])
def test_one_that_hangs_is_locked(library: Path, *, killed: bool) -> None:
    """So does a gocryptfs that is killed just when it mounts, which no test can time."""
    place = place_of(library)
    convert.encrypt(place, PASSPHRASE, {})
    mounting.unlock(place, PASSPHRASE)
    keeper = place.kept_by()
    assert keeper
    (gocryptfs,) = children(keeper)
    os.kill(gocryptfs, signal.SIGSTOP)
    try:
        if killed:
            os.kill(keeper, signal.SIGKILL)
        with subprocess.Popen(["cat", place.open / "catalog.sqlite"], stderr=PIPE) as waiting:
            mounting.lock(place)
            assert waiting.wait(WAIT_S) == 1
        assert not os.path.lexists(place.open)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(gocryptfs, signal.SIGKILL)


@needs_gocryptfs
def test_it_is_locked_when_nothing_is_open(library: Path) -> None:
    place = place_of(library)
    convert.encrypt(place, PASSPHRASE, {})
    mounting.unlock(place, PASSPHRASE, 1)
    wait_for(lambda: not os.path.lexists(place.open))
    assert not library.exists()


def test_what_is_no_encrypted_library_is_left_alone(library: Path) -> None:
    place = place_of(library)
    place.folder.mkdir()
    place.record.write_text("{")
    with pytest.raises(WorldError) as refused:
        convert.put_right(place, [])
    assert code(refused) == "vault_conflict"
    place.record.unlink()
    place.cipher.mkdir()
    with pytest.raises(WorldError) as refused:
        is_encrypted(library)
    assert code(refused) == "vault_conflict"
    assert place.cipher.exists()


def test_a_launcher_mounts_nothing_but_an_encrypted_library(library: Path) -> None:
    for folder in (library, library.parent / "none.encrypted"):
        with pytest.raises(WorldError) as refused:
            mounting.MountVault(folder, 0, PASSPHRASE, 0).do()
        assert code(refused) == "bad_request"


@pytest.mark.parametrize("bad", ["", "  ", "two\nlines", "x" * 2000])
def test_a_passphrase_is_one_line(bad: str) -> None:
    with pytest.raises(WorldError) as refused:
        mounting.check_passphrase(bad)
    assert code(refused) == "bad_usage"
