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
from indexer.api.endpoint import EngineClient
from indexer.api.errors import WorldError
from indexer.api.models import Discard, Reindex, RollBack
from indexer.api.private_files import LOCK_NAME
from indexer.api.requests import (
    Compare,
    Explain,
    GetActivity,
    GetStatus,
    ListFiles,
    Remove,
    Repair,
    Retry,
    Search,
    SetPace,
    SetPatterns,
    Unlock,
    Verify,
    Watch,
)
from indexer.api.status import Speed
from indexer.engine.engine import Engine
from indexer.library.library import CATALOG_NAME
from tests.integration import killing, rights
from tests.integration.speaking import attached
from tests.integration.world import QUERIES, Seen, World, found, search, states

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.mounting import Mounter

REPORT = "reports/one.pdf"
_SEARCH = """
import sys
from pathlib import Path
from tests.integration.world import World, found, states
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus
world = World(*map(Path, sys.argv[1:4]))
with world.engine() as engine:
    reason = engine.call(GetStatus()).reason
    print(found(engine, "report one")[0], reason, len(states(engine)))
    try:
        world.index(engine)
    except WorldError as error:
        print(error.code)
"""


@pytest.fixture
def read_only(copied: World, mounter: Mounter, tmp_path: Path) -> World:
    """The same on a mount that can only be read."""
    return mounted(copied, mounter, tmp_path / "mounted")


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
        assert engine.call(Compare("one.pdf", "long.txt", 3)).first.statements
        hit = engine.call(Search("report one", 1)).hits[0]
        assert engine.call(Explain("report one", Path(hit.path), hit.start))
        assert engine.call(Verify()).problems == ()
        assert engine.call(GetActivity()).reason == "library_read_only"
        assert engine.call(GetStatus()).reason == "library_read_only"
        assert not engine.overdue()
        assert not engine.has_pages_to_recognise()
    assert contents(read_only) == before


WRITES: dict[str, Callable[[Engine, World], Any]] = {
    "index": lambda engine, world: world.index(engine),
    "look ahead": lambda engine, world: engine.look_ahead([world.documents], None),
    "patterns": lambda engine, world: engine.call(SetPatterns(world.documents, ("*.txt",))),
    "watch": lambda engine, _: engine.call(Watch(on=True)),
    "reindex": lambda engine, _: engine.call(Reindex(None, None)),
    "roll back": lambda engine, _: engine.call(RollBack()),
    "discard": lambda engine, _: engine.call(Discard()),
    "repair": lambda engine, _: engine.call(Repair()),
    "remove": lambda engine, world: engine.call(Remove((world.documents,))),
    "retry": lambda engine, _: engine.call(Retry()),
    "unlock": lambda engine, world: engine.call(Unlock(world.documents / "long.txt", "secret")),
    "speed": lambda engine, _: engine.call(SetPace(Speed.SLOW)),
    "pause": lambda engine, _: engine.call(SetPace(paused=True)),
}


def test_whatever_would_change_it_is_refused(read_only: World) -> None:
    before = contents(read_only)
    with read_only.engine() as engine:
        for name, write in WRITES.items():
            with pytest.raises(WorldError) as caught:
                write(engine, read_only)
            assert caught.value.code == "library_read_only", name
            assert str(read_only.library) in caught.value.message
        assert engine.call(GetActivity()).speed == "normal"
        assert not engine.call(Watch(None)).on
        assert found(engine, "report one")[0] == REPORT
    assert contents(read_only) == before


def test_what_a_killed_engine_left_is_read_too(
    copied: World, mounter: Mounter, tmp_path: Path
) -> None:
    """The last commits are in SQLite's log, which nothing may bring into the catalog here."""
    (copied.documents / "late.txt").write_text("The quokka came late to the meeting.")
    try:
        killing.kill_at(copied, "document-begun:1")
    finally:
        (copied.documents / "late.txt").unlink()
    log = copied.library / f"{CATALOG_NAME}-wal"
    assert log.stat().st_size
    world = mounted(copied, mounter, tmp_path / "mounted")
    before = contents(world)
    with world.engine() as engine:
        assert found(engine, "report one")[0] == REPORT
        assert "late.txt" in {row.file for row in engine.call(ListFiles()).files}
    assert contents(world) == before


