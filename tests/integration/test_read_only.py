"""A library that can only be read: it is searched, and whatever would change it is refused."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.engine import open_host
from indexer.api.client import EngineClient
from indexer.api.errors import WorldError
from indexer.api.lock import LOCK_NAME
from indexer.api.progress import CancelToken, ignore
from indexer.engine.engine import Engine
from indexer.library.library import CATALOG_NAME
from tests.integration import killing, rights
from tests.integration.speaking import attached
from tests.integration.world import QUERIES, Seen, World, found, search, states
from tests.mounting import Mounter, can_mount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT = "reports/one.pdf"
_SEARCH = """
import sys
from pathlib import Path
from tests.integration.world import World, found, states
from indexer.api.errors import WorldError
world = World(*map(Path, sys.argv[1:4]))
with world.engine() as engine:
    print(found(engine, "report one")[0], engine.status()["reason"], len(states(engine)))
    try:
        world.index(engine)
    except WorldError as error:
        print(error.code)
"""


@pytest.fixture
def mounter() -> Iterator[Mounter]:
    if not can_mount():
        pytest.skip("only root on Linux can mount")
    mounter = Mounter()
    yield mounter
    mounter.close()


@pytest.fixture
def written(indexed: World, tmp_path: Path) -> World:
    """A library of its own, still to be written."""
    world = World(indexed.documents, tmp_path / "library", indexed.models)
    shutil.copytree(indexed.library, world.library)
    return world


@pytest.fixture
def read_only(written: World, mounter: Mounter, tmp_path: Path) -> World:
    """The same on a mount that can only be read."""
    return mounted(written, mounter, tmp_path / "mounted")


def mounted(world: World, mounter: Mounter, point: Path) -> World:
    point.mkdir()
    mounter.read_only(world.library, point)
    return World(world.documents, point, world.models)


def contents(world: World) -> dict[str, bytes]:
    files = (path for path in world.library.rglob("*") if path.is_file())
    return {str(path.relative_to(world.library)): path.read_bytes() for path in files}


def test_it_answers_as_ever(read_only: World, undisturbed: Seen) -> None:
    before = contents(read_only)
    with read_only.engine() as engine:
        assert states(engine) == {file: row[1] or row[0] for file, row in undisturbed.files.items()}
        for query, hits in zip(QUERIES, undisturbed.hits, strict=True):
            assert [(hit.file, hit.start, hit.end) for hit in search(engine, query, 3)] == hits
        assert found(engine, "like:one.pdf")
        assert engine.compare("one.pdf", "long.txt", limit=3, token=CancelToken())
        hit = engine.search("report one", limit=1, full_text=True).hits[0]
        assert engine.explain("report one", Path(hit.path), hit.start)
        assert engine.verify(report=ignore, token=CancelToken())["problems"] == []
        assert engine.activity()["reason"] == "library_read_only"
        assert engine.status()["reason"] == "library_read_only"
        assert not engine.overdue()
        assert not engine.scans_wait()
    assert contents(read_only) == before


WRITES: dict[str, Callable[[Engine, World], Any]] = {
    "index": lambda engine, world: world.index(engine),
    "look ahead": lambda engine, world: engine.look_ahead([world.documents], None),
    "patterns": lambda engine, world: engine.patterns(world.documents, ["*.txt"]),
    "watch": lambda engine, _: engine.watch(on=True),
    "reindex": lambda engine, _: engine.reindex(None, None, report=ignore, token=CancelToken()),
    "roll back": lambda engine, _: engine.roll_back(),
    "discard": lambda engine, _: engine.discard(),
    "repair": lambda engine, _: engine.repair(report=ignore, token=CancelToken()),
    "remove": lambda engine, world: engine.remove([world.documents]),
    "retry": lambda engine, _: engine.retry([]),
    "unlock": lambda engine, world: engine.unlock(world.documents / "long.txt", "secret"),
    "speed": lambda engine, _: engine.pace(speed="slow"),
    "pause": lambda engine, _: engine.pace(paused=True),
}


def test_whatever_would_change_it_is_refused(read_only: World) -> None:
    before = contents(read_only)
    with read_only.engine() as engine:
        for name, write in WRITES.items():
            with pytest.raises(WorldError) as caught:
                write(engine, read_only)
            assert caught.value.code == "library_read_only", name
            assert str(read_only.library) in caught.value.message
        assert engine.activity()["speed"] == "normal"
        assert not engine.watch(on=None)["on"]
        assert found(engine, "report one")[0] == REPORT
    assert contents(read_only) == before


def test_what_a_killed_engine_left_is_read_too(
    written: World, mounter: Mounter, tmp_path: Path
) -> None:
    """The last commits are in SQLite's log, which nothing may bring into the catalog here."""
    (written.documents / "late.txt").write_text("The quokka came late to the meeting.")
    try:
        killing.kill_at(written, "document-begun:1")
    finally:
        (written.documents / "late.txt").unlink()
    log = written.library / f"{CATALOG_NAME}-wal"
    assert log.stat().st_size
    world = mounted(written, mounter, tmp_path / "mounted")
    before = contents(world)
    with world.engine() as engine:
        assert found(engine, "report one")[0] == REPORT
        assert "late.txt" in {row.file for row in engine.files(None, None, 0, 1000)}
    assert contents(world) == before


