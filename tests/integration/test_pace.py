"""Slower, paused, without room: work waits for what it must, says so, and goes on by itself."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.progress import CancelToken, Progress, Step, ignore_progress
from indexer.api.requests import GetActivity, GetStatus, Index, SetPace
from indexer.api.status import Speed
from tests.integration.world import PACE, Seen, World, check_same, look
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from indexer.api.types import Summary
    from indexer.engine.engine import Engine

HASTY = replace(PACE, disk_retry_s=0.05, pause_grace_s=0.0)
PLENTY = 1 << 60  # more than any disk has


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    """The same documents and a library that is not there yet."""
    return World(indexed.documents, tmp_path / "library", indexed.models)


@contextlib.contextmanager
def indexing(
    world: World, engine: Engine, report: Callable[[Progress], None] = ignore_progress
) -> Iterator[Callable[[], Summary]]:
    """Index on another thread; call what is given to wait for the outcome."""
    outcome: list[Summary] = []
    token = CancelToken()

    def work() -> None:
        outcome.append(engine.call(Index((world.documents,)), report=report, token=token))

    def finish() -> Summary:
        thread.join(60)
        return outcome[0]

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield finish
    finally:
        token.cancel()
        thread.join()


def test_a_pause_outlives_the_engine_and_costs_nothing(world: World, undisturbed: Seen) -> None:
    with world.engine(batches=HASTY) as engine:
        assert engine.call(SetPace(paused=True)).reason == "paused"
        with indexing(world, engine) as finish:
            # It looks at the folders, and then waits.
            wait_for(lambda: engine.call(GetActivity()).pending > 0)
            assert engine.call(GetStatus()).reason == "paused"
    with world.engine(batches=HASTY) as engine:
        assert engine.call(GetActivity()).paused
        notes: list[str] = []
        with indexing(world, engine, lambda progress: notes.append(progress.note)) as finish:
            wait_for(lambda: any("paused" in note for note in notes))
            assert engine.call(GetActivity()).pages_per_second == 0
            engine.call(SetPace(paused=False))
            assert not finish().cancelled
        check_same(look(engine), undisturbed)


def test_a_pause_in_the_middle_lets_go_of_what_is_in_hand(world: World, undisturbed: Seen) -> None:
    with world.engine(batches=HASTY) as engine:
        halted = threading.Event()

        def pause(progress: Progress) -> None:
            if progress.files_done >= 3 and not halted.is_set():
                engine.call(SetPace(paused=True))
                halted.set()
            if progress.note:
                engine.call(SetPace(paused=False))

        with indexing(world, engine, pause) as finish:
            summary = finish()
        assert halted.is_set()
        check_same(look(engine), undisturbed)
        assert summary.passages == engine.call(GetStatus()).passages
        assert summary.states["indexed"] > 3


def test_a_paused_run_can_be_cancelled(world: World) -> None:
    with world.engine(batches=HASTY) as engine:
        engine.call(SetPace(paused=True))
        token = CancelToken()

        def stop(progress: Progress) -> None:
            if progress.note:
                token.cancel()

        summary = engine.call(Index((world.documents,)), report=stop, token=token)
        assert summary.cancelled


def test_a_full_disk_is_waited_for(world: World, undisturbed: Seen) -> None:
    with world.engine(batches=HASTY, background=True, min_free_bytes=PLENTY) as engine:
        with indexing(world, engine) as finish:
            wait_for(lambda: engine.call(GetActivity()).reason == "disk_full")
            running = engine.call(GetStatus()).running
            assert running is not None
            assert "disk" in running.progress.note
            # Somebody deletes something.
            engine.config = replace(engine.config, min_free_bytes=0)
            assert not finish().cancelled
        assert engine.call(GetActivity()).reason != "disk_full"
        check_same(look(engine), undisturbed)


def test_a_command_does_not_wait_for_room(world: World) -> None:
    with world.engine(min_free_bytes=PLENTY) as engine, pytest.raises(WorldError) as caught:
        world.index(engine)
    assert caught.value.code == "disk_full"


def test_slow_and_typing_are_shown_and_cost_only_time(world: World, undisturbed: Seen) -> None:
    with world.engine() as engine:
        assert engine.call(SetPace(Speed.SLOW, typing=True)).reason == "typing"
        assert engine.call(GetActivity()).speed == "slow"
        steps: set[Step] = set()
        with indexing(world, engine, lambda progress: steps.add(progress.step)) as finish:
            finish()
        assert Step.INDEX in steps
        check_same(look(engine), undisturbed)
    with world.engine() as engine:
        assert engine.call(GetStatus()).speed == "slow"
