"""What is said about models: languages they do not cover, changed files, recommendations."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.models import Reindex
from indexer.api.phrases import Note
from indexer.api.requests import Diagnose, GetStatus, ListFiles
from indexer.embed import model_files
from indexer.embed.model_files import find_record, write_record
from tests.integration.world import World, found, search
from tests.tiny_model import TINY

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from indexer.api.answers import Check
    from indexer.engine.engine import Engine

GERMAN = (
    "Der Sauerteig wird am Vorabend angesetzt und ruht in der warmen Küche bis zum Morgen. "
    "Dann wird das Mehl mit lauwarmem Wasser verknetet, und das Brot geht noch einmal zwei "
    "Stunden lang, bevor es in den heißen Ofen geschoben wird."
)


def test_a_language_the_model_does_not_cover(world: World) -> None:
    (world.documents / "brot.txt").write_text(GERMAN)
    (world.documents / "bread.txt").write_text(
        "The dough rests overnight in the warm kitchen, and in the morning the baker kneads it "
        "with lukewarm water before it goes into the oven for the better part of an hour."
    )
    with world.engine() as engine:
        world.index(engine)
        assert found(engine, "Sauerteig Vorabend")[0] == "brot.txt"
        # By another form of the word, as the language forms it.
        assert found(engine, "heiße Öfen")[0] == "brot.txt"
        rows = {row.language: row for row in engine.call(GetStatus()).languages}
        assert rows["de"].documents == 1
        assert rows["de"].advice is not None
        assert rows["en"].advice is None
        listed = {row.file: row for row in engine.call(ListFiles()).files}
        assert (listed["brot.txt"].language, listed["brot.txt"].by_words) == ("de", True)
        assert not listed["bread.txt"].by_words


def test_a_hit_by_meaning_says_that_it_is_in_another_language(world: World) -> None:
    (world.documents / "brot.txt").write_text(GERMAN)
    (world.documents / "lamp.txt").write_text(
        "The keeper lit the lamp of the lighthouse at dusk, and the boats came home by it."
    )
    # The words of the tiny model are letters; to the index they are words that nobody wrote.
    query = "How should it be in the morgn wasse verknete"
    with world.engine() as engine:
        world.index(engine)
        languages = {hit.file: hit.language for hit in search(engine, query)}
        assert languages["brot.txt"] == "de"
        assert languages["lamp.txt"] == ""
        assert [hit.language for hit in search(engine, f"{query} lang:de")] == ["de"]
        assert "brot.txt" not in found(engine, f"{query} lang:en")
        assert {hit.language for hit in search(engine, "wasse verknete")} == {""}


def test_the_doctor_tells_of_a_model_that_was_changed(filled: World, tmp_path: Path) -> None:
    models = tmp_path / "own models"
    shutil.copytree(filled.models, models)
    graph = models / TINY / "fp32.onnx"

    def checked(engine: Engine) -> list[Check]:
        names = {"model", "model files"}
        return [each for each in engine.call(Diagnose()) if each.name in names and not each.ok]

    with filled.engine(models=models) as engine:
        filled.index(engine)
        assert not checked(engine)
        whole = graph.read_bytes()
        graph.write_bytes(whole + b"!")
        told = checked(engine)[0]
        assert told.value == f"{graph.name} in {graph.parent} changed since the model was made"
        assert "Get the model again" in told.advice
    with filled.engine(models=models) as engine:
        assert [each.name for each in checked(engine)] == ["model files", "model"]
        graph.write_bytes(whole)
        assert not checked(engine)


def test_only_models_that_are_known_are_recommended(
    filled: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of those that come with Lectern one may be made for it.
    monkeypatch.setattr(model_files, "shipped_folder", lambda: tmp_path / "nothing")
    models = tmp_path / "own models"
    shutil.copytree(filled.models, models)
    (filled.documents / "brot.txt").write_text(GERMAN, "utf-8")

    def advice(engine: Engine) -> Note | None:
        rows = {row.language: row for row in engine.call(GetStatus()).languages}
        return rows["de"].advice

    with filled.engine(models=models) as engine:
        filled.index(engine)
        assert advice(engine) == Note("language_uncovered")
        record = replace(find_record(TINY, models), id="tiny-german", languages=("de", "en"))
        shutil.copytree(models / TINY, models / "tiny-german")
        write_record(record, models)
        assert advice(engine) == Note("language_offered", {"model": "tiny-german"})
    with filled.engine(models=models, model="tiny-german", background=True) as engine:
        assert advice(engine) == Note("language_coming", {"model": "tiny-german"})
        engine.call(Reindex(None, None))
        assert advice(engine) is None
