"""The map of a document: each page by its closeness to a question, over a real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.api.requests import MapPages
from indexer.search.page_map import scaled
from tests.integration import corpus
from tests.integration.world import World

if TYPE_CHECKING:
    from pathlib import Path

SUBJECTS = ["ships at sea", "wool and looms", "boil onions for the soup", "ships in a storm"]


@pytest.fixture(scope="module")
def world(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("map")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    world.documents.mkdir()
    corpus.pdf(world.documents / "book.pdf", [f"{subject}. " * 40 for subject in SUBJECTS])
    (world.documents / "empty.txt").touch()
    with world.engine() as engine:
        world.index(engine)
    return world


def test_the_page_that_answers_is_the_closest(world: World) -> None:
    book = world.documents / "book.pdf"
    with world.engine() as engine:
        for question in ("onions soup", f'like:"{book}#page=3"'):
            found = engine.call(MapPages(question, book))
            assert len(found) == len(SUBJECTS)
            assert found[2] == max(found) == 1.0
            assert min(found) == 0.0
        both = engine.call(MapPages("ships", book))
        assert both[0] > 0.5
        assert both[3] > 0.5
        assert both[1] < 0.5


def test_where_nothing_is_asked_nothing_is_close(world: World) -> None:
    with world.engine() as engine:
        assert engine.call(MapPages("ext:pdf", world.documents / "book.pdf")) == ()
        assert engine.call(MapPages("onions", world.documents / "empty.txt")) == ()
        gone = engine.call(MapPages("like:gone.pdf", world.documents / "book.pdf"))
        assert set(gone) == {0.0}
        with pytest.raises(WorldError) as raised:
            engine.call(MapPages("onions", world.documents / "gone.pdf"))
        assert raised.value.code == "not_a_root"


def test_the_usual_page_is_at_nothing_and_the_best_at_one() -> None:
    def scale(*scores: float) -> list[float]:
        return [round(float(share), 2) for share in scaled(np.array(scores, np.float32))]

    assert scale(0.2, 0.2, 0.7, 0.45, 0.1) == [0.0, 0.0, 1.0, 0.5, 0.0]
    assert scale(0.3, 0.3) == [0.0, 0.0]
    assert scale() == []
