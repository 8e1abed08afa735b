"""Bytes that rot: what is damaged is found and made anew, and the rest answers meanwhile."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.answers import RepairOutcome
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Index, ListFiles, Repair, Verify
from indexer.library.rescue import rescue
from indexer.pipeline.parts import BatchSizes
from indexer.store import indices, schema
from indexer.store.metadata_copies import MetadataCopies
from indexer.store.texts import TEXTS_NAME
from indexer.store.values import key_of
from tests.integration import upkeep
from tests.integration.world import Seen, World, check_same, found, kinds, look, search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.engine.engine import Engine

FLIPS = 40
SCATTERED = BatchSizes(passages=4, vectors=8, unit=8, thresholds=upkeep.SCATTERED)


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


def data_files(world: World, table: str) -> list[Path]:
    """The files of a table's rows, the largest first."""
    files = [*(world.library / "lance").glob(f"{table}*.lance/data/*.lance")]
    return sorted(files, key=lambda path: -path.stat().st_size)


def rows_of(data_file: Path) -> list[dict[str, Any]]:
    """All rows of the table that a file belongs to."""
    import lancedb

    folder = data_file.parent.parent
    table = lancedb.connect(folder.parent).open_table(folder.stem)
    rows: list[dict[str, Any]] = table.to_arrow().to_pylist()
    return sorted(rows, key=lambda row: int(row["key"]))


@pytest.mark.parametrize("damage", [truncate, empty, rot, lose])
@pytest.mark.parametrize("table", ["vectors"])
def test_a_damaged_file_of_the_store(
    world: World, undisturbed: Seen, table: str, damage: Callable[[Path], None]
) -> None:
    victim, *others = data_files(world, table)
    damage(victim)
    with world.engine(batches=SCATTERED) as engine:
        # The rest answers, by words and by meaning.
        if others:
            assert search(engine, "single xylophone")
        engine.call(Repair())
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


@pytest.mark.parametrize("table", ["vectors"])
def test_bytes_that_changed_and_can_be_read_are_found(
    scattered: World, undisturbed: Seen, tmp_path: Path, table: str
) -> None:
    chance = random.Random(table)
    for number in range(FLIPS):
        world = scattered.copy(tmp_path / str(number))
        victim, *_ = data_files(world, table)
        content, rows = bytearray(victim.read_bytes()), rows_of(victim)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        victim.write_bytes(content)
        with world.engine(batches=SCATTERED) as engine:
            found = kinds(engine)
            taken_out = sum(one.lost for one in engine.store.tables.by_name().values())
            assert found or taken_out or rows_of(victim) == rows
            if found == {"altered"}:
                break
    else:
        raise AssertionError("nothing was only altered")
    with world.engine(batches=SCATTERED) as engine:
        assert engine.call(Repair()).left == ()
        summary = world.index(engine).summary
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)
        if table != "vectors":  # only what was altered is embedded again
            assert summary.passages <= 1


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
        assert len([*engine.store.iter_passages([doc])]) < engine.store.passage_counts([doc])[doc]
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
        kept = [one.ordinal for one in engine.store.iter_passages([doc])]
        assert kept == [at for at in range(engine.store.passage_counts([doc])[doc]) if at != 1]
    away.rename(world.documents)
    with world.engine() as engine:
        world.index(engine)
        assert kinds(engine) == set()
        check_same(look(engine), undisturbed)


@pytest.mark.parametrize("damage", [truncate, rot])
def test_damage_that_comes_while_the_engine_is_open(
    world: World, undisturbed: Seen, damage: Callable[[Path], None]
) -> None:
    with world.engine(batches=SCATTERED) as engine:
        before = found(engine, "tides")
        assert before
        damage(data_files(world, "vectors")[0])
        damage_row(world, doc_of(engine, "long.txt"), 1)
        for _ in range(2):
            assert search(engine, "single xylophone zephyr tides")
        # The next run makes anew what was lost, without being told.
        engine.call(Repair())
        world.index(engine)
        check_same(look(engine), undisturbed)


@pytest.mark.parametrize("damage", [truncate, empty, rot, lose])
def test_a_damaged_index(world: World, undisturbed: Seen, damage: Callable[[Path], None]) -> None:
    with world.engine(batches=SCATTERED) as engine:
        (table,) = engine.store.tables.by_name().values()
        config = indices.vector_index()
        table.commit(lambda: table.inner.create_index("vector", config=config))
    for path in (world.library / "lance").glob("vectors_*/_indices/*/*"):
        damage(path)
    with world.engine(batches=SCATTERED) as engine:
        assert kinds(engine) <= {"broken_index", "deadly_files"}
        repaired = engine.call(Repair())
        assert repaired.left == ()
        world.index(engine)
        check_same(look(engine), undisturbed)


