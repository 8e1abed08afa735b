"""What is said about models: languages they do not cover, changed files, recommendations."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.api.model_requests import Reindex
from indexer.api.phrases import Note
from indexer.api.requests import Diagnose, GetStatus
from indexer.config import Precision
from indexer.embed import record_files
from indexer.embed.compiled import GRAPH
from indexer.embed.record_files import find_record, write_record
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


def test_the_doctor_tells_of_a_compiled_model_that_was_changed(
    filled: World, tmp_path: Path
) -> None:
    models = tmp_path / "own models"
    shutil.copytree(filled.models, models)

    def checked(engine: Engine) -> Check:
        (check,) = [each for each in engine.call(Diagnose()) if each.name == "compiled model"]
        return check

    with filled.engine(models=models) as engine:
        filled.index(engine)
        (graph,) = {file for file in models.rglob(GRAPH) if Precision.FP32 in file.parent.name}
        assert checked(engine).ok
        whole = graph.read_bytes()
        graph.write_bytes(whole + b"!")
        # What is open was read before; the file is not used until it is compiled again.
        told = checked(engine)
        assert not told.ok
        assert told.value == f"{GRAPH} in {graph.parent} changed since the model was compiled"
        assert "start it again" in told.advice
    with filled.engine(models=models) as engine:
        told = checked(engine)
        assert not told.ok
        assert "compiled again" in told.advice
        assert graph.read_bytes() == whole
        assert checked(engine).ok


def test_only_models_that_are_known_are_recommended(
    filled: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of those that come with Lectern one may be made for it.
    monkeypatch.setattr(record_files, "shipped_folder", lambda: tmp_path / "nothing")
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
        write_record(record, models)
        assert advice(engine) == Note("language_offered", {"model": "tiny-german"})
    shutil.copytree(models / TINY / "source", models / "tiny-german" / "source")
    with filled.engine(models=models, model="tiny-german", background=True) as engine:
        assert advice(engine) == Note("language_coming", {"model": "tiny-german"})
        engine.call(Reindex(None, None))
        assert advice(engine) is None
