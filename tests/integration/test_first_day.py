"""What people expect on the first day: nothing private is read, nothing is wasted or held."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from indexer.api.codec import encode
from indexer.api.errors import WorldError
from indexer.api.phrases import Note
from indexer.api.requests import Compare, Diagnose, GetStatus, Index, ListFiles, Reindex, Search
from indexer.api.types import FileState
from indexer.config import Precision
from indexer.embed import record_files
from indexer.embed.compiled import GRAPH
from indexer.embed.record_files import find_record, write_record
from indexer.library import library as libraries
from tests.integration import corpus
from tests.integration.world import (
    Seen,
    World,
    check_same,
    check_whole,
    found,
    look,
    quoted,
    search,
    states,
)
from tests.tiny_model import TINY

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.answers import Check
    from indexer.api.progress import Progress
    from indexer.engine.engine import Engine

PETABYTE = 10**15
GERMAN = (
    "Der Sauerteig wird am Vorabend angesetzt und ruht in der warmen Küche bis zum Morgen. "
    "Dann wird das Mehl mit lauwarmem Wasser verknetet, und das Brot geht noch einmal zwei "
    "Stunden lang, bevor es in den heißen Ofen geschoben wird."
)

# A file, what is left out because of it, and why.
PRIVATE = [
    (".ssh/notes.txt", ".ssh", "secrets"),
    (".gnupg/notes.txt", ".gnupg", "secrets"),
    (".aws/credentials.txt", ".aws", "secrets"),
    ("server.pem", "server.pem", "secrets"),
    ("passwords.kdbx", "passwords.kdbx", "secrets"),
    (".mozilla/firefox/page.html", ".mozilla", "browser"),
    (".config/google-chrome/page.html", ".config", "hidden"),
    (".thunderbird/mail.txt", ".thunderbird", "mail"),
    (".cache/page.html", ".cache", "cache"),
    ("__pycache__/notes.txt", "__pycache__", "cache"),
    (".git/description.txt", ".git", "versions"),
    ("site/node_modules/lib/readme.md", "site/node_modules", "dependencies"),
    ("work/.venv/readme.md", "work/.venv", "dependencies"),
    (".hidden.txt", ".hidden.txt", "hidden"),
    ("~$report.txt", "~$report.txt", "system"),
]


@pytest.fixture
def world(world: World) -> World:
    (world.documents / "mine.txt").write_text("My own note about a quince.")
    return world


@pytest.fixture
def filled(world: World) -> World:
    shutil.rmtree(world.documents)
    corpus.make(world.documents)
    return world


def put(folder: Path, path: str, text: str = "A durian that nobody is to find.") -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def test_nothing_private_or_foreign_is_read(world: World) -> None:
    for path, _, _ in PRIVATE:
        put(world.documents, path)
    with world.engine() as engine:
        world.index(engine)
        rows = {row.file: row.detail for row in engine.call(ListFiles(FileState.EXCLUDED)).files}
        assert rows.keys() == {excluded for _, excluded, _ in PRIVATE}
        for _, excluded, reason in PRIVATE:
            assert reason in rows[excluded]
        assert engine.catalog.files.counts() == {"indexed": 1, "excluded": len(PRIVATE)}
        assert engine.catalog.lexicon.df(["durian", "quince"]) == {"durian": 0, "quince": 1}


def test_what_is_left_out_can_be_let_in(world: World) -> None:
    put(world.documents, "site/node_modules/lib/readme.md")
    put(world.documents, "drafts/notes.txt")
    with world.engine(exclude=("!node_modules/", "drafts/")) as engine:
        world.index(engine)
        assert quoted(engine, "durian that nobody") == ["site/node_modules/lib/readme.md"]
    # A pattern taken back takes its file out again, and lets the other in.
    with world.engine() as engine:
        world.index(engine)
        assert quoted(engine, "durian that nobody") == ["drafts/notes.txt"]
        check_whole(engine)


def test_the_library_is_not_read_itself(world: World) -> None:
    inner = World(world.documents, world.documents / "library", world.models)
    with inner.engine() as engine:
        inner.index(engine)
        assert states(engine) == {"mine.txt": "indexed", "library": "excluded"}


def test_indexing_pauses_while_the_disk_is_nearly_full(filled: World) -> None:
    with filled.engine(min_free_bytes=PETABYTE) as engine:
        with pytest.raises(WorldError) as caught:
            filled.index(engine)
        assert caught.value.code == "disk_full"
        assert "1000000.0 GB" in caught.value.message
        # Nothing was written, and what is there is known by name.
        assert engine.store.sizes()["passages"].rows == 0
        assert states(engine)["long.txt"] == "queued"
        assert found(engine, "long.txt") == ["long.txt"]
    with filled.engine() as engine:
        filled.index(engine)
        check_whole(engine)
        assert quoted(engine, "zephyr clause") == ["long.txt"]


def test_it_pauses_in_the_middle_and_goes_on(filled: World) -> None:
    with filled.engine() as engine:

        def fill(_progress: Progress) -> None:
            totals = engine.catalog.spaces.totals()
            if totals.embedded < totals.passages:
                engine.config = replace(engine.config, min_free_bytes=PETABYTE)

        with pytest.raises(WorldError) as caught:
            engine.call(Index((filled.documents,)), report=fill)
        assert caught.value.code == "disk_full"
        engine.config = filled.config
        before = engine.call(GetStatus()).documents
        assert before > 0
        again = filled.index(engine).summary
        assert again.documents_added == engine.call(GetStatus()).documents - before
        look(engine)


def test_the_size_of_the_library_is_told(copied: World) -> None:
    with copied.engine() as engine:
        status = engine.call(GetStatus())
        on_disk = sum(p.lstat().st_size for p in copied.library.rglob("*") if p.is_file())
        assert status.bytes == pytest.approx(on_disk, rel=0.05)
        assert status.free_bytes > 0
        tables = status.tables.values()
        assert 0 < sum(table.total for table in tables) < status.bytes


def test_a_moved_library_works_where_it_is(
    copied: World, undisturbed: Seen, tmp_path: Path
) -> None:
    libraries.move(copied.library, tmp_path / "new" / "place")
    assert not copied.library.exists()
    moved = World(copied.documents, tmp_path / "new" / "place", copied.models)
    with moved.engine() as engine:
        check_same(look(engine), undisturbed)
        assert moved.index(engine).work == (0, 0, 0)


def test_a_library_moved_by_hand_works_too(
    copied: World, undisturbed: Seen, tmp_path: Path
) -> None:
    shutil.copytree(copied.library, tmp_path / "copy")
    shutil.rmtree(copied.library)
    moved = World(copied.documents, tmp_path / "copy", copied.models)
    with moved.engine() as engine:
        check_same(look(engine), undisturbed)


def test_one_command_deletes_everything(copied: World) -> None:
    documents = {p: p.read_bytes() for p in copied.documents.rglob("*") if p.is_file()}
    size = libraries.size(copied.library)
    assert libraries.remove_everything(copied.library) == pytest.approx(size, rel=0.05)
    assert not copied.library.exists()
    assert {p: p.read_bytes() for p in documents} == documents


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


def test_the_status_fits_json(filled: World) -> None:
    with filled.engine() as engine:
        assert json.loads(json.dumps(encode(engine.call(GetStatus()))))["documents"] == 0
        filled.index(engine)
        status = json.loads(json.dumps(encode(engine.call(GetStatus()))))
        assert status["embedded_share"] == 1.0
        assert status["running"] is None
        (root,) = status["roots"]
        assert root["path"] == str(filled.documents)
        assert root["files"] == len(states(engine)) == sum(root["states"].values())
        assert root["bytes"] > 0
        assert root["patterns"] == []
        assert not root["offline"]
        assert all(check.ok for check in engine.call(Diagnose()))


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


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a backslash separates folders")
def test_a_name_with_a_backslash_stays_what_it_is(world: World) -> None:
    odd = "letters\\to  a.txt"
    (world.documents / odd).write_text("The lighthouse keeper counted every gull at dawn.")
    (world.documents / "b.txt").write_text("The lighthouse keeper counted every seal at dawn.")
    with world.engine() as engine:
        world.index(engine)
        (hit,) = engine.call(Search(f'gull in:"{world.documents}"', 1)).hits
        assert (hit.file, hit.path) == (odd, str(world.documents / odd))
        assert odd in {row.file for row in engine.call(ListFiles()).files}
        compared = engine.call(Compare(odd, "b.txt", 0))
        assert compared.first.file == odd
