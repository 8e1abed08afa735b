"""The corpus, indexed once without any disturbance, for all tests of whole engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration import corpus
from tests.integration.world import Seen, World, look

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def indexed(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The corpus and its library; to be copied, not touched."""
    folder = tmp_path_factory.mktemp("indexed")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    corpus.make(world.documents)
    with world.engine() as engine:
        world.index(engine)
    return world


@pytest.fixture(scope="session")
def undisturbed(indexed: World) -> Seen:
    """What there is to see in it."""
    with indexed.engine() as engine:
        return look(engine)
