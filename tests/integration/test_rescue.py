"""A catalog or a table that cannot be opened: made anew from what can still be read of it."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.private_files import LibraryLock
from indexer.api.requests import Repair
from indexer.library.library import CATALOG_NAME
from indexer.library.rescue import KEPT_NAME, rescue
from tests.integration.world import Seen, World, check_same, found, look

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = 4096


@pytest.fixture
def world(copied: World) -> World:
    return copied


def pages_of(world: World, table: str) -> list[int]:
    """The leaves of a table's tree in the catalog, as far as SQLite tells."""
    with contextlib.closing(sqlite3.connect(world.library / CATALOG_NAME)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            rows = connection.execute(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,)
            ).fetchall()
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not tell where a table stands")
    return [row[0] for row in rows]


def rot(world: World, page: int) -> None:
    path = world.library / CATALOG_NAME
    content = bytearray(path.read_bytes())
    start = (page - 1) * PAGE
    content[start : start + PAGE] = random.Random(page).randbytes(PAGE)
    path.write_bytes(content)


def repair(world: World) -> None:
    """As the command does it."""
    rescue(world.library)
    with world.engine() as engine:
        assert engine.call(Repair()).left == ()
        world.index(engine)


@pytest.mark.parametrize(
    "table",
    ["files", "folders", "names", "contents", "docs", "doc_spaces", "file_words_data",
     "name_vectors", "meta", "roots", "spaces"],
)  # fmt: skip
def test_a_page_of_the_catalog_is_damaged(world: World, undisturbed: Seen, table: str) -> None:
    pages = pages_of(world, table)
    if not pages:
        pytest.skip("the table shares a page with its root")
    rot(world, pages[len(pages) // 2])
    assert rescue(world.library)
    assert (world.library / KEPT_NAME).exists()
    assert rescue(world.library) == []
    repair(world)
    with world.engine() as engine:
        check_same(look(engine), undisturbed)


def truncate(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // PAGE // 2 * PAGE])


def junk(path: Path) -> None:
    path.write_bytes(b"These are not the bytes of a catalog. " * 1000)


@pytest.mark.parametrize("damage", [truncate, junk])
def test_half_or_all_of_the_catalog_is_gone(
    world: World, undisturbed: Seen, damage: Callable[[Path], None]
) -> None:
    damage(world.library / CATALOG_NAME)
    repair(world)
    with world.engine() as engine:
        check_same(look(engine), undisturbed)


def test_folders_and_patterns_outlive_the_catalog(world: World) -> None:
    with world.engine() as engine:
        engine.catalog.roots.set_patterns(engine.catalog.roots.all()[0].id, ["*.bak"])
        before = [(root.path, root.patterns) for root in engine.catalog.roots.all()]
    junk(world.library / CATALOG_NAME)
    rescue(world.library)
    with world.engine() as engine:
        assert [(root.path, root.patterns) for root in engine.catalog.roots.all()] == before


@pytest.mark.parametrize("damage", [truncate, junk])
def test_a_file_of_vectors_cannot_be_opened(
    world: World, undisturbed: Seen, damage: Callable[[Path], None]
) -> None:
    (path,) = (world.library / "index").glob("vectors_*.sqlite")
    damage(path)
    with contextlib.suppress(WorldError), world.engine() as engine:
        look(engine)
    assert any(path.name in said for said in rescue(world.library))
    repair(world)
    with world.engine() as engine:
        check_same(look(engine), undisturbed)


def test_nothing_is_done_to_a_whole_library(world: World) -> None:
    before = {path: path.read_bytes() for path in world.library.rglob("*") if path.is_file()}
    assert rescue(world.library) == []
    after = {path: path.read_bytes() for path in world.library.rglob("*") if path.is_file()}
    assert {path.name for path in after.keys() ^ before.keys()} <= {
        f"{CATALOG_NAME}-wal",
        f"{CATALOG_NAME}-shm",
        "holder.json",
    }
    with world.engine() as engine:
        assert found(engine, "zephyr clause")[0] == "long.txt"


def test_a_library_in_use_is_left_alone(world: World) -> None:
    lock = LibraryLock.acquire(world.library)
    try:
        with pytest.raises(WorldError) as caught:
            rescue(world.library)
        assert caught.value.code == "library_locked"
    finally:
        lock.release()
