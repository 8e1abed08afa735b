"""A library of an earlier layout is read again once; what the person chose for it is kept."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Verify
from indexer.catalog.catalog import Catalog
from indexer.catalog.choices import CHOICES_NAME
from indexer.catalog.schema import LAYOUT
from indexer.library.library import CATALOG_NAME, INDEX_NAME
from indexer.ocr.cache import PageCache
from indexer.store import texts, vectors
from indexer.store.texts import TEXTS_NAME
from tests.integration.killing import kill_at
from tests.integration.world import Seen, World, check_same, look

if TYPE_CHECKING:
    from pathlib import Path

PATTERNS = ("*.bak",)


def set_version(path: Path, version: int) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.fixture
def world(copied: World) -> World:
    with copied.engine() as engine:
        (root,) = engine.catalog.roots.all()
        engine.catalog.roots.set_patterns(root.id, PATTERNS)
        engine.catalog.set_collection("Kept", lambda _before: "in:somewhere")
    with contextlib.closing(PageCache(copied.library)) as pages:
        pages.add_pages("bytes", 10, [1, 2])
    set_version(copied.library / CATALOG_NAME, LAYOUT.version - 1)
    return copied


def opens_whole(world: World, undisturbed: Seen) -> None:
    with world.engine() as engine:
        assert engine.call(GetStatus()).rebuilding
        assert [root.patterns for root in engine.catalog.roots.all()] == [PATTERNS]
        assert engine.catalog.collections() == {"Kept": "in:somewhere"}
        assert engine.scanned_pages.cache.content_ids() == {"bytes"}
        read, *_ = world.index(engine).work
        assert read > 0
        assert engine.call(Verify()).problems == ()
        assert not engine.call(GetStatus()).rebuilding
        check_same(look(engine), undisturbed)
        assert world.index(engine).work == (0, 0, 0)


def test_it_is_read_again_and_keeps_what_the_person_chose(world: World, undisturbed: Seen) -> None:
    opens_whole(world, undisturbed)


def test_so_is_one_with_texts_of_an_earlier_layout(
    world: World, undisturbed: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_version(world.library / CATALOG_NAME, LAYOUT.version)
    monkeypatch.setattr(texts, "LAYOUT", replace(texts.LAYOUT, version=texts.LAYOUT.version + 1))
    opens_whole(world, undisturbed)


def test_so_is_one_with_vectors_of_an_earlier_layout(world: World, undisturbed: Seen) -> None:
    set_version(world.library / CATALOG_NAME, LAYOUT.version)
    (path,) = vectors.vector_files(world.library / INDEX_NAME)
    set_version(path, vectors.LAYOUT.version - 1)
    opens_whole(world, undisturbed)


@pytest.mark.parametrize("point", ["older-saved:1", "older-cleared:1", "tables-making=catalog:1"])
def test_killed_while_it_is_cleared(world: World, undisturbed: Seen, point: str) -> None:
    kill_at(world, point)
    opens_whole(world, undisturbed)


def test_one_that_can_only_be_read_is_refused_and_left_as_it_is(world: World) -> None:
    with pytest.raises(WorldError) as caught:
        Catalog(world.library / CATALOG_NAME, WorldError("library_read_only", library="l"))
    assert caught.value.code == "library_older"
    assert (world.library / TEXTS_NAME).exists()


@pytest.mark.parametrize("name", [CATALOG_NAME, TEXTS_NAME])
def test_a_later_one_is_refused_untouched(world: World, name: str) -> None:
    for path, layout in ((CATALOG_NAME, LAYOUT), (TEXTS_NAME, texts.LAYOUT)):
        set_version(world.library / path, layout.version + (path == name))
    before = {path: path.read_bytes() for path in world.library.glob("*.sqlite")}
    with pytest.raises(WorldError) as caught, world.engine():
        pass
    assert caught.value.code == "library_newer"
    assert caught.value.message
    assert {path: path.read_bytes() for path in world.library.glob("*.sqlite")} == before


def test_choices_outlive_a_catalog_that_is_gone(world: World) -> None:
    (world.library / CATALOG_NAME).unlink()
    with world.engine() as engine:
        assert [root.patterns for root in engine.catalog.roots.all()] == [PATTERNS]
        assert engine.catalog.collections() == {"Kept": "in:somewhere"}
    assert (world.library / CHOICES_NAME).exists()
