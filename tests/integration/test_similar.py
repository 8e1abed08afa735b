"""``like:`` finds what resembles a document or a part of it, and nothing of what it resembles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import Search
from tests.integration import corpus
from tests.integration.world import World

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import SearchResult
    from indexer.engine.engine import Engine


@pytest.fixture(scope="module")
def indexed(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("similar")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    (world.documents / "ships").mkdir(parents=True)
    for name, subject in {
        "ships/sail.txt": "The sail of the ship was torn in the storm at sea.",
        "ships/mast.txt": "The mast of the ship broke in the storm at sea.",
        "soup.txt": "Boil the onions and the carrots for the soup.",
    }.items():
        (world.documents / name).write_text("\n\n".join([subject * 8] * 6))
    corpus.pdf(world.documents / "two.pdf", ["Onions and soup. " * 40, "Ships at sea. " * 40])
    with world.engine() as engine:
        world.index(engine)
    return world


def ask(engine: Engine, text: str, limit: int = 10) -> SearchResult:
    return engine.call(Search(text, limit))


def test_a_document_is_not_like_itself(opened: Engine, indexed: World) -> None:
    for name in (str(indexed.documents / "ships" / "sail.txt"), "sail.txt", "ships/sail.txt"):
        result = ask(opened, f'like:"{name}"')
        files = [hit.file for hit in result.hits]
        assert files[0] == "ships/mast.txt"
        assert "ships/sail.txt" not in files
        assert max(files.count(file) for file in files) <= 2
        assert all(hit.why == "meaning" for hit in result.hits)
        scores = [hit.score for hit in result.hits]
        assert scores[0] == max(scores)


def test_a_part_is_like_other_parts_of_its_document_too(opened: Engine, indexed: World) -> None:
    path = indexed.documents / "two.pdf"
    (first, *_) = ask(opened, f'like:"{path}#page=2"').hits
    assert first.file.startswith("ships/") or first.page == 2
    assert all(hit.page == 1 for hit in ask(opened, f'like:"{path}#page=2"').hits
               if hit.file == "two.pdf")  # fmt: skip
    sail = indexed.documents / "ships" / "sail.txt"
    hits = ask(opened, f'like:"{sail}#0-20"').hits
    assert all(hit.start > 0 for hit in hits if hit.file == "ships/sail.txt")
    assert "ships/sail.txt" in {hit.file for hit in hits}


def test_found_passages_are_aligned_with_their_source(opened: Engine, indexed: World) -> None:
    source = (indexed.documents / "ships" / "sail.txt").read_text()
    for query in ("like:sail.txt", "like:sail.txt#0-300", "like:sail.txt soup"):
        result = opened.call(Search(query, explain=True))
        assert result.hits
        for hit in result.hits:
            assert hit.explain is not None
            pairs = hit.explain.aligned
            assert pairs
            cosines = [pair.cosine for pair in pairs]
            assert cosines == sorted(cosines, reverse=True)
            for pair in pairs:
                place = pair.source
                assert source[place.start : place.end] == place.text
                assert hit.text[pair.start : pair.end].strip()
    assert all(not hit.explain for hit in ask(opened, "like:sail.txt").hits)


def test_documents_are_held_against_each_other_whole(opened: Engine, indexed: World) -> None:
    hits = ask(opened, "like:sail.txt", limit=20).hits
    by_file = {hit.file: hit.score for hit in hits}
    assert next(iter(by_file)) == "ships/mast.txt"
    assert set(by_file) == {"ships/mast.txt", "two.pdf", "soup.txt"}
    assert sorted(by_file.values(), reverse=True) == list(by_file.values())
    back = {hit.file: hit.score for hit in ask(opened, "like:mast.txt", limit=20).hits}
    assert back["ships/sail.txt"] == pytest.approx(by_file["ships/mast.txt"], abs=1e-3)


def test_filters_and_words_narrow_it(opened: Engine, indexed: World) -> None:
    hits = ask(opened, "like:sail.txt ext:pdf").hits
    assert {hit.file for hit in hits} == {"two.pdf"}
    assert ask(opened, "like:sail.txt in:ships -mast").hits == ()
    assert ask(opened, "like:sail.txt soup onions").hits
    assert len(ask(opened, "like:sail.txt", limit=1).hits) == 1


@pytest.mark.parametrize("name", ["nowhere.txt", "#page=3", "/", "two.pdf#page=99"])
def test_what_is_not_there_is_said(opened: Engine, name: str) -> None:
    result = ask(opened, f'like:"{name}"')
    assert result.hits == ()
    assert len(result.notes) == 1
