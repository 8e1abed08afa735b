"""A run from its begin to its end: cancelled, watched, searched meanwhile, with several readers."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import pytest

from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.requests import GetStatus, Index, Search
from indexer.api.types import Why
from tests.integration.held import HeldEngine
from tests.integration.world import PACE, Seen, World, check_same, look

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import SearchResult


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    """The same documents and a library that is not there yet."""
    return World(indexed.documents, tmp_path / "library", indexed.models)


@pytest.mark.parametrize("step", ["read", "embedded"])
def test_a_cancelled_run_goes_on_where_it_was(world: World, undisturbed: Seen, step: str) -> None:
    token = CancelToken()

    def stop(progress: Progress) -> None:
        reached = {
            "read": progress.files_done > 2,
            "embedded": progress.passages > 0,
        }
        if reached[step]:
            token.cancel()

    with world.engine() as engine:
        first = engine.call(Index((world.documents,)), report=stop, token=token)
        assert first.cancelled
        assert engine.store.verify() == []
        second = world.index(engine).summary
        assert not second.cancelled
        check_same(look(engine), undisturbed)
        # What was embedded before the stop was not embedded again.
        total = engine.call(GetStatus()).passages
        assert first.passages + second.passages == total


def test_the_model_of_passages_is_closed_when_all_is_read(world: World) -> None:
    with world.engine() as engine:
        world.index(engine)
        assert engine.models._indexing is None
        assert engine.models.device[0]  # what it ran on is still known


def test_a_run_took_as_long_as_its_caller_waited(world: World) -> None:
    tidied: list[float] = []

    def note(progress: Progress) -> None:
        if progress.step is Step.MAINTAIN:
            threading.Event().wait(0.2)  # a tidying that takes long
            tidied.append(time.monotonic())

    with world.engine() as engine:
        began = time.monotonic()
        summary = engine.call(Index((world.documents,)), report=note)
        ended = time.monotonic()
    assert tidied[-1] - began - 0.1 <= summary.seconds <= ended - began


def test_a_token_that_is_cancelled_already_does_nothing(world: World, undisturbed: Seen) -> None:
    token = CancelToken()
    token.cancel()
    with world.engine() as engine:
        summary = world.index(engine, token=token).summary
        assert (summary.cancelled, summary.documents_added) == (True, 0)
        world.index(engine)
        check_same(look(engine), undisturbed)


def test_words_are_found_before_there_is_a_vector(world: World) -> None:
    answers: list[SearchResult] = []

    def ask(_progress: Progress) -> None:
        result = patient.call(Search('"zephyr clause"', 1))
        if result.hits and result.hits[0].why is Why.PHRASE:
            answers.append(result)
            patient.may_embed.set()

    HeldEngine.may_embed = threading.Event()
    with contextlib.closing(HeldEngine.open(world.config, batches=PACE)) as patient:
        patient.call(Index((world.documents,)), report=ask)
        assert patient.call(GetStatus()).embedded_share == 1.0
    assert answers[0].hits[0].file == "long.txt"
    assert answers[0].hits[0].state == "text_only"
    assert answers[0].embedded_share == 0.0


def test_two_readers_share_the_work_and_agree(world: World, undisturbed: Seen) -> None:
    with world.engine(children=2) as engine:
        world.index(engine)
        check_same(look(engine), undisturbed)
