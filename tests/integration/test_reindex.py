"""Another model or extractor: the old answers until the new is complete, and can come back."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.api.models import Discard, EstimateReindex, Reindex, RollBack
from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.requests import GetActivity, GetStatus, Search
from indexer.api.status import ModelChoice
from indexer.store.vectors import vectors_name
from tests.integration import killing
from tests.integration.world import World, check_same, found, look, quoted, states
from tests.tiny_model import TINY, install_tiny_model
from tests.two_encoders import install_two_encoders

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine
    from tests.integration.world import Seen

OTHER = "tiny-too"


@pytest.fixture(scope="module")
def models(indexed: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny model and another one, both compiled; to be copied."""
    models = tmp_path_factory.mktemp("reindexed") / "models"
    shutil.copytree(indexed.models, models)
    install_tiny_model(models, name=OTHER)
    return models


@pytest.fixture
def world(indexed: World, models: Path, tmp_path: Path) -> World:
    """The corpus as it was indexed, and a second model."""
    world = World(indexed.documents, tmp_path / "library", tmp_path / "models")
    shutil.copytree(indexed.library, world.library)
    shutil.copytree(models, world.models)
    return world


@pytest.fixture(scope="module")
def with_other(indexed: World, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """A library that the other model made from the start."""
    folder = tmp_path_factory.mktemp("other")
    world = World(indexed.documents, folder / "library", folder / "models")
    install_tiny_model(world.models, name=OTHER)
    with world.engine(model=OTHER) as engine:
        world.index(engine)
        return look(engine)


def run(engine: Engine, model: str | None = None, token: CancelToken | None = None) -> int:
    """Reindex; gives how many passages were embedded."""
    token = token or CancelToken()
    return engine.call(Reindex(model, None), token=token).passages


def model_of(engine: Engine) -> str:
    return str(engine.call(GetStatus()).model)


def tables(world: World) -> int:
    return len(list((world.library / "index").glob("vectors_*.sqlite")))


def test_another_model_takes_over_when_it_is_complete(
    world: World, with_other: Seen, undisturbed: Seen
) -> None:
    token = CancelToken()
    with world.engine() as engine:
        passages = engine.call(GetStatus()).passages

        def stop_in_the_middle(progress: Progress) -> None:
            # Meanwhile the old model answers, about everything.
            assert model_of(engine) == TINY
            assert engine.call(GetStatus()).embedded_share == 1.0
            if progress.passages:
                token.cancel()

        engine.call(Reindex(OTHER, None), report=stop_in_the_middle, token=token)
        check_same(look_at_active(engine), undisturbed)
        changing = engine.call(GetStatus()).changing
        assert changing is not None
        assert changing.model == OTHER
        assert engine.call(GetActivity()).changing == changing
        assert 0 < changing.embedded_share <= 1  # all of it, where the machine is quick
    with world.engine(model=OTHER) as engine:
        assert model_of(engine) == TINY
        assert found(engine, "zephyr clause")[0] == "long.txt"
        assert run(engine) < passages  # it goes on where it was
        assert model_of(engine) == OTHER
        assert engine.call(GetStatus()).changing is None
        assert engine.call(GetActivity()).changing is None
        assert engine.call(GetStatus()).previous == ModelChoice(TINY, "fp32")
        check_same(look(engine), with_other)
        assert run(engine) == 0


def look_at_active(engine: Engine) -> Seen:
    """As ``look``, though another space is half-written."""
    target = engine.models.space(engine.catalog)
    active = engine.catalog.spaces.active()
    assert active is not None
    assert target.id != active.id
    return look(engine)


def test_a_change_can_be_taken_back(world: World, undisturbed: Seen) -> None:
    with world.engine() as engine:
        with pytest.raises(WorldError) as caught:
            engine.call(RollBack())
        assert caught.value.code == "nothing_to_roll_back"
        assert run(engine, OTHER) > 0
        assert engine.call(RollBack()) == ModelChoice(TINY, "fp32")
        assert model_of(engine) == TINY
        check_same(look(engine), undisturbed)
        # It stays: indexing goes on with the model that answers.
        assert run(engine) == 0
        assert model_of(engine) == TINY
        assert engine.call(RollBack()).model == OTHER


def test_what_came_meanwhile_is_there_after_a_roll_back(world: World, tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    with world.engine() as engine:
        run(engine, OTHER)
        (more / "late.txt").write_text("A theremin that came after the change.")
        world.index(engine, more)
        engine.call(RollBack())
        assert states(engine)["late.txt"] == "text_only"
        assert quoted(engine, "after the change") == ["late.txt"]
        assert run(engine) == 1
        assert states(engine)["late.txt"] == "indexed"


def test_two_spaces_are_kept_and_no_more(world: World) -> None:
    install_tiny_model(world.models, name="tiny-three")
    with world.engine() as engine:
        run(engine, OTHER)
        assert tables(world) == 2
        run(engine, "tiny-three")
        assert tables(world) == 2
        assert engine.call(GetStatus()).previous == ModelChoice(OTHER, "fp32")
        assert engine.call(Discard()) > 0
        assert tables(world) == 1
        assert engine.call(GetStatus()).previous is None
        assert engine.call(Discard()) == 0
        look(engine)


def test_a_change_that_was_given_up_leaves_nothing(world: World, undisturbed: Seen) -> None:
    token = CancelToken()
    with world.engine() as engine:

        def stop(progress: Progress) -> None:
            if progress.passages:
                token.cancel()

        engine.call(Reindex(OTHER, None), report=stop, token=token)
        assert tables(world) == 2
        assert run(engine, TINY) == 0
        assert tables(world) == 1
        check_same(look(engine), undisturbed)


@pytest.mark.parametrize("point", ["space-complete:1", "space-switched:1"])
def test_killed_at_the_switch(world: World, with_other: Seen, point: str) -> None:
    other = World(world.documents, world.library, world.models, model=OTHER)
    killing.kill_at(other, point)
    with other.engine() as engine:
        assert other.index(engine).work == (0, 0, 0)
        assert model_of(engine) == OTHER
        check_same(look(engine), with_other)


def test_what_a_change_would_cost(world: World) -> None:
    with world.engine() as engine:
        before = tables(world)
        cost = engine.call(EstimateReindex(OTHER, None))
        assert tables(world) == before
        assert model_of(engine) == TINY
        status = engine.call(GetStatus())
        assert (cost.documents, cost.passages) == (status.documents, status.passages)
        assert cost.model == OTHER
        assert cost.measured
        assert cost.seconds > 0
        summary = engine.call(Reindex(OTHER, None))
        assert summary.passages == cost.passages
        assert cost.tokens == pytest.approx(summary.tokens, rel=0.3)
        assert engine.store.sizes()[vectors_name(cost.space)].live == pytest.approx(
            cost.bytes, rel=0.9
        )
        nothing = engine.call(EstimateReindex(None, None))
        assert (nothing.documents, nothing.passages, nothing.seconds) == (0, 0, 0)


@pytest.mark.parametrize(("model", "precision"), [("no-such-model", None), (None, "fp8")])
def test_a_model_there_is_not(world: World, model: str | None, precision: str | None) -> None:
    with world.engine() as engine:
        for ask in (
            lambda: engine.call(EstimateReindex(model, precision)),
            lambda: engine.call(Reindex(model, precision)),
        ):
            with pytest.raises(WorldError) as caught:
                ask()
            assert caught.value.code in {"unknown_model", "bad_setting"}
        assert world.index(engine).work == (0, 0, 0)


def age(engine: Engine) -> None:
    """Make the library one of an older extractor, whose texts had other names."""
    with engine.catalog.db.write() as connection:
        connection.execute("UPDATE contents SET extractor_version = 0")
        connection.execute("UPDATE docs SET text_id = 'old ' || text_id")


def test_a_newer_extractor_reads_everything_again(world: World, undisturbed: Seen) -> None:
    with world.engine() as engine:
        age(engine)
    with world.engine() as engine:
        # It is queued by itself; the old text answers, with its vectors.
        assert engine.call(EstimateReindex(None, None)).outdated > 0
        assert states(engine)["long.txt"] == "indexed"
        assert found(engine, "zephyr clause")[0] == "long.txt"
        assert engine.call(GetStatus()).embedded_share == 1.0
        summary = world.index(engine).summary
        assert summary.documents_added == engine.call(GetStatus()).documents
        # What it reads as before takes its vectors along.
        assert summary.passages == 0
        assert summary.reused == engine.call(GetStatus()).passages
        assert engine.call(EstimateReindex(None, None)).outdated == 0
        check_same(look(engine), undisturbed)
        assert world.index(engine).work == (0, 0, 0)


def test_queries_never_meet_half_a_space(world: World) -> None:
    """One search and one status at every report: always all of one model."""
    vectors = {}
    with world.engine() as engine:

        def ask(_progress: Progress) -> None:
            space = engine.catalog.spaces.active()
            assert space is not None
            expected = sum(engine.catalog.spaces.expected(space.id).values())
            assert expected == engine.call(GetStatus()).passages
            hits = engine.call(Search("zephyr clause", 1, full_text=False)).hits
            vectors[space.record["model"]] = hits[0].file

        engine.call(Reindex(OTHER, None), report=ask)
        ask(Progress(Step.MAINTAIN))
    assert vectors == {TINY: "long.txt", OTHER: "long.txt"}


def test_a_newer_file_of_a_model_takes_over_like_another_model(world: World) -> None:
    """Vectors of one id that different files made are never in one space."""
    keys = set()
    for seed in (None, 3, 4):
        if seed is not None:
            install_two_encoders(world.models, seed=seed)
        with world.engine() as engine:
            assert found(engine, "zephyr clause")[0] == "long.txt"
            read = world.index(engine).summary.passages
            assert read == (0 if seed is None else engine.call(GetStatus()).passages)
            active = engine.catalog.spaces.active()
            assert active is not None
            keys.add(active.key)
            assert found(engine, "zephyr clause")[0] == "long.txt"
            assert world.index(engine).work == (0, 0, 0)
    assert len(keys) == 3


def test_nothing_is_previous_at_first(world: World) -> None:
    with world.engine() as engine:
        assert engine.catalog.spaces.previous() is None
        assert np.isclose(engine.call(GetStatus()).embedded_share, 1.0)
