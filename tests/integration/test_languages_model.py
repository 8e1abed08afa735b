"""The model follows the languages of the library, where the person has chosen none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import GetStatus, Reindex
from indexer.embed.record_files import write_record
from tests.integration.world import World
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine

MANY = "tiny-many"
ENGLISH = "The harbour was full of boats, and nobody knew who had sent them there in the night. "
GERMAN = "Der Hafen war voller Boote, und niemand wusste, wer sie in der Nacht geschickt hatte. "


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    install_tiny_model(folder)
    write_record(replace(install_tiny_model(folder, name=MANY), languages=("de", "en")), folder)
    return folder


@pytest.fixture
def world(models: Path, tmp_path: Path) -> World:
    world = World(tmp_path / "documents", tmp_path / "library", models)
    world.documents.mkdir()
    for number in range(4):
        (world.documents / f"english {number}.txt").write_text(f"{number}. " + ENGLISH * 8)
    return world


def model(engine: Engine) -> str:
    """The model that answers, which must have read everything."""
    status = engine.call(GetStatus())
    assert status.embedded_share == 1.0
    return status.model


def test_a_library_in_the_language_of_the_model_stays_with_it(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        assert model(engine) == TINY
        assert engine.call(GetStatus()).changing is None


def test_one_in_other_languages_changes_over_when_they_are_seen(world: World) -> None:
    (world.documents / "deutsch.txt").write_text(GERMAN * 8)
    with world.engine(languages_model=MANY) as engine:
        read, *_ = world.index(engine).work
        assert read == 5
        assert model(engine) == MANY
    # It stays so, though what was in the other language is gone.
    (world.documents / "deutsch.txt").unlink()
    with world.engine(languages_model=MANY) as engine:
        assert world.index(engine).work == (0, 0, 0)
        assert model(engine) == MANY


def test_an_engine_that_serves_changes_when_nobody_waits(world: World) -> None:
    (world.documents / "deutsch.txt").write_text(GERMAN * 8)
    with world.engine(languages_model=MANY, background=True) as engine:
        world.index(engine)
        assert model(engine) == TINY
        assert engine.change_waits()
        changing = engine.call(GetStatus()).changing
        assert changing is not None
        assert changing.model == MANY


def test_a_model_that_was_chosen_stays(world: World) -> None:
    (world.documents / "deutsch.txt").write_text(GERMAN * 8)
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        engine.call(Reindex(TINY, None))
        assert model(engine) == TINY
        world.index(engine)
        assert model(engine) == TINY
        assert not engine.change_waits()
