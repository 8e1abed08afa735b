"""A library that is moved, replaced or copied while the real engine has it open."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.models import Discard
from indexer.api.requests import GetStatus, Index, Remove
from indexer.library.library import CATALOG_NAME
from tests.integration.world import World, check_same, check_whole, look

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine
    from tests.integration.world import Seen


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    """The documents of the common library, and an empty one."""
    return World(indexed.documents, tmp_path / "library", indexed.models)


def moved(world: World) -> World:
    """Move the library away under whoever has it open."""
    place = world.library.with_name("moved")
    world.library.rename(place)
    return World(world.documents, place, world.models)


def refused(engine: Engine, world: World) -> None:
    """Nothing is written any more."""
    for write in (
        lambda: world.index(engine),
        lambda: engine.call(Remove((world.documents,))),
        lambda: engine.catalog.set_meta("written", "by path"),
        lambda: engine.call(Discard()),
    ):
        with pytest.raises(WorldError) as caught:
            write()
        assert caught.value.code == "library_moved"


def test_a_moved_library_is_written_to_at_its_new_place_only(
    engine: Engine, world: World, undisturbed: Seen
) -> None:
    there = moved(world)
    refused(engine, world)
    engine.close()
    assert not world.library.exists()
    with there.engine() as again:
        check_same(look(again), undisturbed)


@pytest.mark.parametrize(
    ("point", "times"),
    [("document-begun", 1), ("passages-committed", 2), ("batch-embedded", 3),
     ("vectors-committed", 1)],
)  # fmt: skip
def test_a_library_that_is_moved_in_the_middle_of_a_run_loses_nothing(
    world: World,
    undisturbed: Seen,
    monkeypatch: pytest.MonkeyPatch,
    point: str,
    times: int,
) -> None:
    places: list[World] = []
    left = times

    def move(name: str, _subject: str | bytes = b"") -> None:
        nonlocal left
        left -= name == point
        if left == 0 and not places:
            places.append(moved(world))

    with world.engine() as engine, monkeypatch.context() as patched:
        patched.setattr(faults, "reached", move)
        with pytest.raises(WorldError) as caught:
            engine.call(Index((world.documents,)))
    assert caught.value.code == "library_moved"
    (there,) = places
    with there.engine() as again:
        there.index(again)
        check_same(look(again), undisturbed)


def test_what_took_the_place_of_a_library_is_left_alone(
    engine: Engine, world: World, undisturbed: Seen
) -> None:
    backup = world.library.with_name("backup")
    shutil.copytree(world.library, backup)
    moved(world)
    backup.rename(world.library)
    with world.engine() as second:
        world.index(second)
        second.catalog.set_meta("second", "was here")
        log = world.library / f"{CATALOG_NAME}-wal"
        before = log.stat().st_ino, log.stat().st_size
        refused(engine, world)
        engine.close()
        assert (log.stat().st_ino, log.stat().st_size) == before
        check_same(look(second), undisturbed)
        assert second.catalog.meta("second") == "was here"


def test_a_copy_and_its_original_are_worked_on_side_by_side(
    engine: Engine, world: World, undisturbed: Seen
) -> None:
    copy = World(world.documents, world.library.with_name("copy"), world.models)
    shutil.copytree(world.library, copy.library)
    with copy.engine() as other:
        other.call(Remove((world.documents,)))
        assert other.call(GetStatus()).documents == 0
        check_whole(other)
    check_same(look(engine), undisturbed)
