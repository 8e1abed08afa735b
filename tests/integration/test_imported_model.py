"""A library changes over to a model that was imported, and is searched and explained by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.models import Reindex, RollBack
from indexer.api.requests import Explain, GetStatus
from indexer.embed.imported import import_model
from tests.integration.world import World, found
from tests.sentence_folder import write_folder
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path


SUBJECTS = ("zephyr", "theremin", "harbour")


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_a_library_changes_over_and_back(tmp_path: Path, pooling: str) -> None:
    models = tmp_path / "models"
    install_tiny_model(models)
    mine = import_model(write_folder(tmp_path / "mine", pooling), models)
    world = World(tmp_path / "documents", tmp_path / "library", models)
    world.documents.mkdir()
    for subject in SUBJECTS:
        (world.documents / f"{subject}.txt").write_text(f"It tells of the {subject}. " * 8)
    with world.engine() as engine:
        world.index(engine)
    with replace(world, model=mine.id).engine() as engine:
        assert engine.call(GetStatus()).model == TINY
        engine.call(Reindex(mine.id, None))
        assert engine.call(GetStatus()).model == mine.id
        for subject in SUBJECTS:
            assert found(engine, f"what of the {subject}")[0] == f"{subject}.txt"
        path = world.documents / f"{SUBJECTS[0]}.txt"
        explained = engine.call(Explain(f"what of the {SUBJECTS[0]}", path, 0))
        assert explained is not None
        assert -1 <= explained.cosine <= 1
        assert engine.call(RollBack()).model == TINY
        assert found(engine, f"what of the {SUBJECTS[0]}")[0] == f"{SUBJECTS[0]}.txt"
