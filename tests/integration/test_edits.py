"""What an edit costs: the passages it changed are embedded, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace

from indexer.api.requests import GetStatus
from tests.integration import corpus, killing
from tests.integration.world import World, check_same, look, quoted
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine

NAME = "long.txt"
PASSAGES = 40


@pytest.fixture(scope="module", params=["alone", "late"])
def long_document(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> World:
    """One document of some forty passages; to be copied, not touched."""
    folder = tmp_path_factory.mktemp(request.param)
    world = World(folder / "documents", folder / "library", folder / "models")
    install_tiny_model(world.models, late=request.param == "late")
    world.documents.mkdir()
    (world.documents / NAME).write_text(corpus.prose(3, 6_200))
    with world.engine() as engine:
        assert world.index(engine).summary.passages >= PASSAGES
    return world


@pytest.fixture
def world(long_document: World, tmp_path: Path) -> World:
    return long_document.move(tmp_path)


def is_late(engine: Engine) -> bool:
    space = engine.catalog.spaces.active()
    assert space is not None
    return bool(space.record["late"])


def rewrite(text: str) -> str:
    """Other words for one sentence, in the middle."""
    sentences = text.split(". ")
    middle = len(sentences) // 2
    words = sentences[middle].split(" ")
    sentences[middle] = " ".join(["A", "bassoon", *words[2:]])
    return ". ".join(sentences)


def insert(text: str) -> str:
    return "A bassoon was heard first of all.\n\n" + text


def cut_out(text: str) -> str:
    paragraphs = text.split("\n\n")
    third = len(paragraphs) // 3
    return "\n\n".join([*paragraphs[:third], *paragraphs[third + 6 :]])


def test_an_edit_embeds_what_it_changed(world: World, tmp_path: Path) -> None:
    path = world.documents / NAME
    with world.engine() as engine:
        # Neighbours that are read together are embedded together: about two windows.
        late = is_late(engine)
        for edit, most in ((rewrite, 3), (insert, 3), (cut_out, 8)):
            path.write_text(edit(path.read_text()))
            summary = world.index(engine).summary
            assert 1 <= summary.passages <= most + 5 * late, edit
            assert summary.passages + summary.reused == engine.call(GetStatus()).passages
            assert summary.documents_added == 1
        seen = look(engine)
    fresh = World(world.documents, tmp_path / "fresh", world.models)
    with fresh.engine() as engine:
        assert world.index(engine).summary.reused == 0
        # Hits of words that stand nowhere are by meaning alone, and nearly tied.
        check_same(replace(seen, hits=[]), replace(look(engine), hits=[]))


@pytest.mark.parametrize("long_document", ["alone"], indirect=True)
def test_an_edit_of_an_edit_that_never_had_vectors(world: World) -> None:
    path = world.documents / NAME
    path.write_text(rewrite(path.read_text()))
    killing.kill_at(world, "passages-marked:1")
    path.write_text(insert(path.read_text()))
    with world.engine() as engine:
        summary = world.index(engine).summary
        assert summary.passages <= 6
        assert summary.reused >= PASSAGES - 6
        look(engine)


@pytest.mark.parametrize("long_document", ["alone"], indirect=True)
@pytest.mark.parametrize("point", ["vectors-copied:1", "batch-embedded:1"])
def test_killed_after_an_edit(world: World, point: str) -> None:
    path = world.documents / NAME
    path.write_text(rewrite(path.read_text()))
    killing.kill_at(world, point)
    with world.engine() as engine:
        # What was copied counts for the run that copied it.
        assert world.index(engine).summary.passages <= 3
        assert quoted(engine, "a bassoon") == [NAME]
        look(engine)


def test_every_window_holds_one_document_in_order(tmp_path: Path) -> None:
    """A model trained late sees neighbours: of many documents at once none sees another."""
    world = World(tmp_path / "documents", tmp_path / "library", tmp_path / "models")
    install_tiny_model(world.models, late=True)
    corpus.make(world.documents)
    with world.engine() as engine:
        world.index(engine)
        together = look(engine)
    alone: dict[str, np.ndarray] = {}
    for file in ("notes/book.md", "page.html", "short.txt"):
        single = World(world.documents / file, tmp_path / file.replace("/", " "), world.models)
        with single.engine() as engine:
            single.index(engine)
            ((_, (vectors, _)),) = look(engine).vectors.items()
            alone[file] = vectors
    for file, vectors in alone.items():
        np.testing.assert_allclose(together.vectors[file][0], vectors, atol=1e-3, err_msg=file)


def test_names_are_read_one_by_one_by_a_model_trained_late(tmp_path: Path) -> None:
    made = []
    for names in (("one",), ("another", "one", "third")):
        world = World(tmp_path / str(len(names)), tmp_path / f"l{len(names)}", tmp_path / "models")
        install_tiny_model(world.models, late=True)
        world.documents.mkdir()
        for name in names:
            (world.documents / f"{name}.txt").write_text(f"The text of {name}.")
        with world.engine() as engine:
            world.index(engine)
            space = engine.catalog.spaces.active()
            assert space is not None
            known = engine.catalog.names
            ids, vectors = known.vectors(space.id, known.embedded(space.id))
            texts = known.texts(ids.tolist())
            made.append(vectors[[texts[name] for name in ids.tolist()].index("one")])
    np.testing.assert_allclose(made[0], made[1], atol=1e-3)


def test_another_author_of_a_pdf_embeds_nothing(tiny_models_dir: Path, tmp_path: Path) -> None:
    import pymupdf

    world = World(tmp_path / "documents", tmp_path / "library", tiny_models_dir)
    world.documents.mkdir()
    path = world.documents / "report.pdf"
    corpus.pdf(path, [corpus.text(seed, 200) for seed in range(3)], "A report")
    with world.engine() as engine:
        world.index(engine)
        before = look(engine)
        with pymupdf.open(path) as document:
            document.set_metadata({**document.metadata, "author": "X"})
            document.saveIncr()
        outcome = world.index(engine)
        assert outcome.work == (1, 1, 0)
        texts = [
            [one["text"] for one in seen.passages["report.pdf"]] for seen in (before, look(engine))
        ]
        assert texts[0] == texts[1]
        assert outcome.summary.reused == len(texts[0]) > 0
