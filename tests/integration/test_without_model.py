"""A library whose model is not to be had is searched by words, and says so."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from indexer.api.requests import Search, SearchByWords
from indexer.api.types import Why
from indexer.search import query_terms
from indexer.search.candidates import QueryVectors
from indexer.search.fusion import Weights
from indexer.search.query_terms import QueryTerms
from indexer.store.store import Store
from tests.integration.world import World

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from indexer.api.types import Hit


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


def test_words_alone_find_what_is_found_without_the_model(indexed: World, tmp_path: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(indexed.library, library)
    with indexed.engine() as engine:
        words = " ".join(engine.call(Search("the lease", 3)).hits[0].text.split()[:3])
        queries = [words, f"{words} -zebra", f"type:pdf {words}", "type:pdf"]
        by_words = [engine.call(SearchByWords(query, 5)) for query in queries]
        like = engine.call(Search("type:pdf", 1)).hits[0]
        assert not engine.call(SearchByWords(f'like:"{like.path}"', 5)).hits
    with World(indexed.documents, library, tmp_path / "no-models").engine() as engine:
        without = [engine.call(Search(query, 5)) for query in queries]
    assert by_words[0].hits
    assert by_words[3].hits
    for found, wanted in zip(by_words, without, strict=True):
        assert [(hit.path, hit.start, hit.score) for hit in found.hits] == [
            (hit.path, hit.start, hit.score) for hit in wanted.hits
        ]
        assert not any(note.code == "words_only" for note in found.notes)


def test_words_alone_read_no_vectors_of_candidates(
    indexed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ranked(hits: tuple[Hit, ...]) -> list[tuple[str, int, float, Why]]:
        return [(hit.path, hit.start, hit.score, hit.why) for hit in hits]

    def never(*_args: object) -> None:
        raise AssertionError

    # Without vectors function words, headings and length count less, and the whole query more.
    monkeypatch.setattr(QueryTerms, "whole_alone", ())
    monkeypatch.setattr(query_terms, "FUNCTION_WEIGHT", 1.0)
    monkeypatch.setattr(Weights, "for_words_alone", lambda weights, _share: weights)
    with indexed.engine() as engine:
        words = " ".join(engine.call(Search("the lease", 3)).hits[0].text.split()[:3])
        requests = [SearchByWords(query, 20) for query in (words, "the lease", f'"{words}"')]
        with monkeypatch.context() as patched:
            # As if the query had vectors, all 0: by the similarities of all candidates.
            patched.setattr(QueryVectors, "encoded", True)
            wanted = [ranked(engine.call(request).hits) for request in requests]
        for read in ("vectors_of", "sentence_codes_of"):
            monkeypatch.setattr(Store, read, never)
        found = [ranked(engine.call(request).hits) for request in requests]
    assert all(found)
    assert found == wanted


def test_what_is_in_no_known_language_is_found_by_its_words_as_they_are(
    tiny_models_dir: Path, tmp_path: Path
) -> None:
    world = World(tmp_path / "documents", tmp_path / "library", tiny_models_dir)
    world.documents.mkdir()
    (world.documents / "unknown.txt").write_text("Running sheep.")
    english = "Nobody in the village knew who had opened the gate that night. "
    (world.documents / "english.txt").write_text(english * 8)
    with world.engine() as engine:
        world.index(engine)
        assert engine.catalog.docs.languages() == {"": 1, "en": 1}
    with World(world.documents, world.library, tmp_path / "no-models").engine() as engine:
        best, *_ = engine.call(Search("running ", explain=True)).hits
    assert best.file == "unknown.txt"
    assert best.explain is not None
    assert best.explain.passage["share"] > 0.0
