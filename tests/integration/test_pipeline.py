"""Indexing again costs what changed and nothing else, counted by files, documents and passages."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Index, ListFiles, Remove
from tests.integration.world import (
    World,
    check_same,
    check_whole,
    found,
    look,
    quoted,
    search,
    states,
)

if TYPE_CHECKING:
    from indexer.engine.engine import Engine

# What a run may cost: (files read, documents written, passages embedded).
NOTHING = (0, 0, 0)


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    """A library to change, and a copy of the documents that takes the place of the originals."""
    return indexed.move(tmp_path)


def passages_of(engine: Engine, file: str) -> int:
    (row,) = [row for row in engine.call(ListFiles()).files if row.file == file]
    known = engine.catalog.files.at(row.path)
    assert known is not None
    doc = engine.catalog.files.doc_of(known[0])
    assert doc is not None
    return engine.store.texts.counts([doc])[doc]


def test_every_file_has_its_state_and_reason(engine: Engine) -> None:
    assert states(engine) == {
        "digits.txt": "indexed",
        "empty.txt": "empty",
        "junk.pdf": "unreadable",
        "long.txt": "indexed",
        "notes/book.md": "indexed",
        "notes/copy.txt": "indexed",
        "page.html": "indexed",
        "reports/one.pdf": "indexed",
        "reports/two.pdf": "indexed",
        "short.txt": "indexed",
        "table.xlsx": "unreadable",
    }
    check_whole(engine)


def test_nothing_is_read_twice(world: World, engine: Engine) -> None:
    assert world.index(engine).work == NOTHING
    # Nor when it is told to look at every root.
    assert engine.call(Index()).documents_added == 0


def test_told_to_rescan_it_hashes_everything_and_writes_nothing(
    world: World, engine: Engine
) -> None:
    summary = engine.call(Index(rescan=True))
    assert (summary.documents_added, summary.passages) == (0, 0)
    check_whole(engine)


def test_a_rescan_finds_what_size_and_time_hide(world: World, engine: Engine) -> None:
    path = world.documents / "short.txt"
    before = path.stat()
    path.write_text(path.read_text().replace("xylophone", "vibraphon"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert world.index(engine).work == NOTHING
    engine.call(Index(rescan=True))
    assert quoted(engine, "single vibraphon") == ["short.txt"]
    check_whole(engine)


def test_a_file_that_becomes_a_folder_and_back(world: World, engine: Engine) -> None:
    path = world.documents / "short.txt"
    path.unlink()
    path.mkdir()
    (path / "inner.txt").write_text("A theremin in a folder.")
    assert world.index(engine).work == (1, 1, 1)
    assert quoted(engine, "in a folder") == ["short.txt/inner.txt"]
    shutil.rmtree(path)
    path.write_text("A theremin in a file.")
    assert world.index(engine).work == (1, 1, 1)
    assert "short.txt/inner.txt" not in states(engine)
    assert quoted(engine, "in a file") == ["short.txt"]
    check_whole(engine)


def test_a_changed_file_is_read_again(world: World, engine: Engine) -> None:
    (world.documents / "short.txt").write_text("A single vibraphone stands in the yard.")
    assert world.index(engine).work == (1, 1, 1)
    assert quoted(engine, "single vibraphone") == ["short.txt"]
    # Its copy still has the old text.
    assert quoted(engine, "single xylophone") == ["notes/copy.txt"]
    check_whole(engine)


def test_what_a_changed_file_said_before_is_gone(world: World, engine: Engine) -> None:
    for name in ("short.txt", "notes/copy.txt"):
        (world.documents / name).write_text("Nothing here now.")
    assert world.index(engine).work == (2, 1, 1)
    assert quoted(engine, "single xylophone") == []
    assert engine.searcher.lexicon.df(["xylophone"]) == {"xylophone": 0}
    check_whole(engine)


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [
        ("long.txt", "renamed.txt", {"renamed.txt"}),
        ("long.txt", "notes/moved.txt", {"notes/moved.txt"}),
        ("reports", "papers", {"papers/one.pdf", "papers/two.pdf"}),
    ],
)
def test_a_new_name_or_place_costs_nothing(
    world: World, engine: Engine, old: str, new: str, files: set[str]
) -> None:
    (world.documents / old).rename(world.documents / new)
    assert world.index(engine).work == NOTHING
    assert files <= states(engine).keys()
    assert not any(file.startswith(old) for file in states(engine))
    if "long" in old:
        assert quoted(engine, "zephyr clause") == [new]
    check_whole(engine)


def test_a_new_name_is_found(world: World, engine: Engine) -> None:
    (world.documents / "long.txt").rename(world.documents / "winterreise.txt")
    world.index(engine)
    assert found(engine, "winterreise")[0] == "winterreise.txt"


def test_a_copy_shares_its_document(world: World, engine: Engine) -> None:
    shutil.copy(world.documents / "long.txt", world.documents / "reports" / "again.txt")
    assert world.index(engine).work == (1, 0, 0)
    (hit, *_) = search(engine, '"zephyr clause"')
    places = {hit.path, *hit.other_paths}
    assert places == {
        str(world.documents / "long.txt"),
        str(world.documents / "reports" / "again.txt"),
    }
    check_whole(engine)


def test_a_move_to_another_disk_embeds_nothing(world: World, engine: Engine) -> None:
    """Copied there and deleted here: another inode, the same bytes."""
    shutil.copy(world.documents / "long.txt", world.documents / "elsewhere.txt")
    (world.documents / "long.txt").unlink()
    assert world.index(engine).work == (1, 0, 0)
    assert quoted(engine, "zephyr clause") == ["elsewhere.txt"]
    check_whole(engine)


def test_a_deleted_file_leaves(world: World, engine: Engine) -> None:
    before = engine.call(GetStatus()).passages
    gone = passages_of(engine, "long.txt")
    (world.documents / "long.txt").unlink()
    assert world.index(engine).work == NOTHING
    assert "long.txt" not in states(engine)
    assert quoted(engine, "zephyr clause") == []
    assert engine.call(GetStatus()).passages == before - gone
    check_whole(engine)


def test_of_two_copies_one_may_go(world: World, engine: Engine) -> None:
    (world.documents / "short.txt").unlink()
    assert world.index(engine).work == NOTHING
    assert quoted(engine, "single xylophone") == ["notes/copy.txt"]
    check_whole(engine)


def test_a_root_out_of_reach_is_offline_and_comes_back(world: World, engine: Engine) -> None:
    before = look(engine)
    away = world.documents.with_name("unplugged")
    world.documents.rename(away)
    summary = engine.call(Index())
    assert set(summary.states) == {"offline"}
    assert engine.call(GetStatus()).roots[0].offline
    assert engine.call(GetStatus()).documents == len(before.shared)
    # What it holds is still found, and told to be away.
    (hit, *_) = search(engine, '"zephyr clause"')
    assert (hit.file, hit.state) == ("long.txt", "offline")

    away.rename(world.documents)
    assert world.index(engine).work == NOTHING
    check_same(look(engine), before)


def test_other_bytes_of_the_same_text_embed_nothing(world: World, engine: Engine) -> None:
    import pymupdf

    path = world.documents / "reports" / "one.pdf"
    with pymupdf.open(path) as document:
        document.set_metadata({**document.metadata, "producer": "Another program"})
        changed = document.tobytes()
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    # Its passages are those of its own bytes; their vectors are those of the texts before.
    assert world.index(engine).work == (1, 1, 0)
    assert states(engine)["reports/one.pdf"] == "indexed"
    check_whole(engine)


def test_only_what_is_named_is_looked_at(world: World, engine: Engine) -> None:
    other = world.documents.with_name("other")
    other.mkdir()
    (other / "new.txt").write_text("A theremin hums next door.")
    (world.documents / "late.txt").write_text("Written meanwhile.")
    assert world.index(engine, other).work == (1, 1, 1)
    assert "late.txt" not in states(engine)
    single = world.documents.with_name("alone.txt")
    single.write_text("One file can be a root.")
    assert world.index(engine, single).work == (1, 1, 1)
    assert found(engine, "theremin")[0] == "new.txt"
    check_whole_but_queue(engine)


def check_whole_but_queue(engine: Engine) -> None:
    assert engine.store.verify() == []
    assert engine.call(GetStatus()).embedded_share == 1.0


def test_what_is_removed_leaves_and_can_come_back(world: World, engine: Engine) -> None:
    before = look(engine)
    assert engine.call(Remove((world.documents,))) == len(before.files)
    assert states(engine) == {}
    assert search(engine, "zephyr") == ()
    check_whole(engine)
    world.index(engine)
    check_same(look(engine), before)


def test_nothing_is_removed_for_a_path_that_is_no_root(world: World, engine: Engine) -> None:
    with pytest.raises(WorldError) as caught:
        engine.call(Remove((world.documents, world.documents.with_name("elsewhere"))))
    assert caught.value.code == "not_a_root"
    assert quoted(engine, "zephyr clause") == ["long.txt"]


def test_the_library_is_for_its_owner_only(world: World) -> None:
    for folder, _, names in os.walk(world.library):
        for path in [Path(folder), *(Path(folder, name) for name in names)]:
            if path.parent == world.library:
                assert path.stat().st_mode & 0o077 == 0, path
