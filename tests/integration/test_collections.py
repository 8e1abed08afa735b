"""A set of documents with a name is searched with ``in:``, as a folder is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.progress import CancelToken
from indexer.api.requests import (
    EmbedTexts,
    GetStatus,
    ListDocuments,
    ReadPassages,
    Search,
    SearchByWords,
    SetCollection,
)
from indexer.catalog.catalog import MOST_COLLECTIONS
from indexer.throttle import throttle
from tests.integration.world import World, search
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.api.answers import TextPassage
    from indexer.engine.engine import Engine

FILES = ("ships/sail.txt", "ships/mast.md", "soup.txt", "notes/soup.md", "notes/wool.txt")
SEA = {"ships/sail.txt", "ships/mast.md"}


@pytest.fixture(scope="module")
def world(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("collections")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    for name in FILES:
        (world.documents / name).parent.mkdir(parents=True, exist_ok=True)
        (world.documents / name).write_text(f"The word of {name} is in it.")
    with world.engine() as engine:
        world.index(engine)
    return world


@pytest.fixture
def engine(world: World) -> Iterator[Engine]:
    with world.engine() as engine:
        yield engine
        for name in engine.call(GetStatus()).collections:
            engine.call(SetCollection(name))


def found(engine: Engine, query: str) -> set[str]:
    return {hit.file for hit in search(engine, f"{query} word", limit=20)}


def test_two_who_add_to_a_collection_at_once_lose_nothing(engine: Engine) -> None:
    engine.call(SetCollection("Sea", "in:ships"))
    files = [f"in:file-{number}.txt" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda each: engine.call(SetCollection("sea", each, adds=True)), files))
    collections = engine.call(GetStatus()).collections
    assert list(collections) == ["Sea"]
    assert sorted(collections["Sea"].split()) == sorted(["in:ships", *files])
    assert engine.call(SetCollection("New", "in:notes", adds=True))["New"] == "in:notes"


def test_what_leaves_a_collection_takes_nothing_else_along(engine: Engine) -> None:
    files = [f'in:"file {number}.txt"' for number in range(20)]
    engine.call(SetCollection("Sea", " ".join(["in:ships", *files])))
    changes = [
        *(SetCollection("sea", each, removes=True) for each in files),
        *(SetCollection("sea", f"in:{number}", adds=True) for number in range(20)),
    ]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(engine.call, changes))
    collections = engine.call(GetStatus()).collections
    assert set(collections["Sea"].split()) == {"in:ships", *(f"in:{n}" for n in range(20))}
    assert engine.call(SetCollection("Sea", collections["Sea"], removes=True)) == {}
    assert engine.call(SetCollection("Sea", "in:ships", removes=True)) == {}


def test_a_collection_that_was_changed_meanwhile_is_not_replaced(engine: Engine) -> None:
    engine.call(SetCollection("Sea", "in:ships", was=""))
    engine.call(SetCollection("Sea", "in:notes", adds=True))
    for filters, was in (("ext:md", "in:ships"), ("", "in:ships"), ("in:ships", "")):
        with pytest.raises(WorldError) as raised:
            engine.call(SetCollection("sea", filters, was=was))
        assert raised.value.code == "busy"
    assert engine.call(GetStatus()).collections == {"Sea": "in:ships in:notes"}
    assert engine.call(SetCollection("sea", was="in:ships in:notes")) == {}


def test_a_collection_is_searched_by_its_name(engine: Engine, world: World) -> None:
    assert engine.call(SetCollection("At Sea", "in:ships")) == {"At Sea": "in:ships"}
    assert engine.call(GetStatus()).collections == {"At Sea": "in:ships"}
    assert found(engine, 'in:"At Sea"') == found(engine, 'in:"at sea"') == SEA
    assert found(engine, '-in:"At Sea"') == set(FILES) - SEA
    assert found(engine, 'in:"At Sea" ext:md') == {"ships/mast.md"}
    assert found(engine, 'in:"At Sea" in:notes') == SEA | {"notes/soup.md", "notes/wool.txt"}
    assert found(engine, 'in:"At Sea" -in:ships') == set()
    wool = world.documents / "notes" / "wool.txt"
    engine.call(SetCollection("at SEA", f'in:ships in:"{wool}"'))
    assert list(engine.call(GetStatus()).collections) == ["at SEA"]
    assert found(engine, 'in:"At Sea"') == SEA | {"notes/wool.txt"}


def test_a_collection_may_be_a_filter_or_made_of_others(engine: Engine) -> None:
    engine.call(SetCollection("Markdown", "ext:md"))
    engine.call(SetCollection("Rest", "-in:Markdown"))
    engine.call(SetCollection("Both", "in:Markdown in:soup.txt"))
    engine.call(SetCollection("Loop", "in:Loop ext:md"))
    assert found(engine, "in:Markdown") == {"ships/mast.md", "notes/soup.md"}
    assert found(engine, "in:Rest") == set(FILES) - {"ships/mast.md", "notes/soup.md"}
    assert found(engine, "in:Both") == {"ships/mast.md", "notes/soup.md"}
    assert found(engine, "in:Loop") == set()


@pytest.mark.slow
def test_collections_that_are_all_made_of_each_other_are_resolved_at_once(engine: Engine) -> None:
    names = [f"Part {number}" for number in range(MOST_COLLECTIONS)]
    for name in names:
        others = " ".join(f'in:"{other}"' for other in names if other != name)
        engine.call(SetCollection(name, f"{others} in:ships"))
    assert found(engine, 'in:"Part 7"') == SEA
    with pytest.raises(WorldError) as raised:
        engine.call(SetCollection("One more", "in:ships"))
    assert raised.value.code == "bad_request"
    engine.call(SetCollection("part 7", "ext:md"))
    assert found(engine, 'in:"Part 7"') == {"ships/mast.md", "notes/soup.md"}


def test_it_lasts_until_it_is_forgotten(world: World) -> None:
    with world.engine() as engine:
        engine.call(SetCollection("Sea", "in:ships"))
    with world.engine() as engine:
        assert found(engine, "in:Sea") == SEA
        assert engine.call(SetCollection("sea")) == {}
        assert found(engine, "in:Sea") == set()


def test_what_is_no_set_of_documents_is_refused(engine: Engine) -> None:
    with pytest.raises(WorldError) as raised:
        engine.call(SetCollection("Sea", "ships"))
    assert raised.value.code == "bad_query"
    for name in ("", " ", 'a"b', "a\nb"):
        with pytest.raises(WorldError) as raised:
            SetCollection(name, "in:ships")
        assert raised.value.code == "bad_request"


def test_a_collection_follows_what_is_renamed_and_moved(engine: Engine, world: World) -> None:
    documents = world.documents
    engine.call(SetCollection("Sea", f'in:"{documents / "ships"}" in:"{documents / "soup.txt"}"'))
    members = SEA | {"soup.txt"}
    assert found(engine, "in:Sea") == members
    (documents / "ships").rename(documents / "boats")
    (documents / "soup.txt").rename(documents / "notes" / "broth.txt")
    world.index(engine)
    renamed = {name.replace("ships", "boats") for name in SEA}
    assert found(engine, "in:Sea") == renamed | {"notes/broth.txt"}
    # A folder out of which only one file is moved stays the one that is meant.
    (documents / "boats" / "mast.md").rename(documents / "mast.md")
    world.index(engine)
    assert found(engine, "in:Sea") == {"boats/sail.txt", "notes/broth.txt"}
    assert engine.call(GetStatus()).collections == {
        "Sea": f'in:"{documents / "boats"}" in:"{documents / "notes" / "broth.txt"}"'
    }
    (documents / "mast.md").rename(documents / "boats" / "mast.md")
    (documents / "boats").rename(documents / "ships")
    (documents / "notes" / "broth.txt").rename(documents / "soup.txt")
    world.index(engine)
    assert found(engine, "in:Sea") == members


def test_a_bounded_search_cannot_leave_its_collection(engine: Engine) -> None:
    engine.call(SetCollection("At Sea", "in:ships"))
    engine.call(SetCollection("Kitchen", "in:notes"))

    def bounded(query: str) -> set[str]:
        result = engine.call(Search(f"{query} word", 20, within="at sea"))
        assert {hit.file for hit in result.hits} == {
            hit.file
            for hit in engine.call(SearchByWords(f"{query} word", 20, within="at sea")).hits
        }
        return {hit.file for hit in result.hits}

    assert bounded("") == SEA
    assert bounded("ext:md") == {"ships/mast.md"}
    assert bounded("in:notes in:Kitchen") == bounded('-in:"At Sea"') == set()
    assert bounded("in:notes in:ships") == SEA
    like = engine.call(Search("like:soup.txt", 20, within="At Sea")).hits
    assert {hit.file for hit in like} <= SEA
    with pytest.raises(WorldError) as caught:
        engine.call(Search("word", within="Attic"))
    assert caught.value.code == "unknown_collection"


def test_documents_are_listed_by_collection_filters_and_path(engine: Engine, world: World) -> None:
    engine.call(SetCollection("At Sea", "in:ships"))

    def listed(**fields: Any) -> list[str]:
        answer = engine.call(ListDocuments(**fields))
        assert answer.total >= len(answer.documents)
        return [document.file for document in answer.documents]

    assert set(listed()) == set(FILES)
    assert set(listed(within="At Sea")) == SEA
    assert listed(within="At Sea", filters="ext:md in:notes in:ships") == ["ships/mast.md"]
    assert [*listed(limit=2), *listed(offset=2)] == listed()
    inside, outside = world.documents / "ships" / "sail.txt", world.documents / "soup.txt"
    assert listed(within="At Sea", paths=(inside, outside)) == ["ships/sail.txt"]
    assert listed(within="At Sea", paths=(outside,)) == []
    assert engine.call(ListDocuments(limit=1)).total == len(FILES)


def test_a_document_is_read_passage_by_passage(engine: Engine, world: World) -> None:
    path = world.documents / "long.txt"
    path.write_text("\n\n".join(f"Paragraph {n} says {n * 7} and no more." for n in range(400)))
    world.index(engine)
    whole = engine.call(ReadPassages(path))
    assert whole.following == 0
    assert len(whole.passages) > 3
    text = path.read_text()
    for passage in whole.passages:
        assert passage.text == text[passage.start : passage.end]
    pages: list[TextPassage] = []
    start = 0
    while True:
        part = engine.call(ReadPassages(path, start=start, most=2_000))
        pages += part.passages
        if not (start := part.following):
            break
    assert tuple(pages) == whole.passages
    second = whole.passages[1]
    only = engine.call(ReadPassages(path, start=second.start, end=second.end))
    assert only.passages == (second,)
    assert engine.call(ReadPassages(path, page=9)).passages == ()
    with pytest.raises(WorldError) as caught:
        engine.call(ReadPassages(world.documents / "nothing.txt"))
    assert caught.value.code == "not_a_root"


def test_texts_are_embedded_as_the_library_is(engine: Engine) -> None:
    first, second = engine.call(EmbedTexts(("A word at sea.", "Soup.")))
    assert len(first) == len(second) > 0
    assert engine.call(EmbedTexts(("A word at sea.",))) == (first,)
    (passage,) = engine.call(EmbedTexts(("A word at sea.",), passages=True))
    assert len(passage) == len(first)
    with pytest.raises(WorldError):
        EmbedTexts(("  ",))


def test_searches_go_before_texts_to_embed(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "LONGEST_PAUSE_S", WAIT_S)
    assert EmbedTexts.queue is not Search.queue
    token = CancelToken()
    with ThreadPoolExecutor(1) as pool:
        with engine.gate.query():
            embedded = pool.submit(engine.call, EmbedTexts(("Soup.",) * 256), token=token)
            assert found(engine, "in:ships") == SEA
            assert not embedded.done()
            token.cancel()
        with pytest.raises(Cancelled):
            embedded.result(WAIT_S)
