"""The model follows the languages of the library, where the person has chosen none."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.models import Reindex
from indexer.api.phrases import Note
from indexer.api.requests import GetStatus, Search
from indexer.catalog.choices import ASKED
from indexer.config import LANGUAGES_MODEL
from indexer.embed.model_files import write_record
from indexer.engine.reindex import asked_languages
from indexer.search.score_normalisation import load_means
from tests.integration.world import World
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine

MANY = "tiny-many"
ENGLISH = "The harbour was full of boats, and nobody knew who had sent them there in the night. "
GERMAN = "Der Hafen war voller Boote, und niemand wusste, wer sie in der Nacht geschickt hatte. "


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    install_tiny_model(folder)
    write_record(replace(install_tiny_model(folder, name=MANY), languages=("de", "en")), folder)
    return folder


@pytest.fixture
def world(models: Path, tmp_path: Path) -> World:
    world = World(tmp_path / "documents", tmp_path / "library", models)
    world.documents.mkdir()
    for number in range(4):
        (world.documents / f"english {number}.txt").write_text(f"{number}. " + ENGLISH * 8)
    return world


def model(engine: Engine) -> str:
    """The model that answers, which must have read everything."""
    status = engine.call(GetStatus())
    assert status.embedded_share == 1.0
    return status.model


def test_a_library_in_the_language_of_the_model_stays_with_it(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        assert model(engine) == TINY
        assert engine.call(GetStatus()).changing is None


def test_without_the_other_model_all_languages_are_read_with_this_one(world: World) -> None:
    german(world, 9)
    with world.engine(languages_model="not-installed") as engine:
        world.index(engine)
        assert model(engine) == TINY


def german(world: World, count: int) -> None:
    """So many documents in German; they are the oldest, and read last."""
    for number in range(count):
        path = world.documents / f"deutsch {number}.txt"
        path.write_text(f"{number}. " + GERMAN * 8)
        os.utime(path, (number, number))


def test_one_in_other_languages_changes_over_when_they_are_seen(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        german(world, 3)
        assert world.index(engine).read == 3
        assert model(engine) == MANY
    # It stays so while some of it is left.
    (world.documents / "deutsch 0.txt").unlink()
    (world.documents / "deutsch 2.txt").unlink()
    with world.engine(languages_model=MANY) as engine:
        assert world.index(engine).work == (0, 0, 0)
        assert model(engine) == MANY
    (world.documents / "deutsch 1.txt").unlink()
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)  # drops what was in them
        world.index(engine)
        assert model(engine) == TINY


@pytest.mark.parametrize("background", [False, True])
def test_a_new_one_in_other_languages_is_embedded_once(world: World, *, background: bool) -> None:
    for path in world.documents.iterdir():
        path.write_text(GERMAN * 8 + path.name)
    last = world.documents / "last.txt"
    last.write_text(ENGLISH * 8)
    os.utime(last, (0, 0))
    with world.engine(languages_model=MANY, background=background) as engine:
        found = world.index(engine)
        assert found.work[:2] == (5, 5)
        assert found.summary.passages == engine.call(GetStatus()).passages
        assert model(engine) == MANY
        (space,) = engine.catalog.spaces.all()
        assert space.record["model"] == MANY


def test_what_is_read_first_settles_it_if_the_model_knows_it(world: World) -> None:
    """Nobody waits for vectors of English until all is read."""
    german(world, 2)
    with world.engine(languages_model=MANY, background=True) as engine:
        world.index(engine)
        assert model(engine) == TINY


def test_an_engine_that_serves_changes_when_nobody_waits(world: World) -> None:
    with world.engine(languages_model=MANY, background=True) as engine:
        world.index(engine)
        german(world, 3)
        world.index(engine)
        assert model(engine) == TINY
        assert engine.change_waits()
        changing = engine.call(GetStatus()).changing
        assert changing is not None
        assert changing.model == MANY


def ask(engine: Engine, question: str, times: int) -> None:
    """Ask a question in so many wordings, none of which continues the one before."""
    for number in range(times):
        engine.call(Search(f"{number} {question}"))


ASKED_IN_ENGLISH = "who was in the harbour and had sent the boats"
ASKED_IN_GERMAN = "wer war in dem Hafen und hatte die Boote geschickt"


def test_questions_in_english_keep_the_model_of_english(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        ask(engine, ASKED_IN_ENGLISH, 20)
        german(world, 3)
        world.index(engine)
        assert model(engine) == TINY
    with world.engine(languages_model=MANY) as engine:
        assert asked_languages(engine.catalog) == {"en": 20}


def test_questions_and_the_interface_choose_the_model_of_an_empty_library(world: World) -> None:
    with world.engine(languages_model=MANY, interface_language="de") as engine:
        world.index(engine)
        assert model(engine) == MANY


def test_questions_in_another_language_are_told_and_replace_no_vectors(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        ask(engine, ASKED_IN_GERMAN, 20)
        world.index(engine)
        assert model(engine) == TINY
        notes = engine.call(Search(ASKED_IN_GERMAN)).notes
        assert notes == (Note("question_unread", {"model": LANGUAGES_MODEL}),)
        assert engine.call(Search(ASKED_IN_ENGLISH)).notes == ()


def test_a_question_is_counted_once_while_it_is_typed(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        for end in range(20, len(ASKED_IN_GERMAN) + 1):
            engine.call(Search(ASKED_IN_GERMAN[:end]))
    with world.engine(languages_model=MANY) as engine:
        assert asked_languages(engine.catalog) == {"de": 1}


def test_questions_of_five_weeks_ago_count_no_more(world: World) -> None:
    with world.engine(languages_model=MANY) as engine:
        days = int(time.time() // 86_400)
        engine.catalog.set_meta(ASKED, json.dumps({days - 35: {"de": 9}, days - 20: {"de": 2}}))
        assert asked_languages(engine.catalog) == {"de": 2}
        ask(engine, ASKED_IN_ENGLISH, 12)
        kept = json.loads(engine.catalog.meta(ASKED) or "")
        assert str(days - 35) not in kept


def test_a_model_that_was_chosen_stays(world: World) -> None:
    (world.documents / "deutsch.txt").write_text(GERMAN * 8)
    with world.engine(languages_model=MANY) as engine:
        world.index(engine)
        engine.call(Reindex(TINY, None))
        assert model(engine) == TINY
        world.index(engine)
        assert model(engine) == TINY
        assert not engine.change_waits()


@pytest.mark.parametrize("name", [TINY, MANY])
def test_words_count_whole_for_a_model_of_one_language(world: World, name: str) -> None:
    """It finds nothing in another language; one of more languages need not trust a chance match."""
    with world.engine(model=name) as engine:
        world.index(engine)
        best, *_ = engine.call(Search("Wann war der harbour voller Boote? ", explain=True)).hits
    assert best.explain is not None
    words = best.explain.document["words"]
    assert words == 1.0 if name == TINY else 0.0 < words < 0.5


@pytest.mark.parametrize(("name", "measured"), [(TINY, set()), (MANY, {"de", "en"})])
def test_languages_are_measured_for_a_model_of_several(
    world: World, name: str, measured: set[str]
) -> None:
    for number in range(3):
        for language, text in (("de", GERMAN), ("en", ENGLISH)):
            path = world.documents / f"{language} {number}.txt"
            path.write_text("\n\n".join(f"{number} {part}. {text * 12}" for part in range(6)))
    with world.engine(model=name) as engine:
        world.index(engine)
        space = engine.catalog.spaces.active()
        assert space is not None
        assert load_means(engine.catalog, space).by_language.keys() == measured
        assert {hit.file for hit in engine.call(Search("the harbour at night", 20)).hits}
