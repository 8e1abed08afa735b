"""Killed at any point, indexing goes on where it was: nothing twice, nothing lost.

Every case is a real process that ends by SIGKILL at a named point (``indexer.faults``); then the
library is opened, indexed to the end and compared with one that was never disturbed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.integration import corpus
from tests.integration.killing import Seen, World, check_same, look

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and SIGSTOP are POSIX")

# A point, and the how-manieth time the process comes by it.
POINTS = [
    # reading
    "file-hashed:2",
    "document-begun:1",
    "document-begun:4",
    "passages-cut:1",
    "passages-cut:5",
    # embedding
    "batch-embedded:1",
    "batch-embedded:6",
    # between the commits of store and catalog, and right after both
    "passages-committed:1",
    "passages-committed:3",
    "passages-marked:2",
    "vectors-committed:1",
    "vectors-committed:4",
    "profiles-committed:1",
    "profiles-committed:3",
    "vectors-marked:1",
    # upkeep, before and after each step
    "text-indexing:1",
    "text-indexing:2",
    "text-indexed:1",
    "vectors-indexing:1",
    "vectors-indexed:1",
    "compacting:1",
    "compacted:1",
    "compacted:2",
]
# Points from which the store is at work on its files for a while.
BUSY = ["text-indexing:1", "text-indexing:2", "vectors-indexing:1", "compacting:1", "compacting:2"]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "documents"
    corpus.make(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(
    documents: Path, tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Seen:
    world = World(documents, tmp_path_factory.mktemp("undisturbed") / "library", tiny_models_dir)
    with world.engine() as engine:
        world.index(engine)
        return look(engine)


@pytest.fixture
def world(documents: Path, tiny_models_dir: Path, tmp_path: Path) -> World:
    return World(documents, tmp_path / "library", tiny_models_dir)


def finish(world: World, undisturbed: Seen) -> None:
    """Index to the end, compare, and see that nothing was left to do."""
    with world.engine() as engine:
        world.index(engine)
        check_same(look(engine), undisturbed)
        again = world.index(engine)
        assert (again.documents_added, again.passages) == (0, 0)


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(world: World, undisturbed: Seen, point: str) -> None:
    world.kill_at(point)
    finish(world, undisturbed)


@pytest.mark.parametrize("point", BUSY)
def test_killed_while_the_store_writes(world: World, undisturbed: Seen, point: str) -> None:
    world.kill_within(point)
    finish(world, undisturbed)
