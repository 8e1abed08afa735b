"""A file that ends the engine: found out among the innocent, set aside, and given another chance.

The engine is a process of its own that is killed while it has the file in hand, as a fault of a
library would end it.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.catalog import Catalog
from indexer.crashes import KEY, at_work, ended_badly
from indexer.extract.base import Limits
from indexer.types import FileState
from tests.integration.killing import finish, kill_at, start
from tests.integration.world import World, found, kinds, states
from tests.unit.extract.pdfs import endless_page

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
POISON = "poison.txt"
# It is read after some files and before others.
SIZES = {"a.txt": 100, "b.txt": 200, POISON: 70_000, "y.txt": 200_000, "z.txt": 300_000}


@pytest.fixture
def world(tiny_models_dir: Path, tmp_path: Path) -> World:
    world = World(tmp_path / "documents", tmp_path / "library", tiny_models_dir)
    world.documents.mkdir()
    for name, size in SIZES.items():
        word = name.partition(".")[0]
        (world.documents / name).write_text(f"The zephyr of {word}.\n\n" + "Calm. " * (size // 6))
    return world


@posix
def test_a_file_that_ends_the_engine_twice_is_set_aside(world: World) -> None:
    kill_at(world, f"document-begun={POISON}:1")
    with Catalog(world.library / "catalog.sqlite") as catalog:
        blamed = catalog.db.value("SELECT count(*) FROM files WHERE in_flight = 2")
        assert blamed >= 1
    kill_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        # The second time it was alone: nobody else is to blame.
        others = [name for name in SIZES if name != POISON]
        assert states(engine)[POISON] == "crashed_engine"
        assert "crashed_engine" not in {states(engine)[name] for name in others}
        assert engine.total(FileState.FAILED, None) == 1
        assert engine.status()["set_aside"] == 1
        assert engine.activity()["set_aside"] == 1
        world.index(engine)
        assert sorted(found(engine, "zephyr")) == sorted(others)
        assert engine.retry([]) == 1
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")
        assert engine.activity()["set_aside"] == 0


@posix
def test_one_bad_end_is_forgiven_once_the_file_is_read(world: World) -> None:
    kill_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")
        assert engine.catalog.db.value("SELECT max(crashes) FROM files") == 0


@posix
def test_a_document_that_ends_the_engine_in_the_model_twice_is_set_aside(world: World) -> None:
    text = (world.documents / POISON).read_text() + "\n\nThe zephyr that ends it."
    (world.documents / POISON).write_text(text)
    (world.documents / "copy.txt").write_text(text)
    others = list(SIZES.keys() - {POISON})
    for _ in range(2):
        with start(world, "passage-embedding=that ends it.:1:SIGABRT") as process:
            finish(process, -signal.SIGABRT)
    with world.engine() as engine:
        assert states(engine)[POISON] == "crashed_engine"
        world.index(engine)
        set_aside = dict.fromkeys([POISON, "copy.txt"], "crashed_engine")
        assert states(engine) == {**dict.fromkeys(others, "indexed"), **set_aside}
        assert engine.total(FileState.FAILED, None) == 2
        assert engine.activity()["set_aside"] == 2
        assert found(engine, '"zephyr that ends it"')  # by its words
        assert world.index(engine).work == (0, 0, 0)
        assert kinds(engine) == set()
        assert engine.retry([world.documents / POISON])
        world.index(engine)
        assert set(states(engine).values()) == {"indexed"}
        assert engine.activity()["set_aside"] == 0


@posix
def test_a_document_that_ends_the_engine_when_it_is_written_twice_is_set_aside(
    world: World,
) -> None:
    (world.documents / POISON).rename(world.documents.parent / POISON)
    with world.engine() as engine:
        world.index(engine)
    (world.documents.parent / POISON).rename(world.documents / POISON)
    for _ in range(2):
        kill_at(world, "profiles-committed:1")
    with world.engine() as engine:
        world.index(engine)
        assert states(engine)[POISON] == "crashed_engine"
        assert engine.total(FileState.INDEXED, None) == len(SIZES) - 1


@posix
def test_one_bad_end_in_the_model_is_forgiven(world: World) -> None:
    kill_at(world, "batch-embedded:2")
    with world.engine() as engine:
        assert engine.catalog.db.value("SELECT max(crashes) FROM doc_spaces") == 1
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")
        assert engine.catalog.db.value("SELECT max(crashes) FROM doc_spaces") == 0


def test_a_file_that_hangs_its_reader_is_left_alone_with_the_reason(world: World) -> None:
    (world.documents / "endless.pdf").write_bytes(endless_page(pages=1, endless=1))
    with world.engine(limits=Limits(silence_s=4.0)) as engine:
        world.index(engine)
        assert states(engine) == {**dict.fromkeys(SIZES, "indexed"), "endless.pdf": "unreadable"}
        (row,) = engine.files("unreadable", None, 0, 1)
        assert "stops_reader" in row.detail
        # Neither by itself nor at the next look.
        assert world.index(engine).read == 0
        assert engine.retry([]) == 1


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "catalog.sqlite")


def test_an_end_in_the_middle_is_noticed_once(catalog: Catalog) -> None:
    with catalog:
        assert not ended_badly(catalog)
        with at_work(catalog):
            pass
        assert not ended_badly(catalog)
        with at_work(catalog):
            assert ended_badly(catalog)
            assert not ended_badly(catalog)


@pytest.mark.parametrize("boot", ["another start", 1.0e9])
def test_a_machine_that_went_down_blames_nobody(catalog: Catalog, boot: object) -> None:
    with catalog:
        catalog.set_meta(KEY, json.dumps({"boot": boot}))
        assert not ended_badly(catalog)


def test_a_mark_that_cannot_be_read_counts(catalog: Catalog) -> None:
    with catalog:
        catalog.set_meta(KEY, "{")
        assert ended_badly(catalog)
