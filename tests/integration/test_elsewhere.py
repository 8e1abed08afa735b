"""Where else the library says what a piece of a document says, over a real library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.requests import Compare, FindElsewhere
from tests.integration import corpus
from tests.integration.world import World

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine

HERE = "The deposit is returned within 30 days of the end of the lease by Jane Doe."
THERE = "The deposit is returned within 60 days of the end of the lease by John Roe."
OTHER = "Boil the onions and the carrots with some salt for the soup of the evening."


@pytest.fixture(scope="module")
def indexed(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("elsewhere")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    world.documents.mkdir()
    corpus.pdf(world.documents / "flat.pdf", [f"{OTHER} {HERE} {OTHER}", OTHER * 3])
    (world.documents / "house.txt").write_text(f"{OTHER}\n\n{THERE} {OTHER}")
    (world.documents / "soup.txt").write_text(OTHER * 20)
    with world.engine() as engine:
        world.index(engine)
    return world


def test_the_same_is_found_with_what_differs(opened: Engine, indexed: World) -> None:
    selected = "deposit is returned within 30\ndays of the end of the lease by Jane Doe"
    flat = indexed.documents / "flat.pdf"
    first, *others = opened.call(FindElsewhere(flat, selected, page=1))
    assert first.hit.file == "house.txt"
    assert first.same
    assert " ".join(first.source.split()) == HERE
    assert first.hit.text[slice(*first.hit.best)] == THERE
    assert set(first.pairs) == {("30 days", "60 days"), ("Jane Doe", "John Roe")}
    assert [first.hit.text[slice(*span)] for span in first.marks] == ["60", "John Roe"]
    assert not any(one.same for one in others)


def test_a_range_of_a_text_is_asked_for_too(opened: Engine, indexed: World) -> None:
    house = indexed.documents / "house.txt"
    start = house.read_text().index(THERE)
    first, *_ = opened.call(FindElsewhere(house, THERE, start=start, end=start + len(THERE)))
    assert first.hit.file == "flat.pdf"
    assert ("60 days", "30 days") in first.pairs
    assert len(opened.call(FindElsewhere(house, THERE, start=start, end=start + 9, limit=1))) == 1


def test_each_selected_sentence_is_found_in_a_passage_that_has_all(
    opened: Engine, indexed: World
) -> None:
    flat = indexed.documents / "flat.pdf"
    found = opened.call(FindElsewhere(flat, f"{HERE} {OTHER}", page=1))
    same = [one for one in found if one.same and one.hit.file == "house.txt"]
    assert {" ".join(one.source.split()) for one in same} == {HERE, OTHER}


def test_words_that_no_sentence_has_are_asked_for_by_meaning(
    opened: Engine, indexed: World
) -> None:
    flat = indexed.documents / "flat.pdf"
    assert opened.call(FindElsewhere(flat, "something else entirely", page=1))


def test_unknown_files_are_refused(opened: Engine, indexed: World) -> None:
    with pytest.raises(WorldError) as raised:
        opened.call(FindElsewhere(indexed.documents / "none.pdf", HERE, page=1))
    assert raised.value.code == "not_a_root"


def test_a_comparison_marks_what_changed(opened: Engine, indexed: World) -> None:
    found = opened.call(
        Compare(str(indexed.documents / "flat.pdf"), str(indexed.documents / "house.txt"))
    )
    marked = {
        (change.first.text[slice(*change.first_marks[0])], change.second.text[slice(*span)])
        for change in found.changed
        for span in change.second_marks[:1]
    }
    assert marked == {("30", "60")}