def test_writers_and_readers_keep_each_other_out(written: World, read_only: World) -> None:
    with written.engine():
        with pytest.raises(WorldError) as caught:
            Engine.open(read_only.config)
        assert caught.value.code == "library_locked"
    with read_only.engine():
        for world in (written, read_only):
            with pytest.raises(WorldError) as caught:
                Engine.open(world.config)
            assert caught.value.code == "library_locked"
    with written.engine() as engine:
        written.index(engine)


def test_an_engine_serves_it(read_only: World) -> None:
    with (
        contextlib.closing(open_host(read_only.config, Engine.open, lasting=True)),
        contextlib.closing(attached(read_only.library)) as client,
    ):
        assert client.status()["reason"] == "library_read_only"
        assert client.search("report one", full_text=True).hits[0].file == REPORT
        with pytest.raises(WorldError) as caught:
            client.remove([read_only.documents])
        assert caught.value.code == "library_read_only"
    assert EngineClient.attach(read_only.library) is None


def test_a_copy_of_a_served_one_is_a_library_of_its_own(read_only: World) -> None:
    before = contents(read_only)
    copy = read_only.library.with_name("copy")
    with contextlib.closing(open_host(read_only.config, Engine.open, lasting=True)):
        shutil.copytree(read_only.library, copy)
        assert EngineClient.attach(copy) is None
        with World(read_only.documents, copy, read_only.models).engine() as engine:
            engine.remove([read_only.documents])
            assert engine.status()["documents"] == 0
        with contextlib.closing(attached(read_only.library)) as client:
            assert client.status()["documents"]
            assert client.status()["library"] == str(read_only.library)
    assert contents(read_only) == before


def test_without_a_lock_file(written: World, mounter: Mounter, tmp_path: Path) -> None:
    (written.library / LOCK_NAME).unlink()
    world = mounted(written, mounter, tmp_path / "mounted")
    with world.engine() as engine:
        assert found(engine, "report one")[0] == REPORT


def test_an_older_one_says_what_helps(written: World, mounter: Mounter, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(written.library / CATALOG_NAME)) as connection:
        connection.execute("PRAGMA user_version = 1")
    world = mounted(written, mounter, tmp_path / "mounted")
    with pytest.raises(WorldError) as caught:
        Engine.open(world.config)
    assert caught.value.code == "library_older"


def test_damage_costs_nothing_more(written: World, mounter: Mounter, tmp_path: Path) -> None:
    """Nothing can be taken out of it, so what is damaged is said and stays."""
    for data in (written.library / "lance" / "passages.lance" / "data").iterdir():
        data.write_bytes(b"These are not passages. " * 100)
    world = mounted(written, mounter, tmp_path / "mounted")
    with world.engine() as engine:
        with pytest.raises(WorldError) as caught:
            search(engine, "report one")
        assert caught.value.code == "library_damaged"
        assert engine.status()["documents"]


def test_one_that_belongs_to_somebody_else(written: World) -> None:
    """Whom the modes of its files let read it, and nothing else."""
    prefix = rights.bound_by_permissions()
    for path in [written.library, *written.library.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    places = map(str, (written.documents, written.library, written.models))
    try:
        done = subprocess.run(
            [*prefix, sys.executable, "-c", _SEARCH, *places],
            cwd=killing.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for path in [written.library, *written.library.rglob("*")]:
            path.chmod(0o700)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith(f"{REPORT} library_read_only ")
    assert second == "library_read_only"


def test_a_disk_without_room_for_anything(written: World, tmp_path: Path) -> None:
    with rights.small_disk(tmp_path / "disk", 32 << 20) as disk:
        world = World(written.documents, disk / "library", written.models)
        shutil.copytree(written.library, world.library)
        ballast = rights.fill(disk)
        assert not os.statvfs(disk).f_bavail
        with world.engine() as engine:
            assert engine.status()["reason"] == "disk_full"
            assert found(engine, "report one")[0] == REPORT
            with pytest.raises(WorldError) as caught:
                world.index(engine)
            assert caught.value.code == "disk_full"
        ballast.unlink()
        with world.engine() as engine:
            assert not engine.status()["reason"]
            world.index(engine)