def test_an_altered_derived_file_is_found_and_made_anew(world: World, undisturbed: Seen) -> None:
    (path,) = (world.library / "lance").glob("vectors_*.lance/_pooled/*.bin")
    content = bytearray(path.read_bytes())
    content[24 + content[8] * 16] ^= 1  # the first vector of the first block, of few rows
    path.write_bytes(content)
    with world.engine(batches=SCATTERED) as engine:
        repaired = engine.call(Repair())
        assert {problem.kind for problem in repaired.problems} == {"altered_derived"}
        assert repaired.left == ()
        assert not path.exists()
        world.index(engine)
        assert any(path.parent.glob("pooled-*.bin"))
        check_same(look(engine), undisturbed)


def test_counts_that_would_end_the_engine_are_found_and_cost_nothing(
    world: World, undisturbed: Seen
) -> None:
    with world.engine(batches=SCATTERED) as engine:
        for table in (world.library / "lance").glob("*.lance"):
            for path in MetadataCopies(table, writable=False).footed_files():
                content = bytearray(path.read_bytes())
                content[-13] ^= 0x80  # Lance would ask for 34 GB
                path.write_bytes(content)
        repaired = engine.call(Repair())
        assert {problem.kind for problem in repaired.problems} == {"deadly_files"}
        assert (repaired.left, kinds(engine)) == ((), set())
        assert world.index(engine).summary.passages == 0
        check_same(look(engine), undisturbed)


def test_a_column_that_is_said_to_lie_elsewhere_costs_nothing(
    world: World, undisturbed: Seen
) -> None:
    """Each row can be read, but a whole column makes Lance panic; also while the engine is open."""
    with world.engine(batches=SCATTERED) as engine:
        victim, *_ = data_files(world, "vectors")
        content = bytearray(victim.read_bytes())
        content[-27] ^= 0x10
        victim.write_bytes(content)
        engine.store.tables.empty_caches()
        assert kinds(engine) == {"deadly_files"}
        assert victim.read_bytes() != bytes(content)
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
    table = engine.store.tables.by_name()[schema.vectors_table(space.key)]
    table.inner.delete(f"key = {key_of(doc, 0)}")
    table.forget_rows()
    engine.store.add_vectors(space.key, rows)


def twice(engine: Engine) -> None:
    from tests.store_rows import vectors

    space = engine.catalog.spaces.active()
    assert space is not None
    engine.store.add_vectors(space.key, vectors(doc_of(engine, "long.txt"), [1]))


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
    with engine.catalog.write() as connection:
        doc = doc_of(engine, "long.txt")
        connection.execute("UPDATE docs SET text_id = 'another' WHERE doc = ?", (doc,))


def gap(engine: Engine) -> None:
    doc = doc_of(engine, "long.txt")
    with engine.store.texts._db.write() as connection:
        connection.execute("DELETE FROM passages WHERE key = ?", (key_of(doc, 2),))


def no_contents(engine: Engine) -> None:
    with engine.catalog.write() as connection:
        connection.execute("DELETE FROM contents WHERE doc = ?", (doc_of(engine, "long.txt"),))


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        (too_long, "senseless_rows"),
        (twice, "twice"),
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


def test_a_table_of_an_earlier_layout_is_made_anew(
    world: World,
    undisturbed: Seen,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schema, "VECTORS_VERSION", schema.VECTORS_VERSION + 1)
    with world.engine(batches=SCATTERED) as engine:
        assert "made anew" in caplog.text
        assert engine.call(GetStatus()).rebuilding
        assert found(engine, "long") == ["long.txt"]  # by its name, until it is read again
        world.index(engine)
        assert not engine.call(GetStatus()).rebuilding
        check_same(look(engine), undisturbed)


def test_a_table_of_a_later_version_is_left_alone(world: World) -> None:
    import lancedb

    later = schema.vectors_schema(32).with_metadata({"lectern:schema": "99"})
    lance = lancedb.connect(str(world.library / "lance"))
    lance.create_table("vectors_later", schema=later)
    with pytest.raises(WorldError) as caught, world.engine(batches=SCATTERED):
        pass
    assert caught.value.code == "library_newer"
    assert caught.value.detail["found"] == 99
