"""A library of the default model before: it answers by meaning until another has read all of it."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.models import CompareModels, Question, Reindex, RemoveModel, RollBack
from indexer.api.requests import GetActivity, GetStatus, Index, SetPace
from indexer.server.service import Host, Service
from tests.integration import killing
from tests.integration.held import HeldEngine
from tests.integration.world import PACE, World, check_same, found, look, states
from tests.tiny_model import TINY, install_tiny_model
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine
    from tests.integration.world import Seen

NEW = "tiny-too"
SUBJECTS = ("zephyr", "theremin", "harbour", "celesta", "persimmon")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    for name in (TINY, NEW):
        install_tiny_model(folder, name=name)
    return folder


@pytest.fixture(scope="module")
def first(models: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A library of the old model; to be copied, not touched."""
    folder = tmp_path_factory.mktemp("first")
    world = World(folder / "documents", folder / "library", models)
    world.documents.mkdir()
    for subject in SUBJECTS:
        parts = (f"Part {part} tells of the {subject}. " * 60 for part in range(4))
        (world.documents / f"{subject}.txt").write_text("\n\n".join(parts))
    with world.engine() as engine:
        world.index(engine)
    return world


@pytest.fixture(scope="module")
def with_new(first: World) -> Seen:
    """What the new model makes of these documents from the start."""
    fresh = replace(first, library=first.library.with_name("fresh"), model=NEW)
    with fresh.engine() as engine:
        fresh.index(engine)
        return look(engine)


@pytest.fixture
def old(first: World, tmp_path: Path) -> World:
    return first.move(tmp_path)


@pytest.fixture
def world(old: World) -> World:
    """The same, opened by a program whose model is the new one."""
    return replace(old, model=NEW)


def searched(engine: Engine) -> str:
    """The model of the vectors that answer, of which every passage must have one."""
    active = engine.catalog.spaces.active()
    assert active is not None
    status = engine.call(GetStatus())
    assert sum(engine.catalog.spaces.expected(active.id).values()) == status.passages > 0
    for subject in SUBJECTS:
        assert found(engine, f"what of the {subject}")[0] == f"{subject}.txt"
    return status.model


@pytest.mark.parametrize("point", ["batch-embedded:2", "vectors-committed:2", "vectors-marked:2"])
def test_killed_half_way(old: World, world: World, with_new: Seen, point: str) -> None:
    """Both models answer, nothing is read again, nothing is lost, and it comes to an end."""
    with old.engine() as engine:
        before = look(engine)
    with world.engine() as engine:
        assert searched(engine) == TINY
        changing = engine.call(GetActivity()).changing
        assert changing is not None
        assert (changing.model, changing.embedded_share) == (NEW, 0.0)
        passages = engine.call(GetStatus()).passages
    killing.kill_at(world, point)
    with world.engine() as engine:
        assert searched(engine) == TINY
        check_same(look(engine), before)
        outcome = world.index(engine)
        assert outcome.work[:2] == (0, 0)
        assert 0 < outcome.summary.passages <= passages
        assert searched(engine) == NEW
        assert engine.call(GetActivity()).changing is None
        assert world.index(engine).work == (0, 0, 0)
        check_same(look(engine), with_new)


def test_new_documents_are_found_by_meaning_during_the_change(world: World) -> None:
    more = world.documents.with_name("more")
    more.mkdir()
    (more / "late.txt").write_text("Part 0 tells of the lyre. " * 30)
    with world.engine(background=True) as engine:
        passages = engine.call(GetStatus()).passages
        assert world.index(engine, more).summary.passages == 1
        assert states(engine)["late.txt"] == "indexed"
        assert searched(engine) == TINY
        assert engine.call(Reindex(None, None)).passages == passages + 1
        assert searched(engine) == NEW


def test_what_the_old_model_hardly_began_is_left_to_the_new(world: World) -> None:
    with world.engine() as engine:
        active = engine.catalog.spaces.active()
        assert active is not None
        engine.catalog.spaces.reopen(engine.catalog.spaces.expected(active.id), active.id)
        assert world.index(engine).summary.passages == engine.call(GetStatus()).passages
        assert searched(engine) == NEW


def test_a_model_that_is_not_as_it_was_embeds_nothing_more(world: World) -> None:
    """Its new vectors would not be in the space of the old ones."""
    (world.documents / "late.txt").write_text("A bassoon.")
    with world.engine(background=True) as engine:
        with engine.catalog.db.write() as connection:
            connection.execute("UPDATE spaces SET key = key || '-before'")
        assert world.index(engine).summary.passages == engine.call(GetStatus()).passages
        assert searched(engine) == NEW


def test_documents_on_a_drive_that_is_away_answer_and_are_changed_without_it(world: World) -> None:
    away = world.documents.with_name("away")
    world.documents.rename(away)
    with world.engine(background=True) as engine:
        engine.call(Index())
        assert set(states(engine).values()) == {"offline"}
        assert searched(engine) == TINY
        engine.call(Reindex(None, None))
        assert searched(engine) == NEW
        away.rename(world.documents)
        assert world.index(engine).work == (0, 0, 0)
        assert set(states(engine).values()) == {"indexed"}
        assert searched(engine) == NEW


def test_an_engine_that_serves_changes_while_nobody_asks_for_anything(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    HeldEngine.may_embed = threading.Event()
    engine = HeldEngine.open(replace(world.config, background=True), batches=PACE)
    service = Service(engine, world.library)
    with contextlib.closing(Host(engine, service)) as host:
        host.call(SetPace(paused=True))
        service.background.change_model()
        assert service.index_queue.idle
        host.call(SetPace(paused=False))
        service.background.change_model()
        wait_for(lambda: host.call(GetActivity()).running)
        change = service.index_queue.running
        assert change is not None
        # Whoever asks for something does not wait for it.
        (world.documents / "late.txt").write_text("A bassoon.")
        engine.may_embed.set()
        host.call(Index((world.documents,)))
        wait_for(lambda: service.index_queue.idle)
        assert change.token.cancelled
        assert states(engine)["late.txt"] == "indexed"
        assert searched(engine) == TINY
        service.background.change_model()
        wait_for(lambda: service.index_queue.idle)
        assert searched(engine) == NEW
        service.background.change_model()
        assert service.index_queue.idle


def test_both_models_are_asked_before_one_is_chosen(world: World) -> None:
    """The person's own questions, by the old vectors and by the new ones."""
    questions = (Question("what of the zephyr", "zephyr.txt"), Question("what of the lyre"))
    asked = CompareModels(TINY, NEW, questions)
    with world.engine() as engine:
        with pytest.raises(WorldError, match="no complete vectors of the language model tiny-too"):
            engine.call(asked)
        engine.call(Reindex(None, None))
        found = engine.call(asked)
        assert (found.first, found.second) == ("tiny:fp32", "tiny-too:fp32")
        right, other = found.questions
        assert [right.right_rank(model) for model in (0, 1)] == [1, 1]
        assert [other.right_rank(model) for model in (0, 1)] == [None, None]
        for model in (0, 1):
            ranks = [each.ranks[model] for each in right.passages]
            assert sorted(rank for rank in ranks if rank) == list(range(1, 11))
        assert "zephyr" in right.passages[0].text
        assert searched(engine) == NEW
        assert engine.call(RollBack()).model == TINY
        assert searched(engine) == TINY
        for name in (TINY, NEW):
            with pytest.raises(WorldError) as caught:
                engine.call(RemoveModel(name))
            assert caught.value.code == "model_in_use"
