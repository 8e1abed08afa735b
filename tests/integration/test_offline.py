"""A root that is out of reach loses nothing and comes back by itself, wherever its volume is."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import Index, Watch
from tests.integration.watching import wait_for_states, watched
from tests.integration.world import World, check_whole, quoted, search, states
from tests.mounting import Mounter, make_image
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine

INDEXED = {"one.txt": "indexed", "a/two.txt": "indexed"}
OFFLINE = dict.fromkeys(INDEXED, "offline")


def _fill(folder: Path) -> None:
    (folder / "a").mkdir(parents=True)
    (folder / "one.txt").write_text("The zephyr clause stands here.")
    (folder / "a" / "two.txt").write_text("A single xylophone plays.")


def _scan(engine: Engine) -> None:
    engine.call(Index())


def _how(engine: Engine) -> list[str]:
    return [root.how for root in engine.call(Watch(None)).roots]


def test_a_root_that_was_renamed_is_offline_until_it_is_back(world: World) -> None:
    _fill(world.documents)
    with watched(world) as engine:
        away = world.documents.with_name("away")
        world.documents.rename(away)
        wait_for_states(engine, OFFLINE)
        assert _how(engine) == ["offline"]
        # It is found still, and said to be away.
        assert search(engine, '"zephyr clause"')[0].state == "offline"
        (away / "new.txt").write_text("Written meanwhile.")
        away.rename(world.documents)
        wait_for_states(engine, INDEXED | {"new.txt": "indexed"})
        assert _how(engine) == ["events"]
        (world.documents / "newer.txt").write_text("Written afterwards.")
        wait_for_states(engine, INDEXED | {"new.txt": "indexed", "newer.txt": "indexed"})


def test_a_copy_within_reach_is_shown_before_one_that_is_away(world: World) -> None:
    """As after a restore on another machine: the library's first folder is not there."""
    _fill(world.documents)
    restored = world.documents.with_name("restored")
    with world.engine() as engine:
        world.index(engine)
        shutil.copytree(world.documents, restored)
        shutil.rmtree(world.documents)
        _scan(engine)
        assert world.index(engine, restored).work[1:] == (0, 0)
        (hit,) = search(engine, '"zephyr clause"', 1)
        assert (hit.path, hit.state) == (str(restored / "one.txt"), "indexed")
        assert hit.other_paths == (str(world.documents / "one.txt"),)


def test_an_empty_mount_point_takes_nothing_away(world: World, mounter: Mounter) -> None:
    """Not even where the volume is the same: a folder mounted at another place."""
    inner = world.documents.with_name("inner")
    _fill(inner)
    mounter.bind(inner, world.documents)
    with watched(world) as engine:
        docs = engine.catalog.docs.known().tolist()
        mounter.unmount(world.documents)
        assert list(world.documents.iterdir()) == []
        wait_for_states(engine, OFFLINE)
        _scan(engine)
        assert states(engine) == OFFLINE
        mounter.bind(inner, world.documents)
        wait_for_states(engine, INDEXED)
        assert engine.catalog.docs.known().tolist() == docs
        (inner / "new.txt").write_text("Written to what is mounted.")
        wait_for_states(engine, INDEXED | {"new.txt": "indexed"})
        check_whole(engine)


def test_a_volume_is_followed_to_another_mount_point(
    world: World, mounter: Mounter, tmp_path: Path
) -> None:
    image, elsewhere = tmp_path / "image", tmp_path / "elsewhere"
    elsewhere.mkdir()
    make_image(image)
    mounter.image(image, world.documents)
    _fill(world.documents / "mine")
    mine = World(world.documents / "mine", world.library, world.models)
    with watched(mine) as engine:
        if not engine.catalog.roots.all()[0].volume:
            pytest.skip("this kernel does not tell volumes apart")
        docs = engine.catalog.docs.known().tolist()
        mounter.unmount(world.documents)
        wait_for_states(engine, OFFLINE)
        mounter.image(image, elsewhere)
        wait_for_states(engine, INDEXED)
        assert search(engine, '"zephyr clause"')[0].root == str(elsewhere / "mine")
        assert engine.catalog.docs.known().tolist() == docs
        (elsewhere / "mine" / "new.txt").write_text("A theremin hums.")
        wait_for(lambda: quoted(engine, "theremin hums") == ["new.txt"])
        wait_for_states(engine, INDEXED | {"new.txt": "indexed"})


def test_another_volume_at_the_same_place_takes_nothing_away(
    world: World, mounter: Mounter, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    for image in (mine, other):
        make_image(image)
    mounter.image(mine, world.documents)
    shutil.rmtree(world.documents / "lost+found")
    _fill(world.documents)
    with world.engine() as engine:
        world.index(engine)
        if not engine.catalog.roots.all()[0].volume:
            pytest.skip("this kernel does not tell volumes apart")
        expected = states(engine)
        mounter.unmount(world.documents)
        mounter.image(other, world.documents)
        (world.documents / "strange.txt").write_text("On another stick.")
        _scan(engine)
        assert set(states(engine).values()) == {"offline"}
        mounter.unmount(world.documents)
        mounter.image(mine, world.documents)
        _scan(engine)
        assert states(engine) == expected
        check_whole(engine)


def test_a_folder_that_was_made_anew_is_the_root_again(world: World) -> None:
    """Restored from a copy, or filled with other files by the person."""
    _fill(world.documents)
    with world.engine() as engine:
        world.index(engine)
        copy = world.documents.with_name("copy")
        shutil.copytree(world.documents, copy)
        shutil.rmtree(world.documents)
        _scan(engine)
        assert states(engine) == OFFLINE
        copy.rename(world.documents)
        (world.documents / "one.txt").unlink()
        _scan(engine)
        assert states(engine) == {"a/two.txt": "indexed"}
        world.documents.rename(copy)
        world.documents.mkdir()
        _scan(engine)
        assert states(engine) == {"a/two.txt": "offline"}
        (world.documents / "other.txt").write_text("Something else altogether.")
        _scan(engine)
        assert states(engine) == {"other.txt": "indexed"}
        check_whole(engine)
