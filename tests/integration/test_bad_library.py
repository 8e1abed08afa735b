"""A library that cannot be written, read or had: a clear outcome, and nothing in it is lost."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Remove
from indexer.engine.engine import Engine
from indexer.library import library as libraries
from indexer.library.library import CATALOG_NAME
from tests.integration import killing, rights
from tests.integration.world import Seen, World, check_same, found, look, search, states

if TYPE_CHECKING:
    from pathlib import Path

DISK_BYTES = 32 << 20


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    return replace(indexed, library=tmp_path / "library")


@pytest.mark.parametrize("room", [0, 100_000, 1_000_000])
def test_a_full_disk(world: World, undisturbed: Seen, tmp_path: Path, room: int) -> None:
    """Whatever is written when the disk is full, it costs nothing that was written before."""
    with rights.small_disk(tmp_path / "disk", DISK_BYTES) as disk:
        squeezed = World(world.documents, disk / "library", world.models)
        reports = world.documents / "reports"
        with squeezed.engine() as engine:
            squeezed.index(engine, reports)
            ballast = rights.fill(disk)
            os.truncate(ballast, ballast.stat().st_size - room)
            with pytest.raises(WorldError) as caught:
                squeezed.index(engine)
            assert caught.value.code == "disk_full"
            assert str(disk) in caught.value.message
            assert found(engine, "report one")[0] == "one.pdf"
        # Nor does a full disk keep anyone from opening the library and searching it.
        with squeezed.engine() as engine:
            assert found(engine, "report one")[0] == "one.pdf"
            assert engine.call(GetStatus()).documents >= 2
            ballast.unlink()
            squeezed.index(engine)
            engine.call(Remove((reports,)))
            squeezed.index(engine)
            check_same(look(engine), undisturbed)


def test_a_library_of_a_newer_version(world: World) -> None:
    with world.engine():
        pass
    with sqlite3.connect(world.library / CATALOG_NAME) as connection:
        connection.execute("PRAGMA user_version = 1000")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = {path: path.read_bytes() for path in world.library.rglob("*") if path.is_file()}
    with pytest.raises(WorldError) as caught:
        Engine.open(world.config)
    assert caught.value.code == "library_newer"
    after = {path: path.read_bytes() for path in world.library.rglob("*") if path.is_file()}
    assert after == before


def test_a_library_that_another_process_holds(world: World) -> None:
    with killing.stopped_at(world, "document-begun:1") as process:
        with pytest.raises(WorldError) as caught:
            Engine.open(world.config)
        assert caught.value.code == "library_locked"
        assert str(process.pid) in caught.value.message
        process.send_signal(signal.SIGCONT)
        killing.finish(process)
    with world.engine() as engine:
        assert states(engine)["long.txt"] == "indexed"
        assert world.index(engine).work == (0, 0, 0)


def test_a_library_where_nothing_may_be_written(world: World) -> None:
    prefix = rights.bound_by_permissions()
    world.library.parent.joinpath("closed").mkdir(mode=0o500)
    closed = World(world.documents, world.library.parent / "closed" / "library", world.models)
    with killing.start(closed, prefix=prefix) as process:
        assert "library_unwritable" in killing.finish(process, status=1)


@pytest.mark.parametrize("lost", ["index", "index/words", "texts", "vectors", "catalog"])
def test_what_a_library_has_lost_is_made_anew(copied: World, undisturbed: Seen, lost: str) -> None:
    world = copied
    if lost == "vectors":
        for file in (world.library / "index").glob("vectors_*.sqlite*"):
            file.unlink()
    elif lost in {"catalog", "texts"}:
        for file in world.library.glob(f"{lost}*"):
            file.unlink()
    else:
        shutil.rmtree(world.library / lost)
    with world.engine() as engine:
        # Until then, what is there is found as far as it can be.
        search(engine, "zephyr")
        world.index(engine)
        check_same(look(engine), undisturbed)


def test_vectors_that_are_damaged_as_a_whole(copied: World) -> None:
    world = copied
    for file in (world.library / "index").glob("vectors_*.sqlite"):
        file.write_bytes(b"These are not vectors. " * 1000)
    with pytest.raises(WorldError) as caught:
        Engine.open(world.config)
    assert caught.value.code == "library_damaged"
    assert str(world.library) in caught.value.message


def test_a_catalog_that_is_damaged(world: World) -> None:
    with world.engine() as engine:
        world.index(engine)
    catalog = world.library / CATALOG_NAME
    catalog.write_bytes(b"These are not the bytes of a catalog. " * 1000)
    with pytest.raises(WorldError) as caught:
        Engine.open(world.config)
    assert caught.value.code == "library_damaged"
    # The lock is free again, and the way out that the message names works.
    assert libraries.remove_everything(world.library) > 0
    with world.engine() as engine:
        world.index(engine)
        look(engine)
