"""Bytes that rot: what is damaged is found and made anew, and the rest answers meanwhile."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from indexer.api.answers import RepairOutcome
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Index, ListFiles, Repair, Verify
from indexer.library.rescue import rescue
from indexer.pipeline.parts import BatchSizes
from indexer.store import vectors as vectors_module
from indexer.store.texts import TEXTS_NAME
from indexer.store.values import key_of
from tests.integration.world import Seen, World, check_same, found, kinds, look, search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.engine.engine import Engine

FLIPS = 40
SCATTERED = BatchSizes(passages=4, vectors=8, unit=8, ann_from=10**6)


@pytest.fixture(scope="module")
def scattered(indexed: World, tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(indexed.documents, tmp_path_factory.mktemp("scattered") / "l", indexed.models)
    with world.engine(batches=SCATTERED) as engine:
        world.index(engine)
    return world


@pytest.fixture
def world(scattered: World, tmp_path: Path) -> World:
    return scattered.copy(tmp_path / "library")


def truncate(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def rot(path: Path) -> None:
    """One byte in sixteen is another."""
    chance = random.Random(1)
    content = bytearray(path.read_bytes())
    for at in range(0, len(content), 16):
        content[at] = chance.randrange(256)
    path.write_bytes(content)


def lose(path: Path) -> None:
    path.unlink()


def vectors_file(world: World) -> Path:
    (found,) = vectors_module.vector_files(world.library / "index")
    return found


@pytest.mark.parametrize("damage", [truncate, empty, rot, lose])
def test_a_damaged_file_of_vectors(
    world: World, undisturbed: Seen, damage: Callable[[Path], None]
) -> None:
    damage(vectors_file(world))
    rescue(world.library)
    with world.engine(batches=SCATTERED) as engine:
        assert search(engine, "single xylophone")  # by words
        engine.call(Repair())
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def rows_of(path: Path) -> list[Any]:
    try:
        with contextlib.closing(sqlite3.connect(path)) as other:
            pooled = other.execute("SELECT * FROM pooled ORDER BY key").fetchall()
            return [*pooled, *other.execute("SELECT * FROM sentences ORDER BY key")]
    except sqlite3.Error:
        return []


def test_bytes_that_changed_and_can_be_read_are_found(
    scattered: World, undisturbed: Seen, tmp_path: Path
) -> None:
    chance = random.Random("vectors")
    altered = None
    for number in range(FLIPS):
        world = scattered.copy(tmp_path / str(number))
        victim = vectors_file(world)
        content, rows = bytearray(victim.read_bytes()), rows_of(victim)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        victim.write_bytes(content)
        if rows_of(victim) == rows:
            continue
        try:
            with world.engine(batches=SCATTERED) as engine:
                found = kinds(engine)
        except WorldError:
            assert rescue(world.library)
            continue
        assert found
        if found == {"altered"}:
            altered = world
    assert altered is not None, "nothing was only altered"
    with altered.engine(batches=SCATTERED) as engine:
        assert engine.call(Repair()).left == ()
        assert world.index(engine).summary.passages <= 1  # only what was altered is embedded again
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


@pytest.mark.parametrize("damage", [truncate, empty, rot, lose])
def test_a_damaged_file_of_texts(
    world: World, undisturbed: Seen, damage: Callable[[Path], None]
) -> None:
    damage(world.library / TEXTS_NAME)
    rescue(world.library)
    with world.engine(batches=SCATTERED) as engine:
        engine.call(Repair())
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def damage_row(world: World, doc: int, ordinal: int) -> None:
    with contextlib.closing(sqlite3.connect(world.library / TEXTS_NAME)) as other, other:
        blank = "UPDATE passages SET view = zeroblob(length(view)) WHERE key = ?"
        assert other.execute(blank, (key_of(doc, ordinal),)).rowcount == 1


def test_a_damaged_passage_costs_reading_its_document_again(
    world: World, undisturbed: Seen
) -> None:
    with world.engine(batches=SCATTERED) as engine:
        doc = doc_of(engine, "long.txt")
        damage_row(world, doc, 1)
        assert search(engine, "single xylophone zephyr tides")
        assert kinds(engine) == {"damaged_texts"}
        repaired = engine.call(Repair())
        assert ({problem.kind for problem in repaired.problems}, repaired.left) == (
            {"damaged_texts"},
            (),
        )
        assert found(engine, "zephyr clause")[0] == "long.txt"  # by what is left, until then
        outcome = world.index(engine)
        assert outcome.work[0] == 1
        assert outcome.summary.passages <= 1  # the others keep their vectors
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def test_one_that_was_met_by_a_query_is_read_again_at_the_next_opening(
    world: World, undisturbed: Seen
) -> None:
    with world.engine(batches=SCATTERED) as engine:
        doc = doc_of(engine, "long.txt")
        damage_row(world, doc, 0)
        assert (
            len([*engine.store.texts.iter_passages([doc])]) < engine.store.texts.counts([doc])[doc]
        )
    with world.engine(batches=SCATTERED) as engine:
        assert world.index(engine).work[0] == 1
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def test_a_document_whose_drive_is_away_keeps_the_rest_of_its_text(
    indexed: World, undisturbed: Seen, tmp_path: Path
) -> None:
    world = indexed.move(tmp_path / "mine")
    away = world.documents.with_name("away")
    world.documents.rename(away)
    with world.engine() as engine:
        doc = doc_of(engine, "long.txt")
        damage_row(world, doc, 1)
        engine.call(Repair())
        engine.call(Index())
        kept = [one.ordinal for one in engine.store.texts.iter_passages([doc])]
        assert kept == [at for at in range(engine.store.texts.counts([doc])[doc]) if at != 1]
    away.rename(world.documents)
    with world.engine() as engine:
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def test_damage_that_comes_while_the_engine_is_open(world: World, undisturbed: Seen) -> None:
    with world.engine(batches=SCATTERED) as engine:
        assert found(engine, "tides")
        with contextlib.closing(sqlite3.connect(vectors_file(world))) as other, other:
            other.execute("UPDATE pooled SET crc = crc + 1 WHERE key % 3 = 0")
        damage_row(world, doc_of(engine, "long.txt"), 1)
        for _ in range(2):
            assert search(engine, "single xylophone zephyr tides")
        # The next run makes anew what was lost, without being told.
        engine.call(Repair())
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


@pytest.mark.parametrize("damage", [truncate, empty, rot, lose])
def test_a_damaged_index(
    indexed: World, undisturbed: Seen, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    world = indexed.copy(tmp_path / "library")
    with world.engine() as engine:
        (vectors,) = engine.store.vectors.values()
        assert vectors.index is not None
        for path in vectors.index.folder.rglob("*.idx"):
            damage(path)
        assert kinds(engine) == {"broken_index"}
        assert engine.call(Repair()).left == ()
        world.index(engine)
        assert vectors.index is not None
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def test_a_whole_library_has_no_problem(world: World) -> None:
    with world.engine(batches=SCATTERED) as engine:
        verified = engine.call(Verify())
        assert verified.problems == ()
        status = engine.call(GetStatus())
        assert verified.documents == status.documents
        assert verified.passages == status.passages
        assert verified.bytes > 0
        assert engine.call(Repair()) == RepairOutcome((), (), 0)


def doc_of(engine: Engine, name: str) -> int:
    for row in engine.call(ListFiles()).files:
        if row.file == name:
            known = engine.catalog.files.at(row.path)
            assert known is not None
            doc = engine.catalog.files.doc_of(known[0])
            assert doc is not None
            return doc
    raise AssertionError(name)


def too_long(engine: Engine) -> None:
    from tests.store_rows import vectors

    space = engine.catalog.spaces.active()
    assert space is not None
    doc = doc_of(engine, "long.txt")
    rows = vectors(doc, [0])
    rows.vectors[:] *= 3
    engine.store.add_vectors(space.key, rows)


def without_passage(engine: Engine) -> None:
    from tests.store_rows import vectors

    space = engine.catalog.spaces.active()
    assert space is not None
    engine.store.add_vectors(space.key, vectors(doc_of(engine, "long.txt"), [9999]))


def unknown_document(engine: Engine) -> None:
    from tests.store_rows import rows

    engine.store.add_passages(rows(4711, ["Nobody knows this."]), [4711])


def unknown_model(engine: Engine) -> None:
    from tests.store_rows import vectors

    engine.store.add_vectors("another/model", vectors(doc_of(engine, "long.txt"), [0]))


def other_text(engine: Engine) -> None:
    with engine.catalog.db.write() as connection:
        doc = doc_of(engine, "long.txt")
        connection.execute("UPDATE docs SET text_id = 'another' WHERE doc = ?", (doc,))


def gap(engine: Engine) -> None:
    doc = doc_of(engine, "long.txt")
    with engine.store.texts._db.write() as connection:
        connection.execute("DELETE FROM passages WHERE key = ?", (key_of(doc, 2),))


def no_contents(engine: Engine) -> None:
    with engine.catalog.db.write() as connection:
        connection.execute("DELETE FROM contents WHERE doc = ?", (doc_of(engine, "long.txt"),))


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        (too_long, "senseless_rows"),
        (without_passage, "without_passage"),
        (unknown_document, "orphans"),
        (unknown_model, "unknown_space"),
        (other_text, "wrong_text"),
        (gap, "damaged_texts"),
        (no_contents, "files_without_contents"),
    ],
)
def test_what_is_wrong_is_told_and_put_right(
    world: World, undisturbed: Seen, harm: Callable[[Engine], None], kind: str
) -> None:
    with world.engine(batches=SCATTERED) as engine:
        harm(engine)
        assert kind in kinds(engine)
        assert engine.call(Repair()).problems
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


def user_version(path: Path, version: int) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {version}")


def test_vectors_of_an_earlier_layout_are_made_anew(
    world: World, undisturbed: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = replace(vectors_module.LAYOUT, version=vectors_module.LAYOUT.version + 1)
    monkeypatch.setattr(vectors_module, "LAYOUT", later)
    with world.engine(batches=SCATTERED) as engine:
        assert engine.call(GetStatus()).rebuilding
        world.index(engine)
        assert not engine.call(GetStatus()).rebuilding
        check_same(look(engine), undisturbed)


def test_vectors_of_a_later_version_are_left_alone(world: World) -> None:
    user_version(vectors_file(world), 99)
    with pytest.raises(WorldError) as caught, world.engine(batches=SCATTERED):
        pass
    assert caught.value.code == "library_newer"
    assert caught.value.detail["found"] == 99
