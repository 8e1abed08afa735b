"""Where an engine is reached: short, private, the same each time."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api import endpoint as places
from indexer.api import private_files
from indexer.api.endpoint import Endpoint
from indexer.api.private_files import MAX_ADDRESS_BYTES, Holding, LibraryLock
from tests.integration.rights import SOMEBODY

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes have no folder")


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # The paths of sockets are short; pytest's are not, and in their place one folder serves all.
    with tempfile.TemporaryDirectory(prefix="lectern-run-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Holding]:
    """The holding of a library in ``library``."""
    with LibraryLock.acquire(tmp_path / "library") as lock:
        yield lock.holding


@contextlib.contextmanager
def listening(address: str, backlog: int = 1) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(backlog)
        yield listener


def leave_dead(address: str) -> None:
    """Leave a socket behind as a killed engine does."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(address)


def test_the_name_follows_the_folder(runtime: Path, held: Holding) -> None:
    one, two = places.new_endpoint(held), places.new_endpoint(held._replace(taking="next"))
    assert one.address == two.address
    assert one.secret != two.secret
    assert places.new_endpoint(held._replace(inode=held.inode + 1)).address != one.address
    assert places.new_endpoint(held._replace(device=held.device + 1)).address != one.address


def test_the_window_of_a_library_is_named_after_its_real_path(
    runtime: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    one, two, other = (places.window_address(tmp_path / name) for name in ("real", "link", "other"))
    assert one == two != other


def test_the_address_is_short_however_long_the_library_path_is(
    runtime: Path, held: Holding
) -> None:
    deep = Path("/" + "deep/" * 500)
    for address in (places.new_endpoint(held).address, places.window_address(deep)):
        assert len(os.fsencode(address)) < MAX_ADDRESS_BYTES
    with listening(places.new_endpoint(held).address):
        assert len(os.fsencode(places.new_endpoint(held).address)) < MAX_ADDRESS_BYTES


def test_an_address_somebody_listens_on_is_left_to_them(runtime: Path, held: Holding) -> None:
    first = places.new_endpoint(held).address
    with listening(first, backlog=0), contextlib.ExitStack() as stack:
        assert places.new_endpoint(held).address != first
        # Also when whoever listens accepts nobody any more, and their queue is full.
        while True:
            try:
                stack.callback(places.connect(first, patience=0.0).close)
            except BlockingIOError:
                break
        assert places.new_endpoint(held).address != first
        places.clear(runtime, held)
        assert Path(first).exists()
    # Its file is there a little longer than the engine that listened.
    assert places.new_endpoint(held).address != first
    places.clear(runtime, held)
    assert places.new_endpoint(held).address == first


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
    folder = Path(places.new_endpoint(Holding(1, 2, "3")).address).parent
    assert folder.name == f"lectern-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_variables_that_name_no_place_are_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty one, or one from the folder in which a command happens to be started."""
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "run")
    for nowhere in ("", "run"):
        monkeypatch.setenv("TMPDIR", nowhere)
        monkeypatch.setenv("XDG_STATE_HOME", nowhere)
        assert Path(places.new_endpoint(Holding(1, 2, "3")).address).is_absolute()
    assert list(tmp_path.rglob("*")) == [tmp_path / "run"]


