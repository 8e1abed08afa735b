"""A library whose model is not to be had is searched by words, and says so."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from indexer.api.requests import Search
from indexer.api.types import Why
from tests.integration.world import World

if TYPE_CHECKING:
    from pathlib import Path


def test_words_are_found_without_the_model(indexed: World, tmp_path: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(indexed.library, library)
    with indexed.engine() as engine:
        told = engine.call(Search("the lease", 3))
        word = told.hits[0].text.split()[0]
        exact = engine.call(Search(f'"{word}"', 5))
    with World(indexed.documents, library, tmp_path / "no-models").engine() as engine:
        found = engine.call(Search(f'"{word}"', 5))
    assert found.hits
    assert all(hit.why in {Why.PHRASE, Why.WORDS} for hit in found.hits)
    assert found.hits[0].file in {hit.file for hit in exact.hits}
    assert any(note.code == "words_only" for note in found.notes)
    assert not any(note.code == "words_only" for note in exact.notes)
