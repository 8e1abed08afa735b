"""Libraries for tests of whole engines: an empty one, and a corpus that is indexed once."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.endpoint import new_endpoint
from indexer.api.private_files import LibraryLock
from indexer.extract.process.sandbox import ExtractionChild
from tests.integration import corpus
from tests.integration.extraction import keepers_tale
from tests.integration.scanning import Recognitions
from tests.integration.serving import open_host
from tests.integration.speaking import attached
from tests.integration.world import Seen, World, look

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.endpoint import EngineClient
    from indexer.engine.engine import Engine
    from indexer.server.service import Host


@pytest.fixture
def world(tiny_models_dir: Path, tmp_path: Path) -> World:
    """An empty folder of documents, and a library that is not there yet."""
    documents = tmp_path / "documents"
    documents.mkdir()
    return World(documents, tmp_path / "library", tiny_models_dir)


@pytest.fixture
def engine(world: World) -> Iterator[Engine]:
    """The library of ``world``, open; a new one has all documents read."""
    with world.engine() as engine:
        if not engine.catalog.roots.all():
            world.index(engine)
        yield engine


@pytest.fixture
def recognitions(monkeypatch: pytest.MonkeyPatch) -> Recognitions:
    """Counts the pages that are given to children to recognise."""
    return Recognitions(monkeypatch)


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
    """A copy of it, open for questions that change nothing; ``indexed`` may be a module's own."""
    with indexed.copy(tmp_path_factory.mktemp("opened") / "library").engine() as engine:
        yield engine


@pytest.fixture
def filled(world: World) -> World:
    """The corpus as documents, and a library that is not there yet."""
    world.documents.rmdir()
    corpus.make(world.documents)
    return world


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


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    return tmp_path / "library"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "ice.txt").write_text("The ship sank in November. The crew camped on the ice.")
    (folder / "lease.txt").write_text("The tenant pays rent.\fThe landlord mends the roof.")
    return folder


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    host = open_host(library)
    yield host
    host.close()


@pytest.fixture
def client(host: Host, library: Path) -> Iterator[EngineClient]:
    with contextlib.closing(attached(library)) as client:
        yield client


@pytest.fixture
def occupied(library: Path) -> Iterator[Path]:
    """A library for which no socket can be opened."""
    with LibraryLock.acquire(library) as lock:
        address = Path(new_endpoint(lock.holding).address)
    address.mkdir()
    yield library
    address.rmdir()
