"""A library of the version before: migrated when it is opened, nothing read or embedded again."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from lancedb.index import BTree

from indexer.api.errors import WorldError
from indexer.api.requests import Repair, Verify
from indexer.catalog import migrations
from indexer.catalog.migration_steps import MIGRATIONS, RENAMED_COLUMNS
from indexer.library.library import CATALOG_NAME, LANCE_NAME
from indexer.library.rescue import rescue
from indexer.ocr.cache import PageCache
from indexer.store import quantise, runtime, schema
from tests.integration.killing import kill_at
from tests.integration.test_rescue import pages_of, rot
from tests.integration.world import Seen, World, check_same, look

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

BEFORE = 6
LEXICON = re.findall(r"CREATE TABLE lexicon_.*? STRICT.*?;", MIGRATIONS[0], re.DOTALL)


def make_older(library: Path) -> None:
    """Take a library back to the names of version 6."""
    with contextlib.closing(sqlite3.connect(library / CATALOG_NAME)) as connection:
        for table, old, now in RENAMED_COLUMNS:
            connection.execute(f"ALTER TABLE {table} RENAME COLUMN {now} TO {old}")
        connection.executescript("".join(LEXICON))
        connection.execute("DROP TABLE packed_words")
        connection.executescript(
            "CREATE TRIGGER docs_dead AFTER DELETE ON docs WHEN old.passages_state = 'done' BEGIN"
            "    DELETE FROM lexicon_pending WHERE doc = old.doc;"
            "    INSERT OR IGNORE INTO lexicon_dead VALUES (old.doc);"
            "END;"
            "UPDATE doc_spaces SET state = 'part' WHERE state = 'partial';"
            "INSERT INTO meta (key, value) VALUES ('terms', '5');"
            "PRAGMA user_version = 6; PRAGMA wal_checkpoint(TRUNCATE)"
        )
    pack_in_6_bits(library / LANCE_NAME)
    with contextlib.closing(PageCache(library)) as pages:
        pages.add_pages("bytes", 10, [1, 2])


def pack_in_6_bits(lance: Path) -> None:
    """Take the tables of vectors back to version 1."""
    database = runtime.connect(lance, 1, 1 << 25)
    for name in filter(schema.is_vectors_table, database.list_tables().tables):
        rows = database.open_table(name).to_arrow()
        halves = rows.column("vector").combine_chunks().flatten().to_numpy()
        pooled = halves.astype(np.float32).reshape(len(rows), -1)
        packed = rows.column("sentence_codes").to_pylist()
        vectors, offsets = quantise.unpack_passages(packed, pooled)
        codes = in_6_bits(vectors)
        older = [codes[start:end].tobytes() for start, end in pairwise(offsets.tolist())]
        at = rows.schema.get_field_index("sentence_codes")
        rows = rows.set_column(at, rows.schema.field(at), pa.array(older, pa.binary()))
        rows = rows.replace_schema_metadata({b"lectern:schema": b"1"})
        database.create_table(name, data=rows, mode="overwrite").create_index("doc", config=BTree())


def in_6_bits(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Scaled so that the largest component is 31; three bytes hold four, in quarters."""
    top = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    codes = (np.rint(vectors * 31 / np.where(top > 0, top, 1)) + 32).astype(np.uint8)
    quarters = codes.reshape(len(vectors), 4, -1)
    high = quarters[:, 3, None] >> np.array([0, 2, 4], np.uint8)[:, None]
    return (quarters[:, :3] | high << 6).astype(np.uint8)


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
        check_same(look(engine), undisturbed, cosine=0.99)
        space = engine.catalog.spaces.active()
        assert space is not None
        assert not engine.catalog.checksums.without_vectors(space.id)


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
        "vectors-converting:1",
        "vectors-converted:1",
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
        check_same(look(engine), undisturbed, cosine=0.99)
