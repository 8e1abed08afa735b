"""Watched documents are in the index as they are on disk, soon after they changed.

With a real file system, the source of events of this system, and a real engine.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import ListFiles, SetPatterns, Watch
from indexer.api.types import FileState
from tests.integration.watching import wait_for_states, watched, watching
from tests.integration.world import World, check_whole, found, indexed_texts, quoted, search, states
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.engine.engine import Engine


@pytest.fixture(scope="module")
def tree(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small tree: two folders, three texts."""
    texts = {
        "one.txt": "The zephyr clause stands here.",
        "a/two.txt": "A single xylophone plays.",
        "a/deep/three.txt": "Tides come and go.",
    }
    return indexed_texts(tmp_path_factory.mktemp("tree"), tiny_models_dir, texts)


@pytest.fixture
def world(tree: World, tmp_path: Path) -> World:
    return tree.move(tmp_path)


@pytest.fixture
def engine(engine: Engine) -> Iterator[Engine]:
    """The common one, watched."""
    with watching(engine):
        yield engine
    check_whole(engine)


START = {"one.txt": "indexed", "a/two.txt": "indexed", "a/deep/three.txt": "indexed"}


def _now(without: str = "", **more: str) -> dict[str, str]:
    """The tree as it was, but for a file or folder, and with more files."""
    kept = {
        k: v for k, v in START.items() if not without or (k != without and without + "/" not in k)
    }
    return kept | {name.replace("__", "/") + ".txt": state for name, state in more.items()}


def test_a_new_file_is_found(world: World, engine: Engine) -> None:
    (world.documents / "a" / "new.txt").write_text("A theremin hums.")
    wait_for_states(engine, _now(a__new="indexed"))
    assert quoted(engine, "theremin hums") == ["a/new.txt"]


def test_a_changed_file_is_read_again(world: World, engine: Engine) -> None:
    (world.documents / "one.txt").write_text("The mistral clause stands here.")
    wait_for(lambda: quoted(engine, "mistral clause") == ["one.txt"])
    assert quoted(engine, "zephyr clause") == []
    wait_for_states(engine, START)


def test_a_file_saved_by_renaming_is_read_again(world: World, engine: Engine) -> None:
    part = world.documents / "one.txt.part"
    part.write_text("The sirocco clause stands here.")
    part.rename(world.documents / "one.txt")
    wait_for(lambda: quoted(engine, "sirocco clause") == ["one.txt"])
    wait_for_states(engine, START)


def test_a_file_that_grows_is_read_when_it_is_whole(world: World, engine: Engine) -> None:
    path = world.documents / "grows.txt"
    with path.open("w") as file:
        for number in range(20):
            file.write(f"Line {number} of a growing text. ")
            file.flush()
            engine.watcher.wake()
        file.write("And here the bassoon ends.")
    wait_for_states(engine, _now(grows="indexed"))
    assert quoted(engine, "bassoon ends") == ["grows.txt"]


def _is_of(engine: Engine, moment: int) -> bool:
    times = [row.mtime_ns for row in engine.call(ListFiles()).files if row.file == "one.txt"]
    return times == [moment * 10**9]


def test_a_time_that_jumps_is_no_change_of_the_text(world: World, engine: Engine) -> None:
    for moment in (0, 4_000_000_000):
        os.utime(world.documents / "one.txt", (moment, moment))
        wait_for(partial(_is_of, engine, moment))
    wait_for_states(engine, START)
    assert quoted(engine, "zephyr clause") == ["one.txt"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("one.txt", "renamed.txt", "zephyr clause"),
        ("one.txt", "a/deep/moved.txt", "zephyr clause"),
        ("a/two.txt", "one.txt", "single xylophone"),
        ("a", "b", "single xylophone"),
        ("a/deep", "deep", "Tides come"),
    ],
)
def test_what_was_moved_is_found_at_its_new_place(
    world: World, engine: Engine, old: str, new: str, words: str
) -> None:
    docs = engine.catalog.docs.known().tolist()
    (world.documents / old).rename(world.documents / new)
    expected = {}
    for name, state in START.items():
        moved = new + name[len(old) :] if name == old or name.startswith(old + "/") else name
        expected[moved] = state
    wait_for_states(engine, expected)
    assert any(name.startswith(new) for name in quoted(engine, words))
    # The documents are the same ones: nothing was written anew.
    assert set(engine.catalog.docs.known().tolist()) <= set(docs)
    # And what happens there is noticed.
    changed = next(name for name in expected if name.startswith(new))
    (world.documents / changed).write_text("A contrabassoon at last.")
    wait_for(lambda: quoted(engine, "contrabassoon at last") == [changed])
    wait_for_states(engine, expected)


def test_a_new_name_is_found_at_once(world: World, engine: Engine) -> None:
    (world.documents / "one.txt").rename(world.documents / "winterreise.txt")
    wait_for(lambda: "winterreise.txt" in states(engine))
    assert found(engine, "winterreise")[:1] == ["winterreise.txt"]
    wait_for_states(engine, _now("one.txt", winterreise="indexed"))


