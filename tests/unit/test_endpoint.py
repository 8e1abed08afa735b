"""Where an engine is reached: short, private, the same each time."""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from indexer import endpoint as places
from indexer.endpoint import MAX_ADDRESS_BYTES, Endpoint

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes have no folder")


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_the_name_follows_the_real_path(runtime: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    one, two = (places.new_endpoint(tmp_path / name) for name in ("real", "link"))
    assert one.address == two.address
    assert one.secret != two.secret
    assert places.new_endpoint(tmp_path / "other").address != one.address


def test_the_address_is_short_however_long_the_library_path_is(runtime: Path) -> None:
    address = places.new_endpoint(Path("/" + "deep/" * 500)).address
    assert len(os.fsencode(address)) < MAX_ADDRESS_BYTES


@pytest.mark.parametrize("make", ["open to others", "too long", "missing"])
def test_an_unfit_runtime_folder_is_not_used(
    make: str, runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if make == "open to others":
        runtime.chmod(0o755)
    elif make == "too long":
        long = tmp_path / ("n" * 100)
        long.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    else:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))
    folder = Path(places.new_endpoint(tmp_path).address).parent
    assert folder.name == f"lectern-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_note_is_for_the_owner_only_and_comes_back(tmp_path: Path) -> None:
    endpoint = Endpoint("somewhere", "secret", 7)
    places.publish(tmp_path, endpoint)
    note = tmp_path / places.NOTE_NAME
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert places.published(tmp_path) == endpoint
    assert list(tmp_path.iterdir()) == [note]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"address": "a", "secret": "b", "pid": "c"}'])
def test_a_broken_note_is_no_note(text: str, tmp_path: Path) -> None:
    (tmp_path / places.NOTE_NAME).write_text(text)
    assert places.published(tmp_path) is None


def test_clearing_removes_sockets_and_nothing_else(runtime: Path, tmp_path: Path) -> None:
    treasure = tmp_path / "treasure"
    treasure.write_text("gold")
    places.publish(tmp_path, Endpoint(str(treasure), "s", 1))
    places.clear(tmp_path)
    assert treasure.exists()
    assert places.published(tmp_path) is None
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(runtime / "s"))
    places.publish(tmp_path, Endpoint(str(runtime / "s"), "s", 1))
    places.clear(tmp_path)
    assert not (runtime / "s").exists()
