"""The precision of a library: the fastest when it is made, its own from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import LecternError
from indexer.api.models import Reindex
from indexer.api.requests import Diagnose, GetStatus
from indexer.config import Precision
from indexer.engine import indexing
from tests.integration.world import World
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.config import EngineConfig
    from indexer.engine.engine import Engine


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "documents", tmp_path / "library", tmp_path / "models")
    install_tiny_model(world.models)
    world.documents.mkdir()
    (world.documents / "lamp.txt").write_text("The lamp was lit by the keeper every night.")
    return world


def fastest_is(precision: Precision, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processor be one on which a precision is the fastest."""
    monkeypatch.setattr(indexing, "fastest_precision", lambda _config: precision)


def of_library(engine: Engine) -> tuple[str, bool]:
    """The precision of the searched vectors, and whether another one is to come."""
    status = engine.call(GetStatus())
    return status.precision, status.changing is not None


def told(engine: Engine) -> str:
    return next(check.value for check in engine.call(Diagnose()) if check.name == "model")


def test_a_library_keeps_the_precision_that_was_fastest_where_it_was_made(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fastest_is(Precision.FP32, monkeypatch)
    with world.engine(precision=Precision.INT8, fastest_precision=True) as engine:
        assert world.index(engine).summary.passages == 1
        assert of_library(engine) == ("fp32", False)
    # Another computer, where it would be slower than 8 bits.
    fastest_is(Precision.INT8, monkeypatch)
    (world.documents / "more.txt").write_text("A second lamp stood by the door.")
    with world.engine(precision=Precision.INT8, fastest_precision=True) as engine:
        assert of_library(engine) == ("fp32", False)
        assert "fp32" in told(engine)
        assert not engine.change_waits()
        assert world.index(engine).summary.passages == 1, "only the new file is embedded"
        assert of_library(engine) == ("fp32", False)


def test_a_library_without_vectors_has_what_is_fastest_now(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world.documents / "lamp.txt").write_text("")
    fastest_is(Precision.INT8, monkeypatch)
    with world.engine(fastest_precision=True) as engine:
        world.index(engine)
        assert of_library(engine) == ("int8", False)
    fastest_is(Precision.FP32, monkeypatch)
    (world.documents / "lamp.txt").write_text("The lamp was lit by the keeper every night.")
    with world.engine(precision=Precision.INT8, fastest_precision=True) as engine:
        world.index(engine)
        assert of_library(engine) == ("fp32", False)


def test_precisions_are_compared_once_however_often_nothing_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def fastest(config: EngineConfig) -> Precision:
        compared.append(config.model)
        return Precision.INT8

    monkeypatch.setattr(indexing, "fastest_precision", fastest)
    (world.documents / "lamp.txt").write_text("")
    with world.engine(fastest_precision=True) as engine:
        world.index(engine)
        world.index(engine)
        assert len(compared) == len(set(compared)) == 1


def test_a_precision_that_a_person_chose_is_taken(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fastest_is(Precision.FP32, monkeypatch)
    with world.engine(precision=Precision.INT8, fastest_precision=True) as engine:
        world.index(engine)
        assert engine.call(Reindex(None, "int8")).passages == 1
        assert of_library(engine) == ("int8", False)
    with world.engine(precision=Precision.INT8, fastest_precision=True) as engine:
        assert world.index(engine).summary.passages == 0
        assert of_library(engine) == ("int8", False)
    with world.engine(precision=Precision.FP32) as engine:
        assert of_library(engine) == ("int8", True)


def test_a_library_opens_although_the_model_for_its_languages_is_not_here(world: World) -> None:
    with world.engine() as engine:
        world.index(engine)
    gone = world.engine(model="gone", languages_model="gone too", fastest_precision=True)
    with gone as engine, pytest.raises(LecternError, match="gone"):
        world.index(engine)
