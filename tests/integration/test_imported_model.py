"""A library changes over to a model that was imported, and is searched and explained by it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.model_requests import CompareModels, ReadTogether, Reindex, RollBack
from indexer.api.models import Question
from indexer.api.requests import Explain, GetActivity, GetStatus
from indexer.config import DEFAULT_MODEL
from indexer.embed.imported import import_model
from indexer.embed.record_files import find_record
from tests.integration.world import World, found
from tests.sentence_folder import write_folder
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine

SUBJECTS = ("zephyr", "theremin", "harbour")


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_a_library_changes_over_and_back(tmp_path: Path, pooling: str) -> None:
    models = tmp_path / "models"
    install_tiny_model(models)
    mine = import_model(write_folder(tmp_path / "mine", "modernbert", pooling), models)
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


def test_a_model_reads_passages_with_their_neighbours_once_that_was_chosen(tmp_path: Path) -> None:
    models = tmp_path / "models"
    install_tiny_model(models)
    world = World(tmp_path / "documents", tmp_path / "library", models)
    world.documents.mkdir()
    for subject in SUBJECTS:
        (world.documents / f"{subject}.txt").write_text(f"It tells of the {subject}. " * 8)

    def reads(engine: Engine) -> tuple[bool, bool]:
        """Whether the vectors that answer were read together, and those of the next run."""
        for subject in SUBJECTS:
            assert found(engine, f"what of the {subject}")[0] == f"{subject}.txt"
        active = engine.catalog.spaces.active()
        assert active is not None
        return bool(active.record["late"]), find_record(TINY, models).late

    with world.engine(background=True) as engine:
        world.index(engine)
        assert reads(engine) == (False, False)
        assert engine.call(ReadTogether(TINY, together=True)).late
        assert reads(engine) == (False, True)
        assert engine.call(GetActivity()).changing is not None
        engine.call(Reindex(TINY, None))
        assert reads(engine) == (True, True)
        both = engine.call(CompareModels("", "", (Question("what of the zephyr"),)))
        assert (both.first, both.second) == ("tiny:fp32:alone", "tiny:fp32:together")
        assert engine.call(RollBack()).model == TINY
        assert reads(engine) == (False, False)
        assert engine.call(GetActivity()).changing is None
        with pytest.raises(WorldError, match="it comes with Lectern"):
            engine.call(ReadTogether(DEFAULT_MODEL, together=False))
