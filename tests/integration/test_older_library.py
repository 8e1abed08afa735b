"""A library of the version before: migrated when it is opened, nothing read or embedded again."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.requests import Repair, Verify
from indexer.catalog import migrations
from indexer.catalog.migration_steps import MIGRATIONS, RENAMED_COLUMNS
from indexer.library.library import CATALOG_NAME
from indexer.library.rescue import rescue
from indexer.ocr.cache import PageCache
from tests.integration.killing import kill_at
from tests.integration.test_rescue import pages_of, rot
from tests.integration.world import Seen, World, check_same, look

if TYPE_CHECKING:
    from pathlib import Path


BEFORE = 6
LEXICON = re.findall(r"CREATE TABLE lexicon_.*? STRICT.*?;", MIGRATIONS[0], re.DOTALL)


def make_older(library: Path) -> None:
    """Take a library back to the names of version 6."""
    with contextlib.closing(sqlite3.connect(library / CATALOG_NAME)) as connection:
        for table, old, now in RENAMED_COLUMNS:
            connection.execute(f"ALTER TABLE {table} RENAME COLUMN {now} TO {old}")
        connection.executescript("".join(LEXICON))
        connection.executescript("DROP TABLE name_words; DROP TABLE title_words;")
        connection.executescript(
            "CREATE TRIGGER docs_dead AFTER DELETE ON docs WHEN old.passages_state = 'done' BEGIN"
            "    DELETE FROM lexicon_pending WHERE doc = old.doc;"
            "    INSERT OR IGNORE INTO lexicon_dead VALUES (old.doc);"
            "END;"
            "UPDATE doc_spaces SET state = 'part' WHERE state = 'partial';"
            "INSERT INTO meta (key, value) VALUES ('terms', '5');"
            "PRAGMA user_version = 6; PRAGMA wal_checkpoint(TRUNCATE)"
        )
    with contextlib.closing(PageCache(library)) as pages:
        pages.add_pages("bytes", 10, [1, 2])


def shape(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The columns of all tables, and the names of triggers and indices."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT type, name FROM sqlite_master ORDER BY 1, 2").fetchall()
        return {name: list(connection.execute(f"PRAGMA table_info({name})")) for _, name in names}


@pytest.fixture
def world(copied: World) -> World:
    make_older(copied.library)
    return copied


def opens_whole(world: World, undisturbed: Seen) -> None:
    with world.engine() as engine:
        assert engine.scanned_pages.cache.content_ids() == {"bytes"}
        assert engine.call(Verify()).problems == ()
        assert world.index(engine).work == (0, 0, 0)
        check_same(look(engine), undisturbed)


def test_the_older_library_is_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "VERSION", BEFORE)
    monkeypatch.setattr(migrations, "MIGRATIONS", MIGRATIONS[:BEFORE])
    with contextlib.closing(sqlite3.connect(tmp_path / "new", isolation_level=None)) as connection:
        migrations.migrate(connection, tmp_path / "new")
    assert shape(world.library / CATALOG_NAME) == shape(tmp_path / "new")


def test_nothing_is_read_or_embedded_again(world: World, undisturbed: Seen) -> None:
    opens_whole(world, undisturbed)


@pytest.mark.parametrize(
    "point",
    [
        "catalog-migrating:1",
        "catalog-migrated:1",
    ],
)
def test_killed_while_it_is_migrated(world: World, undisturbed: Seen, point: str) -> None:
    kill_at(world, point)
    opens_whole(world, undisturbed)


def test_the_older_program_refuses_it_then(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with world.engine():
        pass
    monkeypatch.setattr(migrations, "VERSION", BEFORE)
    with pytest.raises(WorldError) as caught, world.engine():
        pass
    assert caught.value.code == "library_newer"
    assert caught.value.message


@pytest.mark.parametrize("table", ["files", "docs", "roots"])
def test_a_damaged_one_is_rescued(world: World, undisturbed: Seen, table: str) -> None:
    pages = pages_of(world, table) or pages_of(world, "files")
    rot(world, pages[len(pages) // 2])
    assert rescue(world.library)
    with world.engine() as engine:
        assert engine.call(Repair()).left == ()
        world.index(engine)
        check_same(look(engine), undisturbed)