def test_writers_and_readers_keep_each_other_out(copied: World, read_only: World) -> None:
    with copied.engine():
        with pytest.raises(WorldError) as caught:
            Engine.open(read_only.config)
        assert caught.value.code == "library_locked"
    with read_only.engine():
        for world in (copied, read_only):
            with pytest.raises(WorldError) as caught:
                Engine.open(world.config)
            assert caught.value.code == "library_locked"
    with copied.engine() as engine:
        copied.index(engine)


def test_an_engine_serves_it(read_only: World) -> None:
    with (
        contextlib.closing(open_host(read_only.config, Engine.open, lasting=True)),
        contextlib.closing(attached(read_only.library)) as client,
    ):
        assert client.call(GetStatus()).reason == "library_read_only"
        assert client.call(Search("report one")).hits[0].file == REPORT
        with pytest.raises(WorldError) as caught:
            client.call(Remove((read_only.documents,)))
        assert caught.value.code == "library_read_only"
    assert EngineClient.attach(read_only.library) is None


def test_a_copy_of_a_served_one_is_a_library_of_its_own(read_only: World) -> None:
    before = contents(read_only)
    copy = read_only.library.with_name("copy")
    with contextlib.closing(open_host(read_only.config, Engine.open, lasting=True)):
        shutil.copytree(read_only.library, copy)
        assert EngineClient.attach(copy) is None
        with World(read_only.documents, copy, read_only.models).engine() as engine:
            engine.call(Remove((read_only.documents,)))
            assert engine.call(GetStatus()).documents == 0
        with contextlib.closing(attached(read_only.library)) as client:
            assert client.call(GetStatus()).documents
            assert client.call(GetStatus()).library == str(read_only.library)
    assert contents(read_only) == before


def test_without_a_lock_file(copied: World, mounter: Mounter, tmp_path: Path) -> None:
    (copied.library / LOCK_NAME).unlink()
    world = mounted(copied, mounter, tmp_path / "mounted")
    with world.engine() as engine:
        assert found(engine, "report one")[0] == REPORT


def test_an_older_one_says_what_helps(copied: World, mounter: Mounter, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(copied.library / CATALOG_NAME)) as connection:
        connection.execute("PRAGMA user_version = 1")
    world = mounted(copied, mounter, tmp_path / "mounted")
    with pytest.raises(WorldError) as caught:
        Engine.open(world.config)
    assert caught.value.code == "library_older"


def test_damage_costs_nothing_more(copied: World, mounter: Mounter, tmp_path: Path) -> None:
    """Nothing can be taken out of it, so what is damaged stays, and the rest answers."""
    (path,) = (copied.library / "index").glob("vectors_*.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE pooled SET crc = crc + 1 WHERE key % 2 = 0")
        other.execute("UPDATE sentences SET crc = crc + 1 WHERE key % 3 = 0")
    world = mounted(copied, mounter, tmp_path / "mounted")
    with world.engine() as engine:
        assert found(engine, "report one")[0] == REPORT
        assert engine.call(GetStatus()).documents


def test_one_that_belongs_to_somebody_else(copied: World) -> None:
    """Whom the modes of its files let read it, and nothing else."""
    prefix = rights.bound_by_permissions()
    for path in [copied.library, *copied.library.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    places = map(str, (copied.documents, copied.library, copied.models))
    try:
        done = subprocess.run(
            [*prefix, sys.executable, "-c", _SEARCH, *places],
            cwd=killing.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for path in [copied.library, *copied.library.rglob("*")]:
            path.chmod(0o700)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith(f"{REPORT} library_read_only ")
    assert second == "library_read_only"


def test_a_disk_without_room_for_anything(copied: World, tmp_path: Path) -> None:
    with rights.small_disk(tmp_path / "disk", 32 << 20) as disk:
        world = copied.copy(disk / "library")
        ballast = rights.fill(disk)
        assert not os.statvfs(disk).f_bavail
        with world.engine() as engine:
            assert engine.call(GetStatus()).reason == "disk_full"
            assert found(engine, "report one")[0] == REPORT
            with pytest.raises(WorldError) as caught:
                world.index(engine)
            assert caught.value.code == "disk_full"
        ballast.unlink()
        with world.engine() as engine:
            assert not engine.call(GetStatus()).reason
            world.index(engine)