@pytest.mark.parametrize("made", ["open to others", "somebody else's", "a link", "a file"])
def test_a_folder_for_all_users_that_somebody_made_first_keeps_nobody_out(
    made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    with tempfile.TemporaryDirectory(prefix="lectern-run-") as short:
        shared, state = Path(short, "tmp"), Path(short, "state")
        taken = shared / f"lectern-{os.getuid()}"
        shared.mkdir()
        if made == "open to others":
            taken.mkdir()
            taken.chmod(0o777)
        elif made == "somebody else's":
            if os.getuid():
                pytest.skip("only root can give a folder to somebody else")
            taken.mkdir(0o700)
            os.chown(taken, SOMEBODY, SOMEBODY)
        elif made == "a link":
            taken.symlink_to(tmp_path)
        else:
            taken.write_text("")
        monkeypatch.setattr(private_files, "_SHORT", shared)
        monkeypatch.setenv("TMPDIR", str(shared))
        monkeypatch.setenv("XDG_STATE_HOME", str(state))
        folder = Path(places.new_endpoint(Holding(1, 2, "3")).address).parent
        assert folder == state / "lectern" / "run"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_note_is_for_the_owner_only_and_comes_back(tmp_path: Path, held: Holding) -> None:
    endpoint = Endpoint("somewhere", "secret", 7, held)
    places.publish(tmp_path / "library", endpoint)
    note = tmp_path / "library" / places.NOTE_NAME
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert places.published(tmp_path / "library") == endpoint
    assert sorted(path.name for path in note.parent.iterdir()) == [note.name, "lock", "lock.json"]


def test_the_note_of_another_holding_is_none(tmp_path: Path, held: Holding) -> None:
    for other in (held._replace(device=1), held._replace(inode=1), held._replace(taking="x")):
        places.publish(tmp_path / "library", Endpoint("somewhere", "secret", 7, other))
        assert places.published(tmp_path / "library") is None


BROKEN = [
    "",
    "[]",
    "{}",
    "[" * 100_000,
    '{"address": "a", "secret": "b", "pid": "c", "holding": [1, 2, "d"]}',
    '{"address": "a", "secret": "b", "pid": 1}',
    '{"address": "a", "secret": "b", "pid": 1, "holding": [1, 2]}',
    '{"address": "a", "secret": "b", "pid": 1, "holding": 7}',
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_note_is_no_note(text: str, tmp_path: Path) -> None:
    (tmp_path / places.NOTE_NAME).write_text(text)
    assert places.published(tmp_path) is None


def test_clearing_removes_dead_sockets_of_this_folder_and_nothing_else(
    runtime: Path, tmp_path: Path, held: Holding
) -> None:
    library = tmp_path / "library"
    treasure = tmp_path / "treasure"
    treasure.write_text("gold")
    places.publish(library, Endpoint(str(treasure), "s", 1, held))
    places.clear(library, held)
    assert treasure.exists()
    assert not (library / places.NOTE_NAME).exists()

    own = places.new_endpoint(held).address
    leave_dead(own)
    places.clear(library, held)
    assert not Path(own).exists()

    elsewhere = tmp_path / Path(own).name  # the runtime folder was another one then
    leave_dead(str(elsewhere))
    places.publish(library, Endpoint(str(elsewhere), "s", 1, held))
    places.clear(library, held)
    assert not elsewhere.exists()


def test_the_socket_in_a_copied_note_is_not_touched(
    runtime: Path, tmp_path: Path, held: Holding
) -> None:
    library, original = tmp_path / "library", held._replace(inode=held.inode + 1)
    endpoint = places.new_endpoint(original)
    leave_dead(endpoint.address)
    places.publish(library, endpoint)
    places.clear(library, held)
    assert Path(endpoint.address).exists()
    assert not (library / places.NOTE_NAME).exists()


def test_the_note_about_a_library_that_is_only_read_lies_outside(
    runtime: Path, tmp_path: Path
) -> None:
    library, copy, link = (tmp_path / name for name in ("library", "copy", "link"))
    LibraryLock.acquire(library).release()
    (library / places.NOTE_NAME).write_text("its owner's old one")
    link.symlink_to(library)
    before = {path: path.read_bytes() for path in library.iterdir()}
    with LibraryLock.share(library) as lock:
        endpoint = places.new_endpoint(lock.holding)
        places.publish(library, endpoint, inside=False)
        shutil.copytree(library, copy)
        assert places.published(library) == places.published(link) == endpoint
        assert places.published(copy) is None
        with LibraryLock.acquire(copy) as other:
            places.clear(copy, other.holding)
        assert places.published(library) == endpoint
        places.clear(library, lock.holding, inside=False)
        assert places.published(library) is None
        assert {path: path.read_bytes() for path in library.iterdir()} == before
        places.publish(library, endpoint, inside=False)
    # Its reader was killed; whoever writes next is not mistaken for it.
    with LibraryLock.acquire(library) as lock:
        places.clear(library, lock.holding)
        assert places.published(library) is None
        places.publish(library, places.new_endpoint(lock.holding))
        found = places.published(library)
        assert found is not None
        assert found.holding == lock.holding


@pytest.mark.usefixtures("runtime")
def test_the_note_lies_outside_where_there_is_no_room(tmp_path: Path, held: Holding) -> None:
    library, endpoint = tmp_path / "library", places.new_endpoint(held)
    (library / places.NOTE_NAME).mkdir()  # whatever keeps it from being written
    places.publish(library, endpoint)
    assert places.published(library) == endpoint
