"""Libraries for tests of whole engines: an empty one, and a corpus that is indexed once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from indexer.extract.process.sandbox import ExtractionChild
from tests.integration import corpus
from tests.integration.extraction import keepers_tale
from tests.integration.scanning import Counted, install
from tests.integration.world import Seen, World, look

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.engine.engine import Engine


@pytest.fixture
def world(tiny_models_dir: Path, tmp_path: Path) -> World:
    """An empty folder of documents, and a library that is not there yet."""
    documents = tmp_path / "documents"
    documents.mkdir()
    return World(documents, tmp_path / "library", tiny_models_dir)


@pytest.fixture
def engine(world: World) -> Iterator[Engine]:
    """The library of ``world``, open and with all documents read."""
    with world.engine() as engine:
        world.index(engine)
        yield engine


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """A command in front of Tesseract that counts its runs."""
    with contextlib.closing(install(tmp_path / "bin", monkeypatch)) as counted:
        yield counted


@pytest.fixture(scope="session")
def indexed(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The corpus and its library; to be copied, not touched."""
    folder = tmp_path_factory.mktemp("indexed")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    corpus.make(world.documents)
    with world.engine() as engine:
        world.index(engine)
    return world


@pytest.fixture(scope="module")
def opened(indexed: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A copy of it, open for questions that change nothing."""
    with indexed.copy(tmp_path_factory.mktemp("opened") / "library").engine() as engine:
        yield engine


@pytest.fixture
def copied(indexed: World, tmp_path: Path) -> World:
    """A copy of it to change, of the same documents."""
    return indexed.copy(tmp_path / "library")


@pytest.fixture(scope="session")
def undisturbed(indexed: World) -> Seen:
    """What there is to see in it."""
    with indexed.engine() as engine:
        return look(engine)


@pytest.fixture
def child() -> Iterator[ExtractionChild]:
    with ExtractionChild() as one:
        yield one


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    return keepers_tale(tmp_path)