def test_copies_share_a_document_and_show_all_places(world: World, engine: Engine) -> None:
    docs = engine.catalog.docs.known().tolist()
    shutil.copytree(world.documents / "a", world.documents / "b")
    wait_for_states(engine, _now(b__two="indexed", b__deep__three="indexed"))
    assert engine.catalog.docs.known().tolist() == docs
    hit = search(engine, '"single xylophone"')[0]
    places = {str(world.documents / name / "two.txt") for name in ("a", "b")}
    assert {hit.path, *hit.other_paths} == places
    (world.documents / "a" / "two.txt").unlink()
    wait_for(lambda: quoted(engine, "single xylophone") == ["b/two.txt"])
    wait_for_states(engine, _now("a/two.txt", b__two="indexed", b__deep__three="indexed"))


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs a right of its own there")
def test_links_are_told_and_what_they_lead_to_is_found_once(world: World, engine: Engine) -> None:
    os.link(world.documents / "one.txt", world.documents / "a" / "hard.txt")
    (world.documents / "soft.txt").symlink_to(world.documents / "one.txt")
    (world.documents / "loop").symlink_to(world.documents, target_is_directory=True)
    expected = _now(a__hard="indexed", soft="symlink") | {"loop": "symlink"}
    wait_for_states(engine, expected)
    hit = search(engine, '"zephyr clause"')[0]
    places = {str(world.documents / "one.txt"), str(world.documents / "a" / "hard.txt")}
    assert {hit.path, *hit.other_paths} == places


def test_what_is_deleted_leaves(world: World, engine: Engine) -> None:
    (world.documents / "one.txt").unlink()
    wait_for_states(engine, _now("one.txt"))
    assert quoted(engine, "zephyr clause") == []
    shutil.rmtree(world.documents / "a")
    wait_for_states(engine, {})


def test_what_is_deleted_and_made_again_is_found(world: World, engine: Engine) -> None:
    shutil.rmtree(world.documents / "a")
    (world.documents / "a").mkdir()
    (world.documents / "a" / "four.txt").write_text("An ocarina whistles.")
    wait_for_states(engine, _now("a", a__four="indexed"))
    (world.documents / "a" / "four.txt").unlink()
    (world.documents / "a" / "four.txt").write_text("An ocarina is silent.")
    wait_for(lambda: quoted(engine, "ocarina is silent") == ["a/four.txt"])
    wait_for_states(engine, _now("a", a__four="indexed"))


def test_new_folders_are_watched_with_all_that_is_in_them(world: World, engine: Engine) -> None:
    deep = world.documents / "x" / "y" / "z"
    deep.mkdir(parents=True)
    (deep / "five.txt").write_text("A dulcimer rings.")
    wait_for_states(engine, _now(x__y__z__five="indexed"))
    (deep / "six.txt").write_text("A dulcimer rests.")
    wait_for_states(engine, _now(x__y__z__five="indexed", x__y__z__six="indexed"))


def test_a_tree_that_comes_from_outside_and_goes_there(world: World, engine: Engine) -> None:
    outside = world.documents.with_name("outside")
    (outside / "in").mkdir(parents=True)
    (outside / "in" / "seven.txt").write_text("A sackbut slides.")
    outside.rename(world.documents / "came")
    wait_for_states(engine, _now(came__in__seven="indexed"))
    (world.documents / "came").rename(outside)
    wait_for_states(engine, START)
    # What happens out there is none of our business.
    (outside / "in" / "eight.txt").write_text("A sackbut outside.")
    (world.documents / "nine.txt").write_text("A sackbut inside.")
    wait_for_states(engine, _now(nine="indexed"))


def test_what_moves_between_roots_is_not_read_again(world: World, engine: Engine) -> None:
    other = world.documents.with_name("other")
    other.mkdir()
    world.index(engine, other)
    docs = engine.catalog.docs.known().tolist()
    wait_for(lambda: len(engine.call(Watch(None)).roots) == 2)
    (world.documents / "a").rename(other / "a")
    wait_for(lambda: search(engine, '"single xylophone"')[0].root == str(other))
    wait_for_states(engine, START)
    assert engine.catalog.docs.known().tolist() == docs


def test_patterns_hold_at_once(world: World, engine: Engine) -> None:
    ignore = world.documents / "a" / ".lecternignore"
    ignore.write_text("two.*\n")
    expected = START | {"a/two.txt": "excluded", "a/.lecternignore": "excluded"}
    wait_for_states(engine, expected)
    assert quoted(engine, "single xylophone") == []
    ignore.write_text("deep/\n")
    expected = _now("a/deep") | {"a/deep": "excluded", "a/.lecternignore": "excluded"}
    wait_for_states(engine, expected)
    ignore.unlink()
    wait_for_states(engine, START)
    engine.call(SetPatterns(world.documents, ("/a/",)))
    wait_for_states(engine, {"one.txt": "indexed", "a": "excluded"})
    # What is left out is not watched either.
    (world.documents / "a" / "late.txt").write_text("Nobody reads this.")
    engine.call(SetPatterns(world.documents, ()))
    wait_for_states(engine, _now(a__late="indexed"))


def test_a_single_file_is_watched_alone(world: World, engine: Engine) -> None:
    alone = world.documents.with_name("alone.txt")
    alone.write_text("A celesta sounds.")
    world.index(engine, alone)
    wait_for_states(engine, _now(alone="indexed"))
    alone.with_name("beside.txt").write_text("Not this one.")
    alone.write_text("A celesta is mute.")
    wait_for(lambda: quoted(engine, "celesta is mute") == ["alone.txt"])
    wait_for_states(engine, _now(alone="indexed"))
    alone.unlink()
    wait_for_states(engine, START)


def test_a_file_of_two_names_is_read_again_under_both(world: World) -> None:
    """The system tells of the name by which it was changed, and of no other."""
    one, other = world.documents / "one.txt", world.documents / "a" / "other.txt"
    other.hardlink_to(one)
    with watched(world) as engine:
        wait_for(lambda: states(engine).get("a/other.txt") == "indexed")
        with one.open("a") as file:
            file.write(" A walrus swims behind it.")

        def sizes() -> dict[str, int]:
            rows = engine.call(ListFiles(FileState.INDEXED)).files
            return {row.path: row.size for row in rows}

        wait_for(lambda: sizes().get(str(one)) == one.stat().st_size)
        wait_for(lambda: sizes().get(str(other)) == one.stat().st_size)
